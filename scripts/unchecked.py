#!/usr/bin/env python3
"""Each type that says `@unchecked Sendable` says in the comment above it why the compiler cannot see that it is safe.
Those with Apple's names have to be open classes, as Apple's are, which nobody can check; of the others there are few, and
no more than there were. A property that is `nonisolated(unsafe)` has its comment, too."""

import re
import sys

from sources import swift_lines

# None is added without a reason to raise it; one that goes lowers it.
MOST = 17
# Whose interface is Apple's: Core Data, CloudKit, Core Location, and what Foundation on Linux lacks.
APPLES = re.compile(r"public struct CKError\b|public struct OSAllocatedUnfairLock\b"
                    r"|open class (?:(?:NS|CK|CL)[A-Z]|Event\b|ValueTransformer\b|PersonNameComponentsFormatter\b)")


def comment_above(lines, index):
    """What is written on the line itself and in the comment over it, attributes and the properties of one comment between."""
    words = lines[index].partition("//")[2]
    index -= 1
    while index >= 0 and lines[index].strip().startswith("@"):
        index -= 1
    while index >= 0 and lines[index].strip().startswith("//"):
        words += " " + lines[index].strip(" /")
        index -= 1
    return words


def main():
    apples = own = 0
    without = []
    for place, code, lines, index in swift_lines():
        if "@unchecked Sendable" in code:
            is_apples = APPLES.search(code) is not None
            apples += is_apples
            own += not is_apples
            if "nchecked" not in comment_above(lines, index):
                without.append(f"{place}: {code.strip()}")
        elif "nonisolated(unsafe)" in code and not comment_above(lines, index).strip():
            without.append(f"{place}: {code.strip()}")
    if apples < 50:
        sys.exit(f"FAILED: Only {apples} classes with Apple's names were found: the rule no longer reads the sources.")
    if without:
        sys.exit("FAILED: Nothing above says why it is safe though unchecked:\n" + "\n".join(without))
    if own > MOST:
        sys.exit(f"FAILED: {own} types of our own are @unchecked Sendable, {MOST} at most: let the compiler check it.")
    print(f"  {own} types of our own are @unchecked Sendable, and {apples} with Apple's names; each says why")


if __name__ == "__main__":
    main()
