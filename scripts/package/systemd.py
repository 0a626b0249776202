"""A bare system with systemd as its first process, in namespaces of its own: no container engine, no network but loopback."""

import os
import pathlib
import re
import subprocess
import time

from service import expect, say

# What a container manager prepares before it starts systemd: https://systemd.io/CONTAINER_INTERFACE
BOOT = r"""
set -e
R=$0
mount --make-rprivate /
mount --bind "$R" "$R"
mount -t proc proc "$R/proc"
mount -t sysfs -o ro sysfs "$R/sys"
mount -t tmpfs tmpfs "$R/sys/fs"
mkdir "$R/sys/fs/cgroup"
mount -t cgroup2 cgroup2 "$R/sys/fs/cgroup"
mount -t tmpfs tmpfs "$R/run"
mount -t tmpfs tmpfs "$R/tmp"
mount -t tmpfs -o mode=755 tmpfs "$R/dev"
for node in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 "$R/dev/${node%:*}" c 1 "${node#*:}"; done
mkdir "$R/dev/shm" "$R/dev/pts"
mount -t devpts -o newinstance,ptmxmode=666 devpts "$R/dev/pts"
ln -s pts/ptmx "$R/dev/ptmx"
ln -s /proc/self/fd "$R/dev/fd"
# A root of its own, not chroot's: systemd gives services theirs by mounting it elsewhere.
cd "$R"
mkdir -p old
pivot_root . old
umount --lazy old
exec env -i container=stratus-trial PATH=/usr/sbin:/usr/bin:/sbin:/bin /lib/systemd/systemd --system
"""
UNIFIED = ("/sys/fs/cgroup/unified", "/sys/fs/cgroup")


class Booted:
    def __init__(self, root):
        self.root = root
        parent = next(path for path in map(pathlib.Path, UNIFIED) if (path / "cgroup.procs").exists())
        self.group = parent / f"stratus-trial-{os.getpid()}"

    def __enter__(self):
        self.group.mkdir()
        # In the group before its namespace is made, so that systemd sees this group as the root.
        begin = f"echo $$ > {self.group}/cgroup.procs; exec unshare --mount --pid --fork --uts --ipc --net --cgroup \"$@\""
        self.process = subprocess.Popen(
            ["bash", "-c", begin, "boot", "bash", "-c", BOOT, str(self.root.path)], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        start = time.monotonic()
        while self.run("systemctl", "is-system-running", check=False).stdout.strip() not in ("running", "degraded"):
            expect(self.process.poll() is None and time.monotonic() - start < 60, "systemd does not start")
            time.sleep(0.2)
        say("systemd is up", time.monotonic() - start)
        return self

    def __exit__(self, *_):
        first = self.first_process()
        if first:
            os.kill(first, 9)  # with it all processes of its namespace
        self.process.wait(20)
        for folder in sorted(self.group.rglob("*"), reverse=True):
            if folder.is_dir():
                folder.rmdir()
        self.group.rmdir()

    def first_process(self):
        """The id that systemd has outside: the child of unshare."""
        try:
            text = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        except OSError:
            return None
        return int(text.split()[0]) if text.strip() else None

    def run(self, *command, check=True):
        first = self.first_process()
        if first is None:
            return subprocess.CompletedProcess(command, 1, "", "not started")
        done = subprocess.run(
            ["nsenter", "--target", str(first), "--all", "--root", "--wd=/", *command], capture_output=True, text=True,
            stdin=subprocess.DEVNULL, timeout=120,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C.UTF-8"})
        expect(not check or done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done


def show(system, name):
    return system.run("systemctl", "show", "--value", "--property", name, "stratus").stdout.strip()


def journal(system):
    return system.run("journalctl", "--unit", "stratus", "--no-pager").stdout


def try_service(root, deb, newer):
    """`apt install` leaves a running service under its hardened unit; an upgrade restarts it; removal stops it."""
    inside = root.put(deb)
    root.run("apt-get", "install", "--yes", "--no-install-recommends", "systemd", "systemd-sysv", "curl")
    # The libraries are fetched before, since the system that is booted has no network.
    root.run("apt-get", "install", "--yes", "--no-install-recommends", "--download-only", inside)
    kept = root.path / "root"
    for package in (deb, newer):
        root.put(package, "root")
    expect((kept / pathlib.Path(deb).name).exists(), "the package is not there")
    with Booted(root) as system:
        start = time.monotonic()
        said = system.run("apt-get", "install", "--yes", "--no-install-recommends", f"/root/{pathlib.Path(deb).name}")
        # No waiting: the service is up when apt returns, since it says itself when it listens.
        told = system.run("curl", "-sS", "--max-time", "2", "http://127.0.0.1:8080/healthz", check=False).stdout
        say("from apt install to the first answered curl, with systemd", time.monotonic() - start)
        expect('"ok"' in told, f"the service answers {told!r}; apt said\n{said.stderr}\n" + journal(system))
        expect(show(system, "ActiveState") == "active" and show(system, "NRestarts") == "0", "the service is not active")
        check_hardening(system)
        before = show(system, "MainPID")
        system.run("apt-get", "install", "--yes", f"/root/{pathlib.Path(newer).name}")
        expect(show(system, "MainPID") != before and show(system, "ActiveState") == "active", "an upgrade does not restart it")
        system.run("curl", "-fsS", "--max-time", "2", "http://127.0.0.1:8080/healthz")
        log = journal(system)
        expect("stratus operator link" in log and "/console/enter/" not in log, f"the journal:\n{log}")
        expect(system.run("stratus", "operator", "link", "admin").stdout.startswith("http://127.0.0.1:8080/console/enter/"),
               "the command prints no link")
        system.run("apt-get", "remove", "--yes", "stratus")
        expect(system.run("curl", "-s", "http://127.0.0.1:8080/healthz", check=False).returncode == 7, "it still serves")
        print("  systemd: active after install, restarted by the upgrade, stopped by removal, no link in the journal")


def check_hardening(system):
    """What the unit closes is closed for the process that runs."""
    status = pathlib.Path(f"/proc/{outer_pid(system)}/status").read_text()
    for name, value in (("CapEff", "0000000000000000"), ("NoNewPrivs", "1"), ("Seccomp", "2")):
        expect(re.search(rf"^{name}:\s+{value}$", status, re.MULTILINE), f"{name} of the service is not {value}")
    rated = system.run("systemd-analyze", "security", "--no-pager", "stratus").stdout
    print("  " + re.search(r"Overall exposure level.*", rated).group().replace("→ ", ""))


def outer_pid(system):
    """The id that the service's process has outside its namespace."""
    for path in system.group.rglob("stratus.service/cgroup.procs"):
        found = path.read_text().split()
        if found:
            return found[0]
    raise SystemExit("FAILED: the service has no process")
