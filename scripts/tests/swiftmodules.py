"""Compiles Swift against the modules that were built beside the command. Standard library only."""

import pathlib
import subprocess

from support import ROOT, expect, stratus

# The modules of Package.swift behind the product CloudKit, with what they need of other packages.
CLOUDKIT = [
    "CloudKit", "StratusCloudKit", "Predicates", "RecordModel", "RecordWire", "TemporaryFiles", "Crypto",
    "CryptoBoringWrapper", "CCryptoBoringSSL", "CCryptoBoringSSLShims", "CXKCP", "CXKCPShims",
]


def products():
    """The folder of what was built: that of the command, or the checkout's own."""
    for folder in (pathlib.Path(stratus()).resolve().parent, ROOT / ".build/debug"):
        if (folder / "Modules").is_dir():
            return folder
    expect(False, "There are no built modules. Build them: swift build --build-tests")


def swiftc(files, *options, seconds=600):
    """Runs the compiler in Swift 6 mode; warnings are errors, since pasted code should have none."""
    flags = ["-swift-version", "6", "-warnings-as-errors", "-I", str(products() / "Modules")]
    for module_map in (ROOT / "Sources").glob("*/include/module.modulemap"):
        flags += ["-Xcc", f"-fmodule-map-file={module_map}"]
    done = subprocess.run(
        ["swiftc", *flags, *options, *map(str, files)], capture_output=True, text=True, timeout=seconds)
    said = done.stdout + done.stderr
    expect(done.returncode == 0, f"swiftc refuses {', '.join(path.name for path in files)}:\n{said[:6000]}")


def typecheck(files, *options):
    swiftc(files, "-typecheck", *options)


def build(files, executable, *options):
    """Links a program with the objects of the product CloudKit."""
    objects = [str(path) for name in CLOUDKIT for path in sorted((products() / f"{name}.build").rglob("*.o"))]
    swiftc(files, "-Onone", "-o", str(executable), "-lstdc++", *options, *objects)
