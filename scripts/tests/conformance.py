#!/usr/bin/env python3
"""Our public symbols are those that Apple documents for CloudKit and Core Data, with the documented signatures.

    scripts/tests/conformance.py            compares, and checks whether Documentation/Conformance.md is up to date
    scripts/tests/conformance.py --write    writes that page

What is compared stands in Documentation/conformance (its README tells the columns): the documented symbols, the ones
that are left out, and the differences that are accepted, each with a reason. Reads the modules that were built.
"""

import argparse
import collections
import pathlib
import re

from support import ROOT, Workplace, expect, main
from symbolgraphs import extract, symbols

FOLDER = ROOT / "Documentation/conformance"
PAGE = ROOT / "Documentation/Conformance.md"
FRAMEWORKS = {
    "cloudkit": ("CloudKit", ["StratusCloudKit"]),
    "coredata": ("Core Data", ["StratusCoreData", "CoreDataCloudKit"]),
}
# Core Data's requests of any type share a base class.
BASE = {"AnyFetchRequest": "NSFetchRequest"}
ALIAS = re.compile(r"^typealias \w+ = (.*)$")
# What needs a later version of the server, and which: the errors of the client say the same.
WAITING = FOLDER / "waiting.tsv"
# What is deprecated and no version is to serve; UnservedFeature has its errors.
NEVER = "never"
PLANNED = ROOT / "Sources/StratusCloudKit/Errors/PlannedFeature.swift"


def rows(path, columns):
    """The lines of a table, each with as many columns as it should have."""
    if not path.exists():
        return []
    lines = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line or line.startswith(("#", "name\t")):
            continue
        cells = line.split("\t")
        expect(len(cells) == columns, f"{path.relative_to(ROOT)}:{number} has {len(cells)} columns, not {columns}.")
        lines.append(cells)
    return lines


def planned_versions():
    """The version of the server that will serve each planned feature, from the enumeration that errors are made of."""
    versions = {}
    for names, version in re.findall(r'case ((?:\.\w+,? ?)+): "([\d.]+)"', PLANNED.read_text()):
        for name in re.findall(r"\w+", names):
            versions[name] = version
    expect(versions, f"{PLANNED.relative_to(ROOT)} names no versions.")
    return versions


Documented = collections.namedtuple("Documented", "name since note declaration")


def split_parameters(text):
    """The parts of a list of parameters, cut at the commas that separate them."""
    parts, depth, start = [], 0, 0
    for index, character in enumerate(text):
        if character in "([<{":
            depth += 1
        elif character in ")]}" or (character == ">" and text[index - 1] != "-"):
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:index])
            start = index + 1
    return [part for part in (part.strip() for part in [*parts, text[start:]]) if part]


def without_internal_names(declaration):
    """'func a(b c: D)' as 'func a(b: D)': what a parameter is called inside is nobody's business."""
    opening = re.match(r"[^(]*\bfunc\b[^(]*\(|[^(]*\binit[?!]?(<[^>]*>)?\(|[^(]*\bsubscript(<[^>]*>)?\(", declaration)
    if not opening:
        return declaration
    depth, end = 1, opening.end()
    while end < len(declaration) and depth:
        depth += {"(": 1, ")": -1}.get(declaration[end], 0)
        end += 1
    inside = declaration[opening.end():end - 1]
    # Neither what a parameter is called inside nor its default matters to the type.
    parts = [
        re.sub(r"^(`?\w+`?) `?\w+`?:", r"\1:", part).split(" = ")[0].strip() for part in split_parameters(inside)]
    return declaration[:opening.end()] + ", ".join(parts) + declaration[end - 1:]


def normalized(declaration, aliases):
    """A declaration as far as a caller can tell one from another."""
    text = re.sub(r"\s+", " ", declaration)
    if not text.startswith("typealias"):
        for old, new in aliases:
            text = re.sub(rf"(?<![.\w]){re.escape(old)}(?!\w)", lambda _, new=new: new, text)
    text = re.sub(r"@(backDeployed\([^)]*\)|nonobjc|preconcurrency|discardableResult|NSCopying|objc|Sendable|MainActor|available\([^)]*\)) ?", "", text)
    text = re.sub(
        r"\b(public|open|override|convenience|required|final|dynamic|weak|unowned(\(unsafe\))?|mutating"
        r"|nonisolated(\(unsafe\))?) ", "", text)
    text = text.replace("`", "").replace("Swift.", "").replace("Foundation.", "").replace("NSNotification", "Notification")
    text = re.sub(r"\b(static|class) (?=(var|let|func)\b)", "static ", text)
    text = re.sub(r"\bsending ", "", text)
    text = re.sub(r"^(static )?let ", r"\1var ", text)
    text = re.sub(r" (throws|async) ?\{|\{ get( set)? \}", "", text)
    text = re.sub(r"\b(class|struct|enum|protocol) ([\w.]+).*$", r"\1 \2", text)
    text = re.sub(r"\binit\?|\binit!", "init?", text)
    text = re.sub(r"<(\w+)>\(", "(", text)
    text = re.sub(r" where .*$", "", text)
    return re.sub(r"\s+", " ", without_internal_names(text.strip())).strip()


