#!/usr/bin/env python3
"""Other people's code builds and runs: Tests/ForeignStyle, with an app that imports CloudKit, CoreData, Combine and os in
one file, and the tests of the package Companions. All in one build graph: from nothing, and again after changes.

What Swift compiles is compiled again; what C compiles is kept from one run to the next, since no module in C can hide
that one in Swift is missing. Standard library only."""

import os
import re
import shutil
import subprocess
import time

from support import ROOT, Failure, expect, main

PACKAGE = ROOT / "Tests/ForeignStyle"
SCRATCH = ROOT / ".build-foreign"
EXPECTED = [
    "record Ada", "sum 7", "counted 1000", "changes 2 saved [1]", "ticks 3 visits 3 will change 3",
]
# One file of each package and of the app. A module that hides another one is often missed by the first build only.
CHANGED = [
    PACKAGE / "Sources/CompanionApp/Shop.swift", ROOT / "Sources/CloudKit/CloudKit.swift",
    ROOT / "Sources/CoreData/CoreData.swift", ROOT / "Companions/Sources/StratusCombine/Exports.swift",
    ROOT / "Companions/Sources/StratusOS/Logger.swift",
]
# Whose warnings count: foreign code keeps its own, as its authors had them.
OWN = [str(ROOT / "Sources"), str(ROOT / "Companions"), str(SCRATCH / "plugins/outputs")]
# A line of the table in Tests/ForeignStyle/README.md: what is used, and in which files.
ROW = re.compile(r"^\| (?!---)([^|]+) \| ([^|]+) \|$", re.MULTILINE)


def swift(verb, *arguments, seconds):
    begin = time.monotonic()
    try:
        done = subprocess.run(
            ["swift", verb, "--package-path", str(PACKAGE), "--scratch-path", str(SCRATCH), *arguments],
            capture_output=True, text=True, timeout=seconds)
    except subprocess.TimeoutExpired as late:
        said = (late.stdout or b"").decode(errors="replace")
        raise Failure(f"swift {verb} takes more than {seconds} s. {unfinished(said)}") from None
    said = done.stdout + done.stderr
    expect(done.returncode == 0, f"swift {verb} fails:\n{errors(said)}")
    print(f"swift {' '.join([verb, *arguments])}: {time.monotonic() - begin:.0f} s", flush=True)
    return said


def errors(said):
    """The lines that say what is wrong, or the end where none does."""
    lines = [line for line in said.splitlines() if re.search(r"error:|recorded an issue|Fatal error", line)]
    return "\n".join(lines[:20]) or said[-4000:]


def unfinished(said):
    """The tests that began and did not end, or the last lines where there are none."""
    ended = set(re.findall(r"Test (\S+) (?:passed|failed)", said))
    begun = [name for name in re.findall(r"Test (\S+) started", said) if name not in ended]
    return f"Not ended: {', '.join(begun)}" if begun else said[-2000:]


def forget_swift():
    """Removes what Swift made: modules, and the folders of objects of all targets but those in C."""
    for products in SCRATCH.glob("*/debug"):
        shutil.rmtree(products / "Modules", ignore_errors=True)
        for folder in products.glob("*.build"):
            if any(folder.glob("*.swift.o")) or any(folder.glob("*.swiftdeps")):
                shutil.rmtree(folder)


def build(stage):
    said = swift("build", "--build-tests", seconds=2_100)
    own = [line for line in said.splitlines() if "warning:" in line and line.startswith(tuple(OWN))]
    expect(not own, f"{stage}: warnings:\n" + "\n".join(own))
    expect("Hummingbird" not in said, f"{stage}: the build of apps builds the server's HTTP")
    done = subprocess.run(
        [SCRATCH / "debug/companion-app"], capture_output=True, text=True, timeout=60,
        env={name: value for name, value in os.environ.items() if name != "STRATUS_LOG_PRIVATE"})
    lines = done.stdout.splitlines()
    expect(done.returncode == 0 and lines == EXPECTED, f"{stage}: the app says {lines}, {done.stderr}")
    expect(
        re.search(r"made \d+ letters for <private>", done.stderr)
        and "Ada" not in done.stderr and "somebody" not in done.stderr,
        f"{stage}: private values are in the log: {done.stderr}")
    expect("counted to 1000" in done.stderr, f"{stage}: a message is missing: {done.stderr}")


def check_table():
    """The table names each file, and only files that exist."""
    named = set()
    for used, files in ROW.findall((PACKAGE / "README.md").read_text())[1:]:
        for name in re.findall(r"`([\w/+]+\.swift)`", files):
            expect((PACKAGE / "Sources" / name).is_file(), f"The table's row '{used}' names {name}, which does not exist.")
            named.add(name)
    files = {str(path.relative_to(PACKAGE / "Sources")) for path in (PACKAGE / "Sources").rglob("*.swift")}
    expect(files == named, f"Tests/ForeignStyle/README.md does not name {sorted(files - named)}.")
    expect(len(files) >= 60, f"There are {len(files)} files of foreign code; 60 are promised.")
    print(f"{len(files)} files of foreign code, each in the table", flush=True)


def test():
    check_table()
    forget_swift()
    build("clean")
    said = swift("test", "--skip-build", seconds=600)
    runs = re.findall(r"Test run with (\d+) tests?.* passed", said)
    expect(runs and int(runs[-1]) >= 70, f"Fewer tests ran than there are: {runs}.\n{said[-2000:]}")
    print(f"{runs[-1]} tests passed", flush=True)
    for path in CHANGED:
        if not path.is_file():
            raise Failure(f"{path} does not exist; name another file of its module here.")
        path.touch()
    build("after changes")


if __name__ == "__main__":
    main(test)
