"""Compiles Swift against the modules that were built beside the command. Standard library only."""

import os
import pathlib
import subprocess
import tempfile

from support import ROOT, expect, stratus

# The modules behind the products CloudKit and CoreData, with what they need of other packages.
CRYPTO = ["Crypto", "CryptoBoringWrapper", "CCryptoBoringSSL", "CCryptoBoringSSLShims", "CXKCP", "CXKCPShims"]
CLOUDKIT = [
    "CloudKit", "StratusCloudKit", "CurlAccess", "FoundationGaps", "Predicates", "RecordModel", "RecordWire",
    "SignInClient", "TemporaryFiles",
    *CRYPTO,
]
COREDATA = [
    "CoreData", "StratusCoreData", "CoreDataSQLiteStore", "Predicates", "DataModel", "SectionedLists", "SQLiteAccess",
    "CObjectRuntime", "FoundationGaps",
]
# Modules of values, whose documentation has code that runs, with what they need of SwiftNIO.
VALUES = [
    "RecordModel", "RecordStorage", "SectionedLists", "Predicates", "FoundationGaps", "NIOCore", "NIOConcurrencyHelpers",
    "CNIOAtomics", "CNIOLinux", "CNIODarwin", "CNIOWindows", "CNIOPosix", "CNIOFreeBSD", "CNIOOpenBSD", "CNIOWASI",
    "_NIOBase64", "_NIODataStructures", "DequeModule", "InternalCollectionsUtilities", "ContainersPreview", "Atomics",
    "_AtomicsShims", "SystemPackage", "CSystem",
]
# BoringSSL has parts in C++.
LIBRARIES = ["-lstdc++", "-lcurl", "-lsqlite3", "-lz"]


def products():
    """The folder of what was built: that of the command, or the checkout's own."""
    for folder in (pathlib.Path(stratus()).resolve().parent, ROOT / ".build/debug"):
        if (folder / "Modules").is_dir():
            return folder
    expect(False, "There are no built modules. Build them: swift build --build-tests")


def module_maps():
    """Of all modules in C: those that were written, and those that SwiftPM wrote."""
    checkouts = products().parents[1] / "checkouts"
    yield from sorted(products().glob("*.build/module.modulemap"))
    for sources in (ROOT / "Sources", *sorted(checkouts.glob("*/Sources"))):
        yield from sorted(sources.glob("*/module.modulemap"))
        # Ones in C++ are not for Swift.
        yield from (path for path in sorted(sources.glob("*/include/module.modulemap")) if path.parts[-3][0] in "C_")


def module_flags():
    """How tools of the compiler find the modules."""
    flags = ["-I", str(products() / "Modules")]
    for module_map in module_maps():
        flags += ["-Xcc", f"-fmodule-map-file={module_map}"]
    return flags


def swiftc(files, *options, warnings=False, seconds=600):
    """Runs the compiler in Swift 6 mode; warnings are errors where they are not allowed."""
    flags = ["-swift-version", "6", *module_flags()]
    flags += ["-suppress-warnings"] if warnings else ["-warnings-as-errors"]
    # The compiler leaves a folder behind when it only checks types.
    with tempfile.TemporaryDirectory(prefix="stratus-swiftc-") as folder:
        done = subprocess.run(
            ["swiftc", *flags, *options, *map(str, files)], capture_output=True, text=True, timeout=seconds,
            env=os.environ | {"TMPDIR": folder})
    said = done.stdout + done.stderr
    expect(done.returncode == 0, f"swiftc refuses {', '.join(path.name for path in files)}:\n{said[:6000]}")


def typecheck(files, *options, warnings=False):
    swiftc(files, "-typecheck", *options, warnings=warnings)


def objects_of(module):
    """The objects of a module, those left over from files that are gone not among them."""
    sources = {path.name for path in ROOT.glob(f"Sources/{module}/**/*") if path.is_file()}
    for path in sorted((products() / f"{module}.build").rglob("*.o")):
        if not sources or path.stem in sources or not path.stem.endswith(".swift"):
            yield path


def build(files, executable, *options, modules, warnings=False):
    """Links a program with the objects of modules."""
    objects = [str(path) for name in modules for path in objects_of(name)]
    swiftc(files, "-Onone", "-o", str(executable), *options, *objects, *LIBRARIES, warnings=warnings)
