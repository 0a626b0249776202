"""Tries the packages of `make package` where there is no Swift: `make package-test`, as root.

In bare Debians and a bare Ubuntu made by debootstrap: install, first answered query, upgrade, removal, purge; the same under systemd in
namespaces of its own; the tarball; the container image by runc. Prints how long each takes, and fails where a promise of the README does
not hold. A system whose archive does not answer is not tried, which is said and is a failure, too: `--suite` chooses others.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import tempfile
import time
import urllib.request

from bareroot import BareRoot
from images import check_image
from release import ROOT
from service import Service, expect, say
from suites import SUITES
from systemd import try_service

# The promises.
FIRST_ANSWER_MS = 300
INSTALL_TO_ANSWER_SECONDS = 10
CONTAINER = "iCloud.com.example.app"


def slack():
    """How much longer things may take on a machine that does much else: its load for each core, at least 1."""
    return max(1, max(os.getloadavg()[:2]) / (os.cpu_count() or 1))


def package(output, ending):
    found = [path for path in sorted(output.glob(f"*{ending}")) if "symbols" not in path.name]
    expect(len(found) == 1, f"{output} has {len(found)} files *{ending}; run 'make package' first")
    return found[0]


def newer(deb, folder):
    """The same package with a higher version."""
    tree = folder / "newer"
    subprocess.run(["dpkg-deb", "--raw-extract", str(deb), str(tree)], check=True)
    control = tree / "DEBIAN/control"
    control.write_text(re.sub(r"^(Version: .*)$", r"\1+next", control.read_text(), flags=re.MULTILINE))
    path = folder / "stratus-newer.deb"
    subprocess.run(
        ["dpkg-deb", "--root-owner-group", "-Znone", "--build", str(tree), str(path)], check=True, capture_output=True)
    return path


def install(root, deb):
    return root.run("apt-get", "install", "--yes", "--no-install-recommends", root.put(deb))


def try_deb(deb, suite):
    with BareRoot(suite) as root:
        expect(root.run("which", "swift", check=False).returncode != 0, "there is a Swift in the bare root")
        start = time.monotonic()
        root.run("apt-get", "install", "--yes", "--no-install-recommends", "--download-only", root.put(deb))
        say(f"{suite.title}: the libraries from the mirror", time.monotonic() - start)
        start = time.monotonic()
        said = install(root, deb)
        seconds = time.monotonic() - start
        expect("stratus operator link admin" in said.stderr, f"the installation does not say how to enter:\n{said.stderr}")
        say("apt install", seconds)
        service = Service(root, "/usr/lib/systemd/system/stratus.service")
        first = service.start()
        say("from start to first answer", first)
        tokens = [service.token(CONTAINER), service.token(CONTAINER, "ada")]
        service.save(CONTAINER, tokens, "first")
        expect(service.names(CONTAINER, tokens) == ["first"], "the query does not find what was saved")
        say("from apt install to first answered query", time.monotonic() - start)
        expect(seconds + first < INSTALL_TO_ANSWER_SECONDS * slack(), "from install to first answer takes too long")
        say("resident memory after that", service.resident_megabytes(), "MB")
        check_entrance(service)
        check_commands(root, service)
        check_files(root)
        check_first_answers(service)
        try_upgrade(root, service, deb, tokens)
        try_removal(root, service, deb, tokens)


def check_entrance(service):
    """A stranger is told how the owner enters, and gets no way in; the owner gets one."""
    page = service.get("/")
    expect("Nobody has signed in" in page and "/console/enter/" not in page, "the start page is not as it should be")
    expect("/console/enter/" not in service.log(), "the log has a link to the console in it")
    link = service.root.run("stratus", "operator", "link", "admin").stdout.strip()
    expect(link.startswith("http://127.0.0.1:"), f"this is no link: {link}")
    request = urllib.request.Request(link, data=b"", method="POST", headers={"Sec-Fetch-Site": "same-origin"})
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with browser.open(request, timeout=10) as answer:
        expect(answer.status == 200 and "Welcome" in answer.read().decode(), "the link does not let in")
    expect("Nobody has signed in" not in service.get("/"), "the start page still asks for an owner")
    print("  strangers are told how the owner enters; the owner's link lets in")


def check_commands(root, service):
    """Commands as root beside the service leave no file behind that the service cannot use."""
    told = json.loads(root.run("stratus", "version", "--json").stdout)
    expect(re.fullmatch(r"dev|[0-9a-f]{12}", told["commit"]), f"the version names no commit: {told}")
    settings = json.loads(root.run("stratus", "serve", "--print-config", "--json").stdout)
    expect(settings["data"] == {"value": "/var/lib/stratus", "source": "file"}, f"the settings are {settings}")
    # As the README has it, while the service runs.
    root.run("stratus", "backup", "/var/backups/stratus", "--keep", "14")
    root.run("stratus", "restore", "/var/backups/stratus", "--check")
    service.stop()
    root.run("stratus", "operator", "list")
    root.run("stratus", "doctor")
    service.start()
    foreign = root.run("find", "/var/lib/stratus", "!", "-user", "stratus").stdout
    expect(not foreign, f"these files are not the service's own:\n{foreign}")
    print("  commands as root find the data and leave no foreign files")


def check_files(root):
    mode = (root.path / "var/lib/stratus").stat().st_mode & 0o777
    expect(mode == 0o700, f"/var/lib/stratus has the mode {mode:o}")
    wanted = root.path / "etc/systemd/system/multi-user.target.wants/stratus.service"
    expect(wanted.is_symlink(), "the service does not start with the system")
    verified = root.run("dpkg", "--verify", "stratus").stdout
    expect(not verified, f"dpkg finds files changed:\n{verified}")


def check_first_answers(service):
    """The best of five starts: the others measure what else this machine does."""
    times = []
    for _ in range(5):
        service.stop()
        times.append(service.start() * 1_000)
    best = min(times)
    print(f"  from start to first answer, five times: {', '.join(f'{value:.0f}' for value in times)} ms")
    expect(best < FIRST_ANSWER_MS * slack(), f"the first answer takes {best:.0f} ms at best, not {FIRST_ANSWER_MS}")


def try_upgrade(root, service, deb, tokens):
    settings = root.path / "etc/stratus/stratus.json"
    settings.write_text(settings.read_text().replace("}", ', "drainSeconds": 3}'))
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        install(root, newer(deb, pathlib.Path(folder)))
    expect(service.names(CONTAINER, tokens) == ["first"], "the old program does not serve while the new one is put in place")
    service.stop()
    service.start()
    say("upgrade, with a restart", time.monotonic() - start)
    expect("drainSeconds" in settings.read_text(), "the upgrade overwrites the operator's settings")
    service.save(CONTAINER, tokens, "second")
    expect(service.names(CONTAINER, tokens) == ["first", "second"], "the upgrade lost records")


def try_removal(root, service, deb, tokens):
    service.stop()
    data = root.path / "var/lib/stratus/stratus.sqlite"
    root.run("apt-get", "remove", "--yes", "stratus")
    expect(data.exists() and (root.path / "etc/stratus/stratus.json").exists(), "removal takes data or settings away")
    said = root.run("apt-get", "purge", "--yes", "stratus")
    expect(data.exists(), "a purge takes records away that nobody said to remove")
    expect("stay in /var/lib/stratus" in said.stderr, "the purge does not say that the records stay")
    expect(not (root.path / "etc/stratus").exists(), "a purge leaves the settings")
    install(root, deb)
    service.start()
    expect(service.names(CONTAINER, tokens) == ["first", "second"], "after purge and installation the records are gone")
    service.stop()
    root.run("sh", "-c", "echo 'stratus stratus/remove-data boolean true' | debconf-set-selections")
    root.run("apt-get", "purge", "--yes", "stratus")
    left = root.run("sh", "-c", "ls -d /var/lib/stratus /etc/stratus /etc/default/stratus; getent passwd stratus",
                    check=False).stdout
    expect(not left, f"a purge that may remove everything leaves:\n{left}")
    print("  removal keeps data and settings, purge keeps data, and removes it where that was said")


def try_systemd(deb, suite):
    with BareRoot(suite, "systemd") as root, tempfile.TemporaryDirectory() as folder:
        try_service(root, deb, newer(deb, pathlib.Path(folder)))


def try_tarball(tarball, suite):
    with BareRoot(suite, "tarball") as root:
        needed = re.search(r"apt install (.*)", (pathlib.Path(__file__).with_name("INSTALL.txt")).read_text()).group(1)
        root.run("apt-get", "install", "--yes", "--no-install-recommends", *needed.split())
        subprocess.run(["tar", "-C", str(root.path / "opt"), "-xf", str(tarball)], check=True)
        program = next((root.path / "opt").glob("stratus-*/bin/stratus"))
        told = root.run(f"/{program.relative_to(root.path)}", "--version").stdout.strip()
        print(f"  the tarball's program with the libraries that INSTALL.txt names: {told}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--packages", type=pathlib.Path, default=ROOT / "dist", help="where 'make package' put them")
    parser.add_argument(
        "--suite", action="append", choices=SUITES, help=f"a release's name; default: {', '.join(SUITES)}")
    options = parser.parse_args()
    output = options.packages
    subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=output, check=True)
    untried = {}
    for suite in [SUITES[name] for name in options.suite or SUITES]:
        if reason := suite.unreachable():
            untried[suite.title] = reason
            print(f"  NOT TRIED: {suite.title}, since its archive does not answer: {reason}", flush=True)
            continue
        try_deb(package(output, ".deb"), suite)
        try_systemd(package(output, ".deb"), suite)
        try_tarball(package(output, ".tar.xz"), suite)
    check_image(package(output, "-oci.tar"))
    expect(not untried, f"nobody knows whether the packages work on {' and '.join(untried)}: {untried}")
    print("All packages do what they promise.")


if __name__ == "__main__":
    main()
