"""The Debian package: the tree, what dpkg is told of it, and `dpkg-deb`."""

import gzip
import os
import pathlib
import shutil
import subprocess

import demo
from binary import LEAST_GLIBC
from release import run

SOURCES = pathlib.Path(__file__).with_name("deb")
MAINTAINER = os.environ.get("DEB_MAINTAINER", "The Stratus authors <maintainers@stratus.invalid>")
DESCRIPTION = """record service that speaks CloudKit's web protocol
 Stratus keeps zones, records and files for apps that were written for iCloud,
 on a machine of your own: queries with continuation markers, change feeds,
 a schema, and a console in the browser. One process, one folder of data.
 .
 This package runs it as a service for this machine alone, at port 8080.
"""


def make(release, program, texts, work, output):
    tree = work / "deb"
    for name, path, mode in _files(program, texts):
        _install(path, tree / name, mode)
    documents = tree / "usr/share/doc/stratus"
    _compress(texts["notices"], documents / "THIRD-PARTY-NOTICES.gz")
    _compress(texts["changelog"], documents / "CHANGELOG.md.gz")
    for shell, name in (
        ("bash", "bash-completion/completions/stratus"), ("zsh", "zsh/vendor-completions/_stratus"),
        ("fish", "fish/vendor_completions.d/stratus.fish"),
    ):
        target = tree / "usr/share" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(run(program.path, "--generate-completion-script", shell))
    _control(release, program, tree, work)
    return _build(release, tree, output)


def _files(program, texts):
    return [
        ("usr/bin/stratus", program.path, 0o755),
        ("usr/lib/systemd/system/stratus.service", texts["service"], 0o644),
        ("etc/stratus/stratus.json", texts["settings"], 0o644),
        ("etc/default/stratus", SOURCES / "stratus.default", 0o600),
        ("usr/share/doc/stratus/copyright", SOURCES / "copyright", 0o644),
        ("DEBIAN/templates", SOURCES / "templates", 0o644),
    ] + [(f"DEBIAN/{name}", SOURCES / name, 0o755) for name in ("config", "postinst", "prerm", "postrm")] + [
        (f"usr/{name}", path, 0o644) for name, path in demo.files()]


def _install(path, target, mode):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, target)
    target.chmod(mode)


def _compress(path, target):
    """As `gzip -9n` does: without a name and a time."""
    target.write_bytes(gzip.compress(path.read_bytes(), compresslevel=9, mtime=0))


def _control(release, program, tree, work):
    (tree / "DEBIAN/conffiles").write_text("/etc/default/stratus\n/etc/stratus/stratus.json\n")
    files = sorted(path for path in tree.rglob("*") if path.is_file() and "DEBIAN" not in path.parts)
    kibibytes = sum(-(-path.stat().st_size // 1024) for path in files)
    (tree / "DEBIAN/control").write_text(
        f"Package: stratus\nVersion: {release.debian_version}\nArchitecture: {release.architecture}\n"
        f"Maintainer: {MAINTAINER}\nInstalled-Size: {kibibytes}\nSection: database\nPriority: optional\n"
        # Debian's tool sees which symbols of glibc the program needs, not which relocations.
        f"Depends: adduser, debconf (>= 0.5) | debconf-2.0, libc6 (>= {LEAST_GLIBC}), {shared_libraries(program, work)}\n"
        f"Recommends: ca-certificates\nSuggests: caddy | nginx\nDescription: {DESCRIPTION}")
    digests = [f"{run('md5sum', path).split()[0]}  {path.relative_to(tree)}\n" for path in files]
    (tree / "DEBIAN/md5sums").write_text("".join(digests))


def shared_libraries(program, work):
    """The packages of the program's libraries with their least versions, as `dpkg-shlibdeps` finds them."""
    folder = work / "shlibdeps"
    (folder / "debian").mkdir(parents=True, exist_ok=True)
    (folder / "debian/control").write_text("Source: stratus\n\nPackage: stratus\nArchitecture: any\n")
    told = run("dpkg-shlibdeps", "-O", f"-e{program.path}", cwd=folder, stderr=subprocess.DEVNULL)
    return told.strip().removeprefix("shlibs:Depends=")


def _build(release, tree, output):
    # dpkg-deb takes times from the file system; those after the epoch become the epoch, so all have to be.
    for path in [tree, *tree.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)
        os.utime(path, (release.epoch, release.epoch))
    path = output / f"stratus_{release.debian_version}_{release.architecture}.deb"
    run("dpkg-deb", "--root-owner-group", "-Zxz", "-z6", "--threads-max=1", "--build", tree, path,
        env=os.environ | {"SOURCE_DATE_EPOCH": str(release.epoch)})
    return path
