#!/usr/bin/env python3
"""Several builds of Stratus beside each other: requests a second and the server's processor time for each, in turn.

    git worktree add ../before COMMIT && (cd ../before && swift build -c release --product stratus)
    Benchmarks/compare.py before=../before/.build/release/stratus now=.build/release/stratus
        [--rows one,create,first,page] [--rounds 7] [--seconds 2] [--records 20000]

Rows are those of `make bench`, with 16 connections. Each round measures every row with every build, every second one in reverse order. Each
build is compared with the first one: medians over the rounds of the ratio of both, for the rate and for the processor's time, above 1 where
it is faster. With TMPDIR=/dev/shm the files are in memory, where a disk that others use as well says nothing.
"""

import argparse
import pathlib
import statistics
import tempfile

from run import Stratus, lua, measure


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("builds", nargs="+", metavar="NAME=BINARY")
    parser.add_argument("--rows", default="one,create,first,page")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--records", type=int, default=20_000)
    return parser.parse_args()


def start(name, binary, folder, options):
    """A server with its records, and the files of requests by row."""
    home = pathlib.Path(folder) / name
    home.mkdir()
    system = Stratus(binary, home, options.records)
    system.warm()
    rows = system.rows(options.records)
    files = {}
    for row in options.rows.split(","):
        files[row] = home / f"{row}.lua"
        files[row].write_text(lua(rows[row]))
    return system, files


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="stratus-compare-") as folder:
        builds = [build.split("=", 1) for build in options.builds]
        systems = {name: start(name, pathlib.Path(binary).resolve(), folder, options) for name, binary in builds}
        found = {}
        try:
            for number in range(options.rounds):
                for row in options.rows.split(","):
                    for name in list(systems)[::-1 if number % 2 else 1]:
                        system, files = systems[name]
                        found.setdefault((row, name), []).append(measure(system.process, files[row], options.seconds))
        finally:
            for system, _ in systems.values():
                system.process.stop()
    first = builds[0][0]
    print(f"| row | build | requests/s | CPU µs | p99 ms | rate to {first} | CPU to {first} | others' cores | failed |")
    print("|---|---|---|---|---|---|---|---|---|")
    for row in options.rows.split(","):
        for name in systems:
            runs = found[row, name]
            middle = {key: statistics.median(run[key] for run in runs) for key in ("rate", "cpu", "p99", "others")}
            pairs = list(zip(found[row, first], runs))
            rate = statistics.median(this["rate"] / base["rate"] for base, this in pairs)
            cpu = statistics.median(base["cpu"] / this["cpu"] for base, this in pairs)
            print(f"| {row} | {name} | {middle['rate']:,.0f} | {middle['cpu']:.1f} | {middle['p99']:.2f} | {rate:.3f} | {cpu:.3f} "
                  f"| {middle['others']:.2f} | {sum(run['failed'] for run in runs)} |")


if __name__ == "__main__":
    main()
