#!/usr/bin/env python3
"""Where `try?` drops what may be a failure of a disk, a database or a network, a comment beside it says why that is right.

`try?` before something that only reads what it is given ('is this a number?') needs none: nil is the whole answer. A failure
is dropped where the value is not used, and where files, stores or other tasks are asked. A task that is woken from its
sleep, and a file that was read and is closed, say so themselves."""

import re
import sys

from sources import swift_lines

# Files, stores and tasks are asked for these.
ASKING = re.compile(
    r"\bawait\b|contentsOf|contentsOfDirectory|contentsOfFile|attributesOf|FileManager|FileHandle|FileSystem\.|Files\."
    r"|\b(?:store|connection|reader|writer|source|statement|coordinator|context|ledger)\.|\.(?:load|save|remove|write|execute)\(")
# These say themselves that nothing is lost.
PLAIN = re.compile(r"Task\.sleep|\.close\(\)|StandardStreams|standardError\.write|standardOutput\.write")
MAKING = re.compile(r"try\? (?:\$0\b|(?:[A-Z]\w*\.)*[A-Z]\w*\()")
UNUSED = re.compile(r"(?:^|[{;]|\bin|_ =|defer \{)\s*try\?")


def has_reason(lines, index):
    """Whether a comment is on the line, or above it in the same paragraph: no further up than what begins its block."""
    if "//" in lines[index]:
        return True
    for above in range(index - 1, max(index - 7, -1), -1):
        text = lines[above].strip()
        if text.startswith("//"):
            return True
        if not text or text in ("}", "},", "})"):
            return False
    return False


def main():
    looked = 0
    without = []
    for place, code, lines, index in swift_lines():
        for found in re.finditer(r"(?<![\w])try\? ", code):
            looked += 1
            after = code[found.end():]
            if code.rstrip().endswith(("(", "?", "{")):
                after += " ".join(lines[index + 1:index + 3])
            if PLAIN.search(after):
                continue
            # A value that is made is always used: it is what a closure gives.
            dropped = UNUSED.search(code[:found.end()]) and not MAKING.search(code[found.start():])
            if (dropped or ASKING.search(after)) and not has_reason(lines, index):
                without.append(f"{place}: {lines[index].strip()}")
    if looked < 100:
        sys.exit(f"FAILED: Only {looked} were found: the rule no longer reads the sources.")
    if without:
        sys.exit(f"FAILED: {len(without)} times nothing says why an error may be dropped:\n" + "\n".join(without))
    print(f"  try? is there {looked} times; where it drops a failure, it says why")


if __name__ == "__main__":
    main()
