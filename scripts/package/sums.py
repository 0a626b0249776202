"""SHA256SUMS, as `sha256sum --check` reads it."""

import hashlib


def write(output, paths):
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in sorted(paths)]
    target = output / "SHA256SUMS"
    target.write_text("".join(lines))
    return target
