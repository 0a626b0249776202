"""What `stratus demo` is made of: its names, sentences and pictures, which are not in the program."""

from release import ROOT

SOURCES = ROOT / "Examples/Demo"


def files():
    """The files as packages have them: name below /usr or the tarball's folder, and file."""
    for path in sorted(SOURCES.rglob("*")):
        if path.is_file():
            yield f"share/stratus/demo/{path.relative_to(SOURCES)}", path
