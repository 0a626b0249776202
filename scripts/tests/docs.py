#!/usr/bin/env python3
"""The documentation of the modules that `make docs` writes is without warnings: links lead somewhere, and a function
that says something of one parameter says it of all. What throws says what and when: by `- Throws:`, or in the comment of
its type, as 'Every method throws …'. Reads the modules that were built; pages are written and thrown away."""

import re
import subprocess

from support import ROOT, Workplace, expect, main
from symbolgraphs import extract, symbols


def modules():
    """Those of `make docs`."""
    text = (ROOT / "Makefile").read_text().replace("\\\n", " ")
    return re.search(r"^MODULES = (.*)$", text, re.MULTILINE).group(1).split()


def ask(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=300, cwd=ROOT)
    said = done.stdout + done.stderr
    expect(done.returncode == 0, f"{command[0]} ends with {done.returncode}:\n{said[-4000:]}")
    return said


def silent(module, graphs):
    """What throws without saying so."""
    found = symbols(module, graphs)
    saying = {symbol.name for symbol in found if "Every method throws" in symbol.comment}
    return [
        f"{symbol.place}: {symbol.name} throws, and does not say what and when."
        for symbol in found
        if symbol.throws and "- Throws:" not in symbol.comment and symbol.name.partition(".")[0] not in saying]


def test():
    faults = []
    throwing = 0
    with Workplace("docs") as work:
        for module in modules():
            graphs = work.path / module
            graphs.mkdir()
            extract(module, graphs, "-emit-extension-block-symbols")
            faults += silent(module, graphs)
            throwing += sum(symbol.throws for symbol in symbols(module, graphs))
            catalog = ROOT / f"Sources/{module}/{module}.docc"
            said = ask(
                "docc", "convert", *([catalog] if catalog.is_dir() else []), "--additional-symbol-graph-dir", graphs,
                "--fallback-display-name", module, "--fallback-bundle-identifier", module,
                "--output-path", work.path / f"{module}.doccarchive")
            faults += [f"{module}: {fault}" for fault in re.findall(r"(?:warning|error): .*(?:\n\s*-->.*)?", said)]
        expect(throwing > 400, f"Only {throwing} throw: the graphs are read wrongly.")
        expect(not faults, "The documentation has faults:\n" + "\n".join(faults))
        print(f"  {len(modules())} modules are documented without a warning; {throwing} declarations say what they throw")


if __name__ == "__main__":
    main(test)
