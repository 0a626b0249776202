"""What the checks of `make lint` read: the lines of all Swift that is built here, but for tests."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[1]


def swift_files(*folders):
    """Each file's path from the repository's root, and its text."""
    for folder in folders or ("Sources", "Companions/Sources", "Examples"):
        for path in sorted((ROOT / folder).rglob("*.swift")):
            yield path.relative_to(ROOT), path.read_text()


def swift_lines():
    """Each line that is more than a comment: where it is, its code, and its index among all lines of its file."""
    for path, text in swift_files():
        lines = text.splitlines()
        for index, line in enumerate(lines):
            if code := line.partition("//")[0]:
                yield f"{path}:{index + 1}", code, lines, index
