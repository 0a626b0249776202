#!/usr/bin/env python3
"""Whoever reads a citation can follow it: each document of the project that a comment or a page names is in the
repository, with the heading that is named.

- Sources, tests and scripts cite by path from the root: `Documentation/Protocol.md, 'Change tags'`.
- Pages link to each other: `[…](Durability.md#the-promise)`. Links to the web are not followed.
- A path in code style, `Sources/RecordModel`, exists, from the root or from the page's folder. What CHANGELOG.md names may
  have moved since.
- The tables of files on the pages of WALKS name files below Sources, each with what it declares; no walk has more files than it may."""

import re

from support import ROOT, expect, main

CODE = (".swift", ".py", ".sh", ".js", ".ts", ".h", ".c", ".json", ".mustache", ".css")
FOLDERS = ("Sources", "Tests", "Plugins", "Examples", "Benchmarks", "Companions", "scripts", "Documentation", ".ci")
PARTS_LEFT_OUT = {".build", ".build-foreign", "node_modules", "__pycache__", "results", "docs-build"}

CITATION = re.compile(r"(?<![\w./-])((?:[\w.-]+/)*[\w-]+\.md)\b(?:\)?,\s+'(.+?)'(?=\W|$))?")
LINK = re.compile(r"\]\(([^)\s]+)\)")
REFERENCE = re.compile(r"\]\[([^\]]+)\]")
DEFINITION = re.compile(r"^\[([^\]]+)\]: ", re.MULTILINE)
PATH = re.compile(r"`((?:" + "|".join(map(re.escape, FOLDERS)) + r")/[^`\s*…]*)`")
# A row of a walk through the sources: its number, the file, and names that the file declares.
ROW = re.compile(r"^\| (\d+) \| `([\w/+.]+\.swift)` \| ([^|]+) \|", re.MULTILINE)
# The most files of each walk below the one it starts from, whose number is 0.
WALKS = {"Documentation/Inside/Query.md": 25, "Documentation/Inside/Write.md": 32, "Documentation/Inside/Save.md": 14}
# A path in the reader's own package.
OTHERS = {"Sources/App"}
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
# A comment that goes on in the next line.
BREAK = re.compile(r"\n[ \t]*(?:///?|#|\*)?[ \t]*")


def files(*suffixes):
    for path in sorted(ROOT.glob("*")):
        if path.suffix in suffixes:
            yield path
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in suffixes and not PARTS_LEFT_OUT & set(path.parts) and path.is_file():
                yield path


def headings(path, known={}):
    """The headings of a page as they are written, and as the ends of addresses."""
    if path not in known:
        text = FENCE.sub("", path.read_text())
        titles = [re.sub(r"[`*]", "", title).strip() for title in re.findall(r"^#+ (.+)$", text, re.MULTILINE)]
        anchors = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
        known[path] = set(titles), anchors
    return known[path]


def faults_of_code(path):
    """Citations in comments and texts; a document's name without a folder may be one of the root."""
    for name, heading in CITATION.findall(BREAK.sub(" ", path.read_text(errors="replace"))):
        page = ROOT / name
        if not page.is_file():
            # Written beside what it documents: a module's catalogue, an example's README.
            page = next((found for folder in FOLDERS for found in (ROOT / folder).glob(f"**/{name}")), None)
        if page is None:
            yield f"{name} is not in the repository"
        elif heading and heading not in headings(page)[0]:
            yield f"{name} has no heading '{heading}'"


def faults_of_page(path):
    text = FENCE.sub("", path.read_text())
    for link in LINK.findall(text):
        if re.match(r"[a-z]+:", link):
            continue
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        if not target.exists():
            yield f"the link {link} leads nowhere"
        elif anchor and anchor not in headings(target)[1]:
            yield f"{target.name} has no heading #{anchor}"
    for name, heading in re.findall(r"\]\(([^)\s]+\.md)\),\s+'(.+?)'(?=\W|$)", text):
        page = path.parent / name
        if page.is_file() and heading not in headings(page)[0]:
            yield f"{name} has no heading '{heading}'"
    for name in PATH.findall(text) if path.name != "CHANGELOG.md" else ():
        if name not in OTHERS and not (ROOT / name).exists() and not (path.parent / name).exists():
            yield f"there is no {name}"
    defined, used = set(DEFINITION.findall(text)), set(REFERENCE.findall(text))
    used |= {name for name in defined if re.search(rf"\[{re.escape(name)}\](?![:\[(])", text)}
    for name in sorted(used - defined):
        yield f"[{name}] is not defined"
    for name in sorted(defined - used):
        yield f"[{name}] is defined and not used"


def faults_of_walk(page, most):
    rows = ROW.findall((ROOT / page).read_text())
    below = [row for row in rows if row[0] != "0"]
    if [int(number) for number, _, _ in below] != list(range(1, len(below) + 1)):
        yield f"{page}: the rows are not numbered from 1 on"
    if not 0 < len(below) <= most:
        yield f"{page}: the walk has {len(below)} files; {most} is the most"
    for _, path, names in rows:
        file = ROOT / "Sources" / path
        if not file.is_file():
            yield f"{page}: there is no Sources/{path}"
            continue
        text = file.read_text()
        for name in re.findall(r"`(\w+)`", names):
            declared = r"\binit[?(<]" if name == "init" else rf"\b(?:func|var|let|struct|class|enum|actor|protocol) {name}\b"
            if not re.search(declared, text):
                yield f"{page}: {path} does not declare {name}"


def test():
    faults, count = [], 0
    for path in files(*CODE):
        if path.name != "citations.py":
            count += 1
            faults += [f"{path.relative_to(ROOT)}: {fault}" for fault in faults_of_code(path)]
    for path in files(".md"):
        # Pages of modules' catalogues have links of DocC, which docs.py checks.
        if ".docc" not in str(path):
            count += 1
            faults += [f"{path.relative_to(ROOT)}: {fault}" for fault in faults_of_page(path)]
    for page, most in WALKS.items():
        faults += faults_of_walk(page, most)
    expect(not faults, "Citations lead nowhere:\n" + "\n".join(faults))
    print(f"  what {count} files cite is in the repository")


if __name__ == "__main__":
    main(test)
