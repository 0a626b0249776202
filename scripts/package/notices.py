"""The licences of everything that is in the static binary, for those who pass it on."""

import pathlib
import subprocess

from release import ROOT

PATTERNS = ("LICENSE*", "NOTICE*")


def toolchain_licence():
    """The licence of Swift's own libraries."""
    swift = pathlib.Path(subprocess.run(["which", "swift"], check=True, capture_output=True, text=True).stdout.strip())
    return swift.resolve().parents[1] / "share" / "swift" / "LICENSE.txt"


def write(work, checkouts):
    """One text of all licences; packages that only tests or tools need are in it, too."""
    parts = ["The program 'stratus' is linked with the libraries of Swift and with the packages named below.\n"]
    found = [("Swift, its libraries and ICU", toolchain_licence())]
    for package in sorted(checkouts.iterdir()) if checkouts.is_dir() else []:
        found += [(package.name, path) for pattern in PATTERNS for path in sorted(package.glob(pattern))]
    for title, path in found:
        if path.is_file():
            parts.append(f"{'=' * 78}\n{title}: {path.name}\n{'=' * 78}\n\n{path.read_text(errors='replace').strip()}\n")
    text = work / "THIRD-PARTY-NOTICES.txt"
    text.write_text("\n".join(parts))
    return {
        "notices": text, "licence": ROOT / "LICENSE", "changelog": ROOT / "CHANGELOG.md",
        "service": pathlib.Path(__file__).with_name("deb") / "stratus.service",
        "settings": pathlib.Path(__file__).with_name("deb") / "stratus.json",
    }