def is_writable(declaration):
    """Whether one may write a property or an element; None for what is neither."""
    if re.search(r"\b(var|subscript)\b", declaration):
        return "{ get }" not in declaration
    return False if re.search(r"\blet\b", declaration) else None


class Framework:
    """One of Apple's frameworks: what is documented, and what we have."""

    def __init__(self, key, folder):
        self.key = key
        self.title, modules = FRAMEWORKS[key]
        self.documented = [Documented(*row) for row in rows(FOLDER / f"{key}.tsv", 4)]
        self.left_out = dict(rows(FOLDER / f"{key}-left-out.tsv", 2))
        self.accepted = dict(rows(FOLDER / f"{key}-accepted.tsv", 2))
        versions = planned_versions()
        self.waiting = []
        for framework, symbol, feature, until in rows(WAITING, 4):
            if framework == key:
                expect(
                    feature in versions or feature == NEVER,
                    f"waiting.tsv names {feature}, which PlannedFeature does not.")
                self.waiting.append((symbol, versions.get(feature, NEVER), until))
        self.ours = collections.defaultdict(list)
        found = []
        for module in modules:
            extract(module, folder)
            found += symbols(module, folder)
        # Where Swift's importer nests a class, ours is a class of its own with an alias, since extensions of classes
        # cannot hold classes that archives find by name.
        classes = {symbol.name for symbol in found if symbol.kind in ("class", "struct") and "." not in symbol.name}
        classes -= {entry.name for entry in self.documented}
        nested = collections.defaultdict(list, {name: [base] for name, base in BASE.items()})
        self.aliases = [(name, f"{base}<any NSFetchRequestResult>") for name, base in BASE.items()]
        for symbol in found:
            alias = ALIAS.match(symbol.declaration)
            if "." in symbol.name and alias and alias[1] in classes:
                nested[alias[1]].append(symbol.name)
                self.aliases.append((alias[1], nested[alias[1]][0]))
                self.aliases.append((symbol.name, nested[alias[1]][0]))
            elif "." in symbol.name and alias:
                self.aliases.append((symbol.name, alias[1]))
        for symbol in found:
            first, _, rest = symbol.name.partition(".")
            for owner in nested.get(first, [first]):
                self.ours[owner + ("." + rest if rest else "")].append(symbol)
        self.used = set()

    def reason(self, table, name):
        """The reason for a symbol: its own, or that of the type it belongs to ('Type.*')."""
        parts = name.split(".")
        for key in [name, *[".".join(parts[:count]) + ".*" for count in range(len(parts), 0, -1)]]:
            if key in table:
                self.used.add((id(table), key))
                return table[key]
        return None

    def difference(self, entry):
        """What tells our declaration from the documented one, or None."""
        candidates = self.ours.get(entry.name, [])
        if not candidates:
            return "missing"
        last = entry.name.rpartition(".")[2]
        wanted = self.simple(entry.declaration, last)
        # The class itself before its alias.
        candidates = sorted(candidates, key=lambda symbol: symbol.kind == "typealias")
        same = [symbol for symbol in candidates if self.simple(symbol.declaration, last) == wanted]
        if not same:
            return f"is `{candidates[0].declaration}`"
        symbol = same[0]
        if is_writable(entry.declaration) and is_writable(symbol.declaration) is False:
            return "can only be read"
        if "@preconcurrency" in entry.declaration and "->" in entry.declaration and "@Sendable" not in symbol.declaration:
            return "takes a closure that is not `@Sendable`"
        if re.match(r"(@\S+ )*class \w", entry.declaration) and not re.match(r"(@\S+ )*class (var|func)", entry.declaration):
            if not symbol.is_open:
                return "cannot be subclassed"
        return self.closed(entry, symbol)

    def simple(self, declaration, last):
        """The declaration for comparison; a type by its last name alone."""
        text = normalized(declaration, self.aliases)
        return re.sub(r"^(class|struct|enum|protocol) [\w.]+$", rf"\1 {last}", text)

    def closed(self, entry, symbol):
        """Whether a member of a class that can be subclassed cannot be overridden, although Apple's can: those that
        the importer makes of Objective-C, which are neither generic nor asynchronous nor know of Result."""
        owner = self.ours.get(entry.name.rpartition(".")[0], [])
        if not (owner and owner[0].kind == "class" and owner[0].is_open) or symbol.is_open:
            return None
        if symbol.kind not in ("method", "property", "type.method", "type.property"):
            return None
        if re.search(r"\basync\b|\bResult<|<\w+>\(|\bfinal\b|\bstatic\b", entry.declaration):
            return None
        return "cannot be overridden"

    def compare(self):
        """(what is wrong, what is in the tables without need)."""
        faults = []
        for entry in self.documented:
            if self.reason(self.left_out, entry.name):
                if entry.name in self.ours:
                    faults.append(f"{entry.name} is said to be left out, but it is there.")
                continue
            difference = self.difference(entry)
            if difference and not self.reason(self.accepted, entry.name):
                faults.append(f"{entry.name} {difference}; documented: `{entry.declaration}`")
        for label, table in (("left-out", self.left_out), ("accepted", self.accepted)):
            for key in table:
                if (id(table), key) not in self.used:
                    faults.append(f"{self.key}-{label}.tsv names {key}, which nothing needs.")
        return faults

    def waits_for(self, name):
        for prefix, version, _ in self.waiting:
            if name == prefix or name.startswith(prefix + ".") or name.startswith(prefix + "("):
                return version
        return None


