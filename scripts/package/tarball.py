"""The tarballs: the program with what one needs to run it as a service, and its symbols apart."""

import pathlib

import demo
from archive import Archive, xz_compressed

INSTALL = pathlib.Path(__file__).with_name("INSTALL.txt")


def make(release, program, texts, work, output):
    archive = Archive(release.epoch)
    for name, path, mode in (
        ("bin/stratus", program.path, 0o755), ("INSTALL.txt", INSTALL, 0o644), ("LICENSE", texts["licence"], 0o644),
        ("CHANGELOG.md", texts["changelog"], 0o644), ("THIRD-PARTY-NOTICES.txt", texts["notices"], 0o644),
        ("etc/stratus.service", texts["service"], 0o644), ("etc/stratus.json", texts["settings"], 0o644),
    ):
        archive.file(f"{release.name}/{name}", path, mode)
    for name, path in demo.files():
        archive.file(f"{release.name}/{name}", path, 0o644)
    path = output / f"{release.name}.tar.xz"
    path.write_bytes(xz_compressed(archive.close()))
    return path


def make_symbols(release, program, output):
    archive = Archive(release.epoch)
    archive.file(f"{release.name}-symbols/stratus.debug", program.symbols, 0o644)
    # Its sections are compressed already.
    path = output / f"{release.name}-symbols.tar"
    path.write_bytes(archive.close())
    return path
