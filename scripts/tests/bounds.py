#!/usr/bin/env python3
"""Drives the attacks and loads of bounds/ against a server, all of them at once beside a normal client.

Prints a table of what was asked and what was seen; the exit status is 1 when a bound does not hold. Where attacks share a
server, and with `--exact`, that is a bound that has to hold however slow the machine is: what takes time is shown only.

    python3 scripts/tests/bounds.py             the short form, three minutes: all that can share a server, at once
    scripts/tests/bounds.py --seconds 1800      the same for half an hour
    scripts/tests/bounds.py --each              before that, each of them against a server of its own; eight minutes
    scripts/tests/bounds.py --each --seconds 1800       the soak, on an optimized build (`make soak-bounds`)
    scripts/tests/bounds.py --only log answers  some of them, each by itself
    scripts/tests/bounds.py --only log --exact  the same as `make test` judges it
    scripts/tests/bounds.py --markdown FILE     the table for the documents as well
"""

import argparse
import importlib
import os
import pathlib
import shlex
import sys
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "bounds"))

from common import BoundsServer, MemoryWatch, NormalClient, Workplace, row  # noqa: E402
from support import ROOT, run, stratus  # noqa: E402

# What holds when all attacks run beside each other; a module with ALONE = True restarts its server or fills a disk.
MEMORY_AT_ONCE_MIB = 512
LOG_MIB = 64
# From here on it is a soak, in which an attack has at least its SOAK_SECONDS.
SOAK_SECONDS = 600


def attacks(names):
    """The modules of the folder that have `run(server, seconds)`, by name."""
    found = sorted(path.stem for path in (HERE / "bounds").glob("*.py") if path.stem != "common")
    unknown = set(names or []) - set(found)
    if unknown:
        sys.exit(f"There is no attack {', '.join(sorted(unknown))}; there are {', '.join(found)}.")
    modules = {name: importlib.import_module(name) for name in names or found}
    return {name: module for name, module in modules.items() if hasattr(module, "run")}


def alone(name, module, seconds):
    """One attack against a server of its own."""
    with Workplace(f"bounds-{name}") as workplace:
        return module.run(BoundsServer(workplace, *getattr(module, "OPTIONS", ())), seconds)


def at_once(modules, seconds):
    """All attacks that can share a server, beside a normal client: nothing stops, nothing is lost, memory and log hold.

    Gives pairs of a name and a row: those of all together, and before them what each attack saw for itself."""
    failures, refused, found = [], [], {}
    with Workplace("bounds-all") as workplace:
        server = BoundsServer(workplace)
        log = server.data / "stratus.sqlite-wal"
        largest_log = 0

        def attack(name, module):
            try:
                found[name] = module.run(server, seconds)
            except (ConnectionError, TimeoutError) as error:
                # Under all of it at once an attacker is refused or cut off, which is what the bounds are for.
                refused.append(f"{name}: {type(error).__name__}")
            except Exception as error:
                if "TRY_AGAIN_LATER" in str(error):
                    refused.append(f"{name}: TRY_AGAIN_LATER")
                else:
                    failures.append(f"{name}: {type(error).__name__}: {error}"[:200])

        with MemoryWatch(server) as memory, NormalClient(server) as normal:
            threads = [threading.Thread(target=attack, args=item, daemon=True) for item in modules.items()]
            for thread in threads:
                thread.start()
            end = time.monotonic() + seconds * 4 + 120
            while any(thread.is_alive() for thread in threads) and time.monotonic() < end:
                largest_log = max(largest_log, log.stat().st_size if log.exists() else 0)
                time.sleep(0.2)
            late = sum(thread.is_alive() for thread in threads)
        server.process.send(15)
        server.process.wait()
        doctor = run("doctor", "--data", str(server.data), check=False, seconds=900)
    together = [
        row("attacks that came to their end", "all", f"{len(modules) - late} of {len(modules)}", late == 0, exact=True),
        row("attacks that broke", "none", "; ".join(failures) or "none", not failures, exact=True),
        row("attacks that were refused or cut off", "told", "; ".join(refused) or "none", True),
        row("requests of the normal client that failed", "0", str(len(normal.failures)), not normal.failures,
            exact=True),
        row("memory at its most", f"<= {MEMORY_AT_ONCE_MIB} MiB", f"{memory.peak:.0f} MiB",
            memory.peak <= MEMORY_AT_ONCE_MIB, exact=True),
        row("log at its largest", f"<= {LOG_MIB} MiB", f"{largest_log / 2**20:.0f} MiB", largest_log <= LOG_MIB << 20,
            exact=True),
        row("create of the normal client, p99", "told", f"{normal.create_p99 or 0:.0f} ms", True),
        row("doctor afterwards", "nothing wrong", f"exit {doctor.returncode}", doctor.returncode == 0, exact=True),
    ]
    own = [(f"{name}, beside all", item) for name, rows in sorted(found.items()) for item in rows]
    return own + [("all at once", item) for item in together]


