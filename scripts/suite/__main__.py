#!/usr/bin/env python3
"""Runs the steps of `make check`, `make test` or `make night` (steps.py), some beside each other, and says how each ended.

Goes on after a failure, and ends with what went wrong, since a long log is often seen only by its end. The seconds of
each step are printed, slowest first, and kept in .build/steps.tsv. A night writes a page named after its date into Documentation/nights as well.

    python3 scripts/suite check
    python3 scripts/suite test --only s3.py lint       some steps; --list shows their names and commands
    python3 scripts/suite night --seed 7               the night of 7 again

The steps are processes, and not functions of a language, so a runner of functions such as pytest would add three packages
and still need all of this: lanes of what works and what waits, limits of time, and the lines of a log that tell why.
"""

import argparse
import concurrent.futures
import contextlib
import datetime
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from steps import PREPARATIONS, ROOT, SCRIPTS, STEPS

# Steps that work, and beside them steps that mostly wait: for browsers, for servers that were killed, for the next try.
WORKING, WAITING = 2, 2
# Lines of a run that say nothing but that it goes on, or that a stopped server's connections were cancelled.
PASSING = re.compile(r"^(◇|✔ (Test|Suite) [^r]|CoreData: Core Data met an error|\[\d+/\d+\] )|Waiting on child channel: Cancel")
WRONG = re.compile(r"^Current thread|recorded an issue|[Ff]atal error|error:|^(ERROR|FAIL|not ok)|Error:|Assertion failed")


class Outcome:
    """How a step ended: its status (None after its time was over), its seconds, and its log."""

    def __init__(self, step, status, seconds, log):
        self.step, self.status, self.seconds, self.log = step, status, seconds, log

    @property
    def word(self):
        if self.status is None:
            return f"FAILED: more than {self.step.seconds} s"
        return "ok" if self.status == 0 else f"FAILED: exit {self.status}"

    def lines(self):
        """What it printed, without the tests that passed."""
        return [line for line in self.log.read_text(errors="replace").splitlines() if not PASSING.search(line)]

    def complaint(self):
        """The lines that say what is wrong, or the last ones; and the tests that began and did not end."""
        lines = self.lines()
        wrong = [number for number, line in enumerate(lines) if WRONG.search(line)]
        shown = sorted({near for number in wrong for near in range(number, min(number + 3, len(lines)))})[:20]
        said = [lines[number][:400] for number in shown] or [line[:400] for line in lines[-12:]]
        text = self.log.read_text(errors="replace")
        begun = re.findall(r"^◇ Test (?!case passing|run )(.*) started\.$", text, re.MULTILINE)
        ended = set(re.findall(
            r"^[✔✘➜━] Test (.*?)(?: with \d+ test cases?)? (?:(?:passed|failed) after|skipped)", text, re.MULTILINE))
        return said + [f"did not end: {name}" for name in begun if name not in ended][:8]


