#!/usr/bin/env python3
"""Where `try?` drops what may be a failure of a disk, a database or a network, or nobody looks at what a call of C answers,
a comment on the line or directly above it says why that is right.

`try?` before something that only reads what it is given ('is this a number?') needs none: nil is the whole answer. A failure
is dropped where the value is not used, and where files, stores or other tasks are asked. A task that is woken from its
sleep, and a file that was read and is closed, say so themselves. So does `close` in a `defer` or a `deinit`: what was
written is brought to the disk by `fsync` before, whose answer counts."""

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

# Calls of C that can fail, as a statement of their own or given to nobody.
CALLS = (
    "close|fclose|fsync|fdatasync|unlink|unlinkat|rename|renameat|ftruncate|truncate|mkdir|rmdir|chmod|fchmod|chown|fchown|fcntl|flock"
    "|setsockopt|shutdown|send|pwrite|lseek|dup2|kill|poll|ioctl|symlink|setrlimit|utimensat|futimens|fallocate|posix_fallocate"
    "|sqlite3_(?:backup|bind|busy|close|config|create|db|enable|exec|extended|file|finalize|reset|clear|step|trace|wal|prepare)\\w*"
    "|curl_(?:multi|easy_setopt|global)\\w*|pthread_(?!self)\\w+")
CALL = re.compile(rf"(?:^\s*|[{{;]\s*|\bin\s+|_ = (?:\w+\.withUnsafe\w+ \{{ )?)(?:(?:Foundation|Glibc)\.)?(?:{CALLS})\(|_ = [^t].*\bwrite\(")
# Methods of ours that have such a name, and what compares the answer on the line.
OTHERS = re.compile(r"\bclose\(\)|\bunlink\(object\)|\)\s*(?:[=!]=|[<>]=?)\s")
CLOSED_LAST = re.compile(r"\b(?:deinit|defer) \{[^}]*\bclose\(\w[\w.]*\)")
# The line before, where the call is part of its statement.
BEGUN = re.compile(r"(?:[=(,?:]|&&|\|\||\breturn|\btry|\bguard|\belse)\s*$")


def has_reason(lines, index):
    """Whether a comment for the reader of the code is on the line, or ends on the line above."""
    return bool(plain_comment(lines[index])) or (index > 0 and lines[index - 1].strip().startswith("// "))


def plain_comment(line):
    """Whether the line has a comment other than documentation; an address in a text is none."""
    return re.search(r"(?<![:/])//(?!/)", line)


def is_ignored_call(code, lines, index):
    """Whether the line calls C and looks at no answer."""
    if not CALL.search(code) or OTHERS.search(code) or CLOSED_LAST.search(code):
        return False
    before = next((line.partition("//")[0] for line in reversed(lines[:index]) if line.partition("//")[0].strip()), "")
    return not BEGUN.search(before)


def main():
    looked = calls = 0
    without = []
    for place, code, lines, index in swift_lines():
        if is_ignored_call(code, lines, index):
            calls += 1
            if not has_reason(lines, index):
                without.append(f"{place}: {lines[index].strip()}")
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
    if looked < 100 or calls < 30:
        sys.exit(f"FAILED: Only {looked} and {calls} were found: the rule no longer reads the sources.")
    if without:
        sys.exit(f"FAILED: {len(without)} times nothing says why an error may be dropped:\n" + "\n".join(without))
    print(f"  try? is there {looked} times, and {calls} calls of C are not looked at; where a failure is dropped, it says why")


if __name__ == "__main__":
    main()
