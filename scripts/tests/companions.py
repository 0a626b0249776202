#!/usr/bin/env python3
"""Builds an app that imports CloudKit, CoreData, Combine and os in one file, and runs it: from nothing, and again after
a change in each package. All that Swift compiles is compiled again; what C compiles is kept from one run to the next,
since no module in C can hide that one in Swift is missing. Standard library only."""

import os
import pathlib
import re
import shutil
import subprocess
import time

from support import ROOT, Failure, expect

APP = ROOT / "Tests/CompanionApp"
SCRATCH = ROOT / ".build-companions"
EXPECTED = [
    "record Ada", "sum 7", "counted 1000", "changes 2 saved [1]", "ticks 3 visits 3 will change 3",
]
# One file of each package: a change of it compiles what depends on it again, beside modules that are there by now.
CHANGED = [
    ROOT / "Sources/RecordModel/Values/AssetDigest.swift", ROOT / "Sources/StratusCloudKit/Records/CKRecord.swift",
    ROOT / "Sources/StratusCoreData/Objects/NSManagedObject.swift", ROOT / "Companions/Sources/Combine/Exports.swift",
    ROOT / "Companions/Sources/os/Logger.swift",
]


def swift(*arguments, seconds):
    begin = time.monotonic()
    done = subprocess.run(
        ["swift", arguments[0], "--package-path", str(APP), "--scratch-path", str(SCRATCH), *arguments[1:]],
        capture_output=True, text=True, timeout=seconds)
    said = done.stdout + done.stderr
    expect(done.returncode == 0, f"swift {arguments[0]} fails:\n{errors(said)}")
    print(f"swift {' '.join(arguments)}: {time.monotonic() - begin:.0f} s", flush=True)
    return said


def errors(said):
    """The lines that say what is wrong, or the end where none does."""
    lines = [line for line in said.splitlines() if "error:" in line]
    return "\n".join(lines[:20]) or said[-4000:]


def forget_swift():
    """Removes what Swift made: modules, and the folders of objects of all targets but those in C."""
    for products in SCRATCH.glob("*/debug"):
        shutil.rmtree(products / "Modules", ignore_errors=True)
        for folder in products.glob("*.build"):
            if any(folder.glob("*.swift.o")) or any(folder.glob("*.swiftdeps")):
                shutil.rmtree(folder)


def check(stage):
    said = swift("build", "--product", "companion-app", seconds=1_800)
    expect("warning:" not in "\n".join(own(said)), f"{stage}: warnings:\n" + "\n".join(own(said)))
    done = subprocess.run(
        [SCRATCH / "debug/companion-app"], capture_output=True, text=True, timeout=60,
        env={name: value for name, value in os.environ.items() if name != "STRATUS_LOG_PRIVATE"})
    lines = done.stdout.splitlines()
    expect(done.returncode == 0 and lines == EXPECTED, f"{stage}: the app says {lines}, {done.stderr}")
    expect(re.search(r"made \d+ letters for <private>", done.stderr) and "Ada" not in done.stderr and "somebody" not in done.stderr,
           f"{stage}: private values are in the log: {done.stderr}")
    expect("counted to 1000" in done.stderr, f"{stage}: a message is missing: {done.stderr}")


def own(said):
    """The warnings of the repository's own files."""
    return [line for line in said.splitlines() if "warning:" in line and str(ROOT) in line and "checkouts" not in line]


def touch(path):
    if not path.is_file():
        raise Failure(f"{path} is gone; name another file of its module here.")
    path.touch()


def main():
    forget_swift()
    check("clean")
    touch(APP / "Sources/companion-app/Shop.swift")
    check("after a change of the app")
    for path in CHANGED:
        touch(pathlib.Path(path))
    check("after a change of each package")
    print("An app with CloudKit, CloudKitTesting, CoreData, Combine and os builds and runs, from nothing and after changes.")


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        raise SystemExit(f"FAIL {failure}")
