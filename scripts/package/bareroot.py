"""A system without Swift, in a folder: made by debootstrap once, copied for each trial, entered by chroot."""

import os
import pathlib
import shutil
import subprocess

from release import ROOT
from suites import DEBIAN

ROOTS = ROOT / ".build-package" / "roots"


def base(suite):
    """The folder of a minimal system, made the first time."""
    path = ROOTS / suite.name
    if not (path / "etc/os-release").exists() or not (path / ".whole").exists():
        shutil.rmtree(path, ignore_errors=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(suite.debootstrap(path, keyring(suite)), check=True)
        # What any machine has that was used before: lists, so that `apt install` need not fetch them.
        shutil.copy("/etc/resolv.conf", path / "etc/resolv.conf")
        subprocess.run(["chroot", str(path), "apt-get", "-qq", "update"], check=True)
        (path / ".whole").touch()
    return path


def keyring(suite):
    """The file of the keys that signed the suite's archive; None for Debian's, which this machine has.

    Debian 13 has Ubuntu's keys as a package, which Debian's keys have signed; Debian 12 has none."""
    if suite.keys_package is None:
        return None
    folder = base(DEBIAN["trixie"])
    path = folder / "usr/share/keyrings" / suite.keys_file
    if not path.exists():
        subprocess.run(["chroot", str(folder), "apt-get", "-qq", "install", "--yes", suite.keys_package], check=True)
    return path


class BareRoot:
    """A copy of a minimal system that is thrown away with all that runs in it."""

    def __init__(self, suite, name="trial"):
        self.base = base(suite)
        self.path = ROOTS / f"{suite.name}-{name}"
        self.processes = []

    def __enter__(self):
        self._unmount()
        shutil.rmtree(self.path, ignore_errors=True)
        subprocess.run(["cp", "--archive", str(self.base), str(self.path)], check=True)
        # Without /proc a Swift program sees no arguments.
        subprocess.run(["mount", "-t", "proc", "proc", str(self.path / "proc")], check=True)
        return self

    def __exit__(self, *_):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()
        self._unmount()
        shutil.rmtree(self.path, ignore_errors=True)

    def _unmount(self):
        if os.path.ismount(self.path / "proc"):
            subprocess.run(["umount", str(self.path / "proc")], check=True)

    def put(self, path, folder="tmp"):
        """Copies a file into the system; gives its name in there."""
        shutil.copy(path, self.path / folder)
        return f"/{folder}/{pathlib.Path(path).name}"

    def run(self, *command, check=True, environment=None, user=None):
        """Runs a command inside to its end; gives what it printed."""
        done = subprocess.run(
            self._inside(user, command), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=300,
            env=self._environment(environment))
        if check and done.returncode != 0:
            raise SystemExit(f"FAILED: {command} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
        return done

    def start(self, *command, environment=None, user=None, output=None):
        """Starts a command inside, which ends with the trial."""
        process = subprocess.Popen(
            self._inside(user, command), stdin=subprocess.DEVNULL, stdout=output or subprocess.DEVNULL,
            stderr=subprocess.STDOUT, env=self._environment(environment))
        self.processes.append(process)
        return process

    def _inside(self, user, command):
        chosen = [f"--userspec={user}"] if user else []
        return ["chroot", *chosen, str(self.path), *(str(part) for part in command)]

    def _environment(self, more):
        usual = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        return usual | (more or {})