def page(frameworks):
    """Documentation/Conformance.md."""
    lines = [
        "# Conformance", "",
        "Every symbol that Apple's public reference documents for CloudKit and Core Data, and what this repository has",
        "of it. `scripts/tests/conformance.py --write` makes this page from the modules' symbol graphs and the tables in",
        "[conformance](conformance/README.md); `make test` fails when it is out of date.", "",
        "The comparison is one of names and signatures, made on Linux. Behaviour is tested by the suites; nothing here was",
        "run on Apple's platforms.", "",
        "| framework | documented | here | of them waiting for the service | left out |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for framework in frameworks:
        out = [entry for entry in framework.documented if framework.reason(framework.left_out, entry.name)]
        waiting = [
            entry for entry in framework.documented if entry not in out and framework.waits_for(entry.name)]
        lines.append(
            f"| {framework.title} | {len(framework.documented)} | {len(framework.documented) - len(out)} "
            f"| {len(waiting)} | {len(out)} |")
    for framework in frameworks:
        lines += ["", f"## {framework.title}", "", "### Left out", "", "| symbol | reason |", "| --- | --- |"]
        lines += [f"| `{name}` | {why} |" for name, why in sorted(framework.left_out.items())]
        lines += ["", "### Waiting for the service", "",
                  "These are whole as values: they can be made, changed, copied, archived and compared. What they ask the",
                  "service for fails with an error that names the version or, where there will be none, what to use, unless the",
                  "table says otherwise.", "",
                  "| symbol | served from version | until then |", "| --- | --- | --- |"]
        lines += [f"| `{name}` | {version} | {until} |" for name, version, until in framework.waiting]
        lines += ["", "### Differences that are accepted", "", "| symbol | reason |", "| --- | --- |"]
        lines += [f"| `{name}` | {why} |" for name, why in sorted(framework.accepted.items())]
        lines += ["", "### All symbols", "", "| symbol | since | |", "| --- | --- | --- |"]
        for name, entries in by_name(framework.documented):
            out = framework.reason(framework.left_out, name)
            notes = [note for note in (entries[0].note, "left out" if out else "", waiting_note(framework, name)) if note]
            lines.append(f"| `{name}` | {'' if out else entries[0].since} | {', '.join(notes)} |")
    return "\n".join(lines) + "\n"


def waiting_note(framework, name):
    version = framework.waits_for(name)
    return "" if not version else "service never" if version == NEVER else f"service from {version}"


def by_name(documented):
    grouped = {}
    for entry in documented:
        grouped.setdefault(entry.name, []).append(entry)
    return grouped.items()


def test():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--write", action="store_true", help="write Documentation/Conformance.md")
    write = arguments.parse_args().write
    with Workplace("conformance") as work:
        frameworks = [Framework(key, pathlib.Path(work.path)) for key in FRAMEWORKS]
        faults = [fault for framework in frameworks for fault in framework.compare()]
        text = page(frameworks)
    if write:
        PAGE.write_text(text)
    expect(not faults, f"{len(faults)} symbols differ from what is documented:\n" + "\n".join(faults))
    expect(PAGE.exists() and PAGE.read_text() == text,
           "Documentation/Conformance.md is out of date. Write it: scripts/tests/conformance.py --write")
    for framework in frameworks:
        print(f"  {framework.title}: {len(framework.documented)} documented symbols compared")


if __name__ == "__main__":
    main(test)
