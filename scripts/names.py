#!/usr/bin/env python3
"""No type has the name of a type in another module: whoever searches for a name finds one. Types that are private to a
file do not count."""

import re
import sys

from sources import swift_files

# At the top level of a file, with whatever attributes and modifiers.
TYPE = re.compile(
    r"^(?:@\w+(?:\([^)]*\))? )*((?:\w+(?:\(\w+\))? )*)(?:struct|class|enum|actor|protocol|typealias) (\w+)",
    re.MULTILINE)


def modules_by_name():
    found = {}
    for path, text in swift_files("Sources"):
        for modifiers, name in TYPE.findall(text):
            if "private" not in modifiers:
                found.setdefault(name, {}).setdefault(path.parts[1], path)
    return found


def main():
    found = modules_by_name()
    if len(found) < 1000:
        sys.exit(f"FAILED: Only {len(found)} types were found: the rule no longer reads the sources.")
    twice = {name: places for name, places in found.items() if len(places) > 1}
    if twice:
        lines = [f"{name}: {', '.join(map(str, places.values()))}" for name, places in sorted(twice.items())]
        sys.exit("FAILED: Types of the same name in two modules; rename one:\n" + "\n".join(lines))
    print(f"  of {len(found)} types, none has the name of another module's")


if __name__ == "__main__":
    main()
