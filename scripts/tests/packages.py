#!/usr/bin/env python3
"""What `make package` makes is sound, tried with a small program in the place of the real one, which takes a release build:
the unit is what systemd takes, without a warning, and closes much; the packages are the same to the last byte when they
are made twice; dpkg reads the one, and every blob of the image has the digest and size that its manifests name;
all of them have the files of the demo where the program looks for them, and without them it says where to get them.

`make package-test` tries the real packages in bare systems.
"""

import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import time

from support import ROOT, Workplace, expect, free_port, get, main, run, stratus

PACKAGE = ROOT / "scripts/package"
# The scale of 'systemd-analyze security': 10 is open, 0 is closed.
LARGEST_EXPOSURE = 2.0
PROGRAM = r"""
#include <stdio.h>
int main(int count, char **words) {
    if (count > 1 && words[1][0] == 'v')
        puts("{\"version\":\"9.9.9-rc.1\",\"commit\":\"0123456789ab\",\"platform\":\"linux\"}");
    else
        puts("complete -c stratus");
    return 0;
}
"""


def ask(*command, **more):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=120, **more)
    expect(done.returncode == 0, f"{command[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def check_unit(folder):
    unit = folder / "stratus.service"
    # The program has to be where the unit says, and is not on a developer's machine.
    unit.write_text((PACKAGE / "deb/stratus.service").read_text().replace("/usr/bin/stratus", "/bin/true"))
    done = ask("systemd-analyze", "verify", "--man=no", unit)
    expect(not done.stderr.strip(), f"systemd says of the unit:\n{done.stderr}")
    told = ask("systemd-analyze", "security", "--offline=true", "--no-pager", unit).stdout
    exposure = float(re.search(r"exposure level for .*: ([0-9.]+)", told).group(1))
    expect(exposure <= LARGEST_EXPOSURE, f"systemd rates the unit {exposure}, more than {LARGEST_EXPOSURE}")
    print(f"  systemd takes the unit without a word, and rates it {exposure}")


def check_settings(folder):
    """The packaged settings are what the command reads."""
    told = json.loads(run("serve", "--config", str(PACKAGE / "deb/stratus.json"), "--print-config", "--json").stdout)
    expect(told["data"] == {"value": "/var/lib/stratus", "source": "file"}, f"the packaged settings give {told}")
    for name in ("config", "postinst", "prerm", "postrm"):
        ask("sh", "-n", PACKAGE / "deb" / name)


def make(folder, program, number):
    output = folder / f"dist{number}"
    ask(sys.executable, PACKAGE, "--binary", program, "--output", output,
        env=os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}, cwd=folder)
    return output


def check_deb(deb):
    told = ask("dpkg-deb", "--info", deb).stdout
    for words in ("Version: 9.9.9~rc.1", "libc6", "adduser", "conffiles", "templates", "Section: database"):
        expect(words in told, f"the package does not say '{words}':\n{told}")
    listed = ask("dpkg-deb", "--contents", deb).stdout
    owners = {line.split()[1] for line in listed.splitlines()}
    expect(owners == {"root/root"}, f"files of the package belong to {owners}")
    for line in ("-rw------- root/root", "./usr/lib/systemd/system/stratus.service", "./etc/stratus/stratus.json",
                 "./usr/share/stratus/demo/pictures/coffee-1.png"):
        expect(line in listed, f"'{line}' is not in the package:\n{listed}")


def check_image(image):
    with tarfile.open(image) as tar:
        blobs = {name: tar.extractfile(name).read() for name in tar.getnames() if tar.getmember(name).isfile()}
    for name, blob in blobs.items():
        if name.startswith("blobs/sha256/"):
            expect(name.endswith(hashlib.sha256(blob).hexdigest()), f"{name} has another digest")

    def follow(descriptor):
        blob = blobs["blobs/sha256/" + descriptor["digest"].removeprefix("sha256:")]
        expect(len(blob) == descriptor["size"], f"{descriptor} has {len(blob)} bytes")
        return blob

    manifest = json.loads(follow(json.loads(blobs["index.json"])["manifests"][0]))
    config = json.loads(follow(manifest["config"]))
    layer = follow(manifest["layers"][0])
    inside = subprocess.run(["tar", "-tvz", "--numeric-owner"], input=layer, capture_output=True, check=True)
    listed = inside.stdout.decode()
    expect(re.search(r"drwx------ 65532/65532 .* data/", listed), f"the image's folder of data is not its user's:\n{listed}")
    expect("usr/bin/stratus" in listed and "libc.so.6" in listed, f"the image lacks files:\n{listed}")
    expect("usr/share/stratus/demo/cities.json" in listed, f"the image has no demo:\n{listed}")
    expect(config["config"]["User"] == "65532:65532", "the image runs as root")


def check_demo(tarball, folder):
    """The real command beside the tarball's files serves the demo; without them it says what to do."""
    with tarfile.open(tarball) as tar:
        tar.extractall(folder / "tarball", filter="data")
    program = next((folder / "tarball").glob("stratus-*/bin/stratus"))
    shutil.copy(stratus(), program)
    port = free_port()
    command = [program, "demo", "--players", "5", "--posts", "0", "--restaurants", "3", "--port", str(port)]
    with open(folder / "demo.log", "wb") as log:
        served = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    try:
        start = time.monotonic()
        while True:
            try:
                expect(get(port, "/readyz")[0] == 200, "the demo of the tarball is not ready")
                break
            except OSError:
                said = (folder / "demo.log").read_text(errors="replace")
                expect(served.poll() is None and time.monotonic() - start < 60, f"no demo of the tarball:\n{said}")
                time.sleep(0.05)
    finally:
        served.terminate()
        served.wait(30)
    shutil.rmtree(program.parents[1] / "share")
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=60, cwd=folder)
    expect(done.returncode == 64, f"without files the demo ends with {done.returncode}:\n{done.stderr}")
    for words in ("share/stratus/demo", "--demo-files", "STRATUS_DEMO_FILES"):
        expect(words in done.stderr, f"the demo does not say '{words}':\n{done.stderr}")
    print("  the demo's files are in the packages, and the command finds them beside it")


def test():
    with Workplace("packages") as work:
        folder = pathlib.Path(work.path)
        check_unit(folder)
        check_settings(folder)
        (folder / "stratus.c").write_text(PROGRAM)
        ask("cc", "-g", "-o", folder / "program", folder / "stratus.c")
        outputs = [make(folder, folder / "program", number) for number in (1, 2)]
        sums = [(output / "SHA256SUMS").read_text() for output in outputs]
        expect(sums[0] == sums[1], f"the packages differ when they are made twice:\n{sums[0]}\n{sums[1]}")
        ask("sha256sum", "--check", "SHA256SUMS", cwd=outputs[0])
        print(f"  {len(sums[0].splitlines())} packages, the same to the last byte twice")
        check_deb(next(outputs[0].glob("*.deb")))
        check_image(next(outputs[0].glob("*-oci.tar")))
        check_demo(next(path for path in outputs[0].glob("*.tar.xz") if "symbols" not in path.name), folder)
        shutil.rmtree(outputs[1])


if __name__ == "__main__":
    main(test)
