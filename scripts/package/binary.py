"""The static binary: Swift's libraries are in it, so that it runs where there is no Swift."""

import dataclasses
import os
import pathlib
import shutil
import subprocess

from release import ROOT, commit, run

SCRATCH = ROOT / ".build-package"
# The promise of the README.
LARGEST_BYTES = 100_000_000
LEAST_GLIBC = "2.36"
# Of the toolchain's linkers lld can write relative relocations in a thirtieth of the room, which glibc reads since 2.36. Swift's
# arguments for static links export all symbols, which keeps code in that nothing reaches; nobody looks the program's own up.
LINKING = [
    "-Xswiftc", "-use-ld=lld", "-Xlinker", "--build-id=sha1", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs", "-Xlinker",
    "--no-export-dynamic"]


@dataclasses.dataclass
class Program:
    path: pathlib.Path
    symbols: pathlib.Path


def build(jobs=None):
    """Builds `stratus` for release with the commit in it."""
    known = commit()
    environment = dict(os.environ)
    if known:
        environment["STRATUS_BUILD_COMMIT"] = known
    command = [
        "swift", "build", "-c", "release", "--static-swift-stdlib", "--product", "stratus", "--scratch-path", SCRATCH,
        *LINKING]
    if jobs:
        command += ["-j", jobs]
    subprocess.run([str(part) for part in command], check=True, cwd=ROOT, env=environment)
    return SCRATCH / "release" / "stratus"


def split(built, work, release):
    """The program without symbols, and its symbols in a file beside it that debuggers find."""
    program, symbols = work / "stratus", work / "stratus.debug"
    run("objcopy", "--only-keep-debug", "--compress-debug-sections=zlib", built, symbols)
    shutil.copy(built, program)
    run("strip", "--remove-section=.comment", program)
    run("objcopy", f"--add-gnu-debuglink={symbols.name}", program.name, cwd=work)
    program.chmod(0o755)
    symbols.chmod(0o644)
    for path, name in ((built, "as built"), (program, "stripped"), (symbols, "symbols")):
        print(f"  {path.stat().st_size / 1e6:8.1f} MB  {name}")
    size = program.stat().st_size
    if size >= LARGEST_BYTES:
        raise SystemExit(f"package: the stripped binary has {size} bytes, and was to have fewer than {LARGEST_BYTES}")
    return Program(program, symbols)


def libraries(program):
    """The shared libraries that the program needs, by the names the loader looks for: name to file."""
    found = {}
    for line in run("ldd", program).splitlines():
        words = line.split()
        if "=>" in words and len(words) >= 3 and words[2].startswith("/"):
            found[words[0]] = pathlib.Path(words[2])
        elif words and words[0].startswith("/"):
            found[words[0]] = pathlib.Path(words[0])
        elif "not" in words:
            raise SystemExit(f"package: the library {words[0]} is missing on this machine")
    return found
