"""The systems that the packages are tried in, and where debootstrap finds them."""

import dataclasses
import urllib.error
import urllib.request


@dataclasses.dataclass(frozen=True)
class Suite:
    name: str
    title: str
    mirror: str
    components: str = "main"
    # Where this machine lacks the archive's keys: the package of Debian that has them, and its file.
    keys_package: str | None = None
    keys_file: str | None = None
    # debootstrap's script, where the one of Debian 12 is older than the suite.
    script: str | None = None

    def debootstrap(self, path, keyring):
        """The command that makes a minimal system in the folder."""
        keys = [f"--keyring={keyring}"] if keyring else []
        script = [f"/usr/share/debootstrap/scripts/{self.script}"] if self.script else []
        return ["debootstrap", "--variant=minbase", f"--components={self.components}", *keys, self.name, str(path),
                self.mirror, *script]

    def unreachable(self):
        """Why the suite cannot be had from here; None where its archive answers."""
        address = f"{self.mirror}/dists/{self.name}/InRelease"
        try:
            with urllib.request.urlopen(urllib.request.Request(address, method="HEAD"), timeout=30):
                return None
        except OSError as error:
            return f"{address}: {error}"


DEBIAN_MIRROR = "http://deb.debian.org/debian"
UBUNTU_MIRROR = "http://archive.ubuntu.com/ubuntu"
DEBIAN = {
    name: Suite(name, title, DEBIAN_MIRROR) for name, title in (("bookworm", "Debian 12"), ("trixie", "Debian 13"))}
UBUNTU = {
    "noble": Suite(
        "noble", "Ubuntu 24.04", UBUNTU_MIRROR, "main,universe", "ubuntu-archive-keyring", "ubuntu-archive-keyring.gpg",
        "gutsy")}
SUITES = DEBIAN | UBUNTU