def verdict(item, only_exact):
    """How a row ended; only '**does not hold**' fails the run."""
    if item["ok"] is None:
        return "not measured"
    if item["ok"]:
        return "holds"
    return "not judged" if only_exact and not item["exact"] else "**does not hold**"


def build():
    """What was measured: the folder of the build says how it was made."""
    if "/.build-soak/" in stratus():
        return "release, with assertions"
    return "release" if "/release/" in stratus() else "debug"


def command(arguments):
    """What to type, from the repository's root, for the same rows."""
    wanted = ["--each"] if arguments.each else []
    wanted += ["--only", *arguments.only] if arguments.only else []
    wanted += ["--seconds", f"{arguments.seconds:g}"] if arguments.seconds else []
    wanted += ["--exact"] if arguments.exact else []
    path = os.path.relpath(stratus(), ROOT)
    shown = path if not path.startswith("..") else "PATH"
    return f"STRATUS={shown} scripts/tests/bounds.py {shlex.join(wanted)}".strip()


def cell(text):
    """A text that stays in its cell."""
    return str(text).replace("|", "\\|").replace("\n", " ")


def table(rows, how):
    """The rows as a table of Markdown; how is the command that made them."""
    lines = ["| attack | asked | seen | build | command |", "| --- | --- | --- | --- | --- |"]
    for name, item, end in rows:
        seen = cell(item["seen"]) + ("" if end == "holds" else f" ({end})")
        lines.append(f"| {name}: {cell(item['what'])} | {cell(item['asked'])} | {seen} | {build()} | `{how}` |")
    return "\n".join(lines) + "\n"


def show(rows, new, only_exact):
    """Prints rows that have come, and keeps them with how they ended."""
    marks = {"holds": "ok   ", "**does not hold**": "FAIL "}
    for name, item in new:
        end = verdict(item, only_exact)
        print(f"          {marks.get(end, '-    ')} {item['what']}: {item['seen']} (asked {item['asked']})"
              + ("" if end in marks else f", {end}"), flush=True)
        rows.append((name, item, end))


def least(module, seconds):
    """The fewest seconds of an attack: in a soak, what its module asks for, besides the seconds for all of them."""
    return getattr(module, "SOAK_SECONDS", 0) if (seconds or 0) >= SOAK_SECONDS else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, help="how long all of it takes, about")
    parser.add_argument("--each", action="store_true", help="each attack against a server of its own as well")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="some of the attacks")
    parser.add_argument("--exact", action="store_true", help="fail only on what holds however slow the machine is")
    parser.add_argument("--markdown", type=pathlib.Path, metavar="FILE", help="write the table there, too")
    arguments = parser.parse_args()
    modules = attacks(arguments.only)
    if arguments.each or arguments.only:
        share = max(2.0, (arguments.seconds or 120) / (len(modules) + 2))
        together = 2 * share
    else:
        # Filling the store comes before, and what is left to remove after that.
        together = arguments.seconds or 17
    rows, start = [], time.monotonic()
    for name, module in modules.items() if arguments.each or arguments.only else []:
        print(f"{time.monotonic() - start:6.0f} s  {name} …", flush=True)
        try:
            found = alone(name, module, max(share, least(module, arguments.seconds)))
        except Exception as failure:
            found = [row("ran", "to its end", f"{type(failure).__name__}: {failure}"[:300], False, exact=True)]
        show(rows, [(name, item) for item in found], arguments.exact)
    shared = {name: module for name, module in modules.items() if not getattr(module, "ALONE", False)}
    if len(shared) > 1:
        print(f"{time.monotonic() - start:6.0f} s  all at once: {', '.join(shared)} …", flush=True)
        # Beside all others, a figure of time is that of the machine.
        show(rows, at_once(shared, together), only_exact=True)
    print()
    text = table(rows, command(arguments))
    print(text)
    if arguments.markdown:
        arguments.markdown.write_text(text)
    missed = [f"{name}: {item['what']}" for name, item, end in rows if end == "**does not hold**"]
    if missed:
        sys.exit(f"error: {len(missed)} of {len(rows)} bounds do not hold: {'; '.join(missed)[:1500]}")
    held = sum(end == "holds" for _, _, end in rows)
    print(f"{held} of {len(rows)} bounds hold; the others were not judged here, or not measured.")


if __name__ == "__main__":
    main()
