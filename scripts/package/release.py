"""What a package is a package of: the version and the commit that the binary names itself, and the time of all files."""

import dataclasses
import json
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
# `git archive` writes the commit and its time into this file; in a clone it holds the placeholders.
ARCHIVED = pathlib.Path(__file__).with_name("ARCHIVED")


def run(*command, **more):
    """The output of a command that has to succeed."""
    return subprocess.run([str(part) for part in command], check=True, stdout=subprocess.PIPE, text=True, **more).stdout


def archived(line):
    """A line of the file that `git archive` fills in; None in a clone."""
    text = ARCHIVED.read_text().split("\n")[line].strip()
    return None if text.startswith("$") else text


def commit():
    """The commit that the sources are, in twelve digits; None where nobody knows, or where they were changed since."""
    given = os.environ.get("STRATUS_BUILD_COMMIT") or archived(0)
    if given:
        return given[:12]
    if not (ROOT / ".git").exists() or run("git", "-C", ROOT, "status", "--porcelain", "--untracked-files=no"):
        return None
    return run("git", "-C", ROOT, "rev-parse", "HEAD").strip()[:12]


def epoch():
    """The time of all files in packages: so a package made again is the same to the last byte."""
    given = os.environ.get("SOURCE_DATE_EPOCH") or archived(1)
    return int(given or run("git", "-C", ROOT, "log", "-1", "--format=%ct"))


@dataclasses.dataclass
class Release:
    version: str
    commit: str
    epoch: int
    architecture: str  # as Debian names it: amd64, arm64

    @staticmethod
    def of(binary):
        told = json.loads(run(binary, "version", "--json"))
        return Release(
            told["version"], told["commit"], epoch(), run("dpkg", "--print-architecture").strip())

    @property
    def debian_version(self):
        """The version by the rules of Debian: a `~` sorts before nothing, so what is not released yet is older."""
        return re.sub(r"-(?=[0-9A-Za-z])", "~", self.version)

    @property
    def machine(self):
        return {"amd64": "x86_64", "arm64": "aarch64"}.get(self.architecture, self.architecture)

    @property
    def name(self):
        return f"stratus-{self.version}-linux-{self.machine}"
