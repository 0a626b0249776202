"""Makes what people install: `make package`, or `python3 scripts/package [--binary FILE] [--output FOLDER]`.

Everything is made from one static binary by Debian's own tools, without a container engine, and is the same to the
last byte each time from the same binary: all times are the commit's, or SOURCE_DATE_EPOCH.
"""

import argparse
import pathlib
import shutil

import binary
import deb
import notices
import oci
import sums
import tarball
from release import ROOT, Release


def main():
    parser = argparse.ArgumentParser(prog="package", description=__doc__.split("\n")[0])
    parser.add_argument("--binary", type=pathlib.Path, help="a static binary that already exists, with its symbols")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "dist", help="the folder of the packages")
    parser.add_argument("--jobs", type=int, help="how many processes build at once")
    options = parser.parse_args()
    built = options.binary or binary.build(options.jobs)
    release = Release.of(built)
    print(f"stratus {release.version} of commit {release.commit}, all times as of {release.epoch}")
    shutil.rmtree(options.output, ignore_errors=True)
    work = options.output / "work"
    work.mkdir(parents=True)
    program = binary.split(built, work, release)
    texts = notices.write(work, binary.SCRATCH / "checkouts")
    made = [
        deb.make(release, program, texts, work, options.output),
        tarball.make(release, program, texts, work, options.output),
        tarball.make_symbols(release, program, options.output),
        oci.make(release, program, texts, work, options.output),
    ]
    made.append(sums.write(options.output, made))
    shutil.rmtree(work)
    for path in made:
        print(f"  {path.stat().st_size / 1e6:8.1f} MB  {path}")


if __name__ == "__main__":
    main()
