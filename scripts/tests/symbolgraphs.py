"""Reads the public symbols of built modules, as the compiler tells them. Standard library only."""

import json
import re
import subprocess

from support import expect
from swiftmodules import module_flags


def target():
    said = subprocess.run(["swiftc", "-print-target-info"], capture_output=True, text=True, timeout=60).stdout
    return re.search(r'"triple" *: *"([^"]*)"', said).group(1)


def extract(module, folder, *options):
    """Writes the graphs of a module into the folder."""
    command = [
        "swift-symbolgraph-extract", "-module-name", module, "-target", target(), *module_flags(),
        "-minimum-access-level", "public", *options, "-output-dir", str(folder),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    expect(done.returncode == 0, f"{module} has no symbol graph:\n{(done.stdout + done.stderr)[-4000:]}")


def throws(declaration):
    """Whether what is declared throws: not only a closure that it takes, and not only what that closure throws."""
    depth, own = 0, ""
    for letter in declaration:
        depth += letter in "(["
        own += letter if depth == 0 else ""
        depth -= letter in ")]"
    return re.search(r"\bthrows\b", own.partition(" where ")[0]) is not None


class Symbol:
    """One public declaration of ours."""

    def __init__(self, entry):
        self.name = ".".join(entry["pathComponents"])
        self.kind = entry["kind"]["identifier"].removeprefix("swift.")
        self.is_open = entry["accessLevel"] == "open"
        self.declaration = "".join(part["spelling"] for part in entry["declarationFragments"])
        self.is_deprecated = any(
            note.get("isUnconditionallyDeprecated") or "deprecated" in note for note in entry.get("availability", []))
        self.is_in_extension = "swiftExtension" in entry
        self.comment = "\n".join(line["text"] for line in entry.get("docComment", {}).get("lines", []))
        # What the compiler derives, a decoder's initializer for example, is written nowhere.
        self.throws = throws(self.declaration) and "location" in entry
        position = entry.get("location", {})
        self.place = f"{position.get('uri', '').rpartition('/Sources/')[2]}:{position.get('position', {}).get('line', 0) + 1}"


def symbols(module, folder):
    """All public symbols that the module declares itself, also in extensions of other modules' types; what the
    compiler derives from protocols is left out."""
    found = []
    for path in sorted(folder.glob(f"{module}*.symbols.json")):
        if path.name not in (f"{module}.symbols.json",) and not path.name.startswith(f"{module}@"):
            continue
        for entry in json.loads(path.read_text())["symbols"]:
            if "::SYNTHESIZED::" not in entry["identifier"]["precise"]:
                found.append(Symbol(entry))
    return found