class Suite:
    """The steps of one run, and how they ended so far."""

    def __init__(self, run, steps, seed):
        self.run, self.steps, self.seed = run, steps, seed
        self.outcomes = []
        self.begun = time.monotonic()
        self.printing = threading.Lock()
        # All temporary files in one folder, so that none stays when a test is killed. Its name is short, since sockets lie in
        # it, and PostgreSQL, which runs as a user of its own where root runs the tests, has to get through.
        self.scratch = pathlib.Path(tempfile.mkdtemp(prefix="stratus-run."))
        self.scratch.chmod(0o711)
        suites = ROOT / ".build/debug/stratusPackageTests.xctest"
        self.environment = os.environ | {
            "STRATUS": os.environ.get("STRATUS", str(ROOT / ".build/debug/stratus")), "TMPDIR": str(self.scratch),
            "SOAK": str(ROOT / ".build-soak/release/stratus"), "SUITES": f"{suites} --testing-library swift-testing", "SEED": str(seed),
            # A seed is the same run each time only where dictionaries of values have the same order each time.
            "SWIFT_DETERMINISTIC_HASHING": "1",
            # All at once, a thousand tests starve each other's servers and timers.
            "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "4",
        }
        if run == "night":
            self.environment["STRATUS_SOAK"] = "1"

    def perform(self, step):
        """Runs a step to its end or the end of its time, and prints what of its output is worth reading."""
        log = self.scratch / f"{step.name.replace('/', '-')}.log"
        start = time.monotonic()
        self.say(f".. {step.name}")
        with open(log, "wb") as output:
            process = subprocess.Popen(
                ["bash", "-c", step.command(self.run)], cwd=ROOT, env=self.environment, stdin=subprocess.DEVNULL,
                stdout=output, stderr=subprocess.STDOUT, start_new_session=True)
            try:
                status = process.wait(step.seconds)
            except subprocess.TimeoutExpired:
                status = None
                end(process)
        outcome = Outcome(step, status, time.monotonic() - start, log)
        self.outcomes.append(outcome)
        lines = outcome.lines()
        self.say(f"== {step.name}: {outcome.word}, {outcome.seconds:.0f} s", *(lines[-6:] if status == 0 else lines))

    def say(self, *lines):
        with self.printing:
            print("", *lines, sep="\n", flush=True)

    def build(self):
        """What all other steps need: one debug build with all tests, and what a night needs besides."""
        for step in PREPARATIONS:
            if step.command(self.run) is None:
                continue
            self.perform(step)
            if self.outcomes[-1].status != 0:
                return False
        return True

    def all(self):
        """Runs the steps, so many of each kind beside each other."""
        with (concurrent.futures.ThreadPoolExecutor(WORKING) as working,
              concurrent.futures.ThreadPoolExecutor(WAITING) as waiting):
            tasks = [(waiting if step.waits else working).submit(self.perform, step) for step in self.steps]
            for task in tasks:
                task.result()

    def finish(self):
        """Prints and keeps the seconds of each step and what failed; the number of steps that failed."""
        slowest = sorted(self.outcomes, key=lambda outcome: -outcome.seconds)
        failed = [outcome for outcome in slowest if outcome.status != 0]
        self.say("== Summary", *(f"{one.step.name:<34} {one.seconds:5.0f} s   {one.word}" for one in slowest),
                 f"{'in all':<34} {time.monotonic() - self.begun:5.0f} s")
        kept = ROOT / ".build/steps.tsv"
        kept.parent.mkdir(exist_ok=True)
        kept.write_text("".join(f"{one.step.name}\t{one.seconds:.1f}\t{one.word}\n" for one in slowest))
        if self.run == "night":
            self.report(slowest)
        if failed:
            self.say("== What failed", *(line for one in failed for line in (f"-- {one.step.name}", *one.complaint())),
                     f"The temporary files are in {self.scratch}.")
        else:
            shutil.rmtree(self.scratch, ignore_errors=True)
        print(f"\n{len(slowest) - len(failed)} passed, {len(failed)} failed", flush=True)
        return len(failed)

    def report(self, slowest):
        """Writes what a night ran, with its seed and the last line that each step printed."""
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
        today = datetime.date.today()
        lines = [f"# Night of {today}", "", f"Commit {commit}, `make night ARGS='--seed {self.seed}'`.", "",
                 "| step | seconds | end | its last line |", "| --- | --- | --- | --- |"]
        for one in slowest:
            last = next((line for line in reversed(one.lines()) if line.strip()), "").replace("|", "\\|")[:200]
            lines.append(f"| {one.step.name} | {one.seconds:.0f} | {one.word} | {last} |")
        folder = ROOT / "Documentation/nights"
        folder.mkdir(exist_ok=True)
        (folder / f"{today}.md").write_text("\n".join(lines) + "\n")


def end(process):
    """Ends a step and all that it started, after a script has shown where each of its threads is."""
    with contextlib.suppress(ProcessLookupError, subprocess.TimeoutExpired):
        process.send_signal(signal.SIGUSR1)
        process.wait(2)
    for sign, patience in ((signal.SIGTERM, 20), (signal.SIGKILL, 20)):
        try:
            os.killpg(process.pid, sign)
            process.wait(patience)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue


def chosen(run, names):
    """The steps of a run; all of scripts/tests have to be in the table, so that none is forgotten."""
    known = {step.name for step in STEPS}
    scripts = {path.name for path in SCRIPTS.iterdir() if path.is_file() and os.access(path, os.X_OK)}
    if scripts - known - {"__pycache__"}:
        sys.exit(f"scripts/suite/steps.py has no row for {', '.join(sorted(scripts - known))}.")
    if set(names) - known:
        sys.exit(f"There is no step {', '.join(sorted(set(names) - known))}; --list shows their names.")
    return [step for step in STEPS if step.command(run) and (not names or step.name in names)]


def main():
    parser = argparse.ArgumentParser(prog="scripts/suite", description=__doc__.split("\n")[0])
    parser.add_argument("run", choices=("check", "test", "night"))
    parser.add_argument("--only", nargs="+", default=[], metavar="STEP", help="some steps alone")
    parser.add_argument("--list", action="store_true", help="show the steps and their commands, run nothing")
    parser.add_argument("--no-build", action="store_true", help="use what is built")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32), help="of a night")
    options = parser.parse_args()
    steps = chosen(options.run, options.only)
    if options.list:
        for step in steps:
            print(f"{step.name:<30} {step.command(options.run)}")
        return
    suite = Suite(options.run, steps, options.seed)
    if options.no_build or suite.build():
        suite.all()
    sys.exit(1 if suite.finish() else 0)


if __name__ == "__main__":
    main()
