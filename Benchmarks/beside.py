#!/usr/bin/env python3
"""What writers wait beside a backup, and beside archiving.

    swift build -c release --product stratus
    Benchmarks/beside.py [--rounds 5] [--seconds 4]

Two servers on directories of their own, one of them with --archive-to. Four connections send single creates without a pause. Each
round has a run of three kinds, every second round in reverse order: nothing beside, `stratus backup` again and again beside (to the same disk),
and the log archived. Prints for each the median over the rounds of p50 and p99 in milliseconds and of the creates a second, and
the ratio of each round's p99 to that of nothing beside; exits with 1 where the median ratio is above 2.
"""

import argparse
import http.client
import json
import os
import pathlib
import statistics
import sys
import tempfile
import threading
import time

from run import ROOT, Stratus

CONNECTIONS = 4
KINDS = ["alone", "beside a backup", "archived"]
GOAL = 2.0


class Server(Stratus):
    environment = Stratus.environment | {"STRATUS_ADDRESS_RATE": "0"}

    def __init__(self, binary, home, *more):
        self.options = ("--log-level", "error", *more)
        super().__init__(binary, home, 0)
        self.backups = home / "backups"

    def load(self, count):
        pass

    def creates(self, seconds, has_backup):
        """The times of creates in milliseconds, sorted, and how many backups were made meanwhile."""
        end = time.monotonic() + seconds
        times, backups, lock = [], 0, threading.Lock()

        def write(number):
            connection = http.client.HTTPConnection("127.0.0.1", self.process.port, timeout=30)
            mine = []
            while time.monotonic() < end:
                body = json.dumps({"operations": [{"operationType": "create", "record": {
                    "recordType": "Player", "fields": {"name": {"value": f"Player {number}"}, "note": {"value": "x" * 300}}}}]})
                start = time.perf_counter()
                connection.request("POST", self.path("records/modify"), body)
                answer = connection.getresponse()
                answer.read()
                mine.append((time.perf_counter() - start) * 1_000)
                assert answer.status == 200, answer.status
            connection.close()
            with lock:
                times.extend(mine)

        threads = [threading.Thread(target=write, args=(number,)) for number in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        while has_backup and time.monotonic() < end:
            self.command("backup", str(self.backups), "--keep", "1")
            backups += 1
        for thread in threads:
            thread.join()
        return sorted(times), backups


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=4)
    options = parser.parse_args()
    binary = os.environ.get("STRATUS") or str(ROOT / ".build/release/stratus")
    with tempfile.TemporaryDirectory(prefix="stratus-beside-") as home:
        home = pathlib.Path(home)
        (home / "plain").mkdir()
        (home / "kept").mkdir()
        plain = Server(binary, home / "plain")
        kept = Server(binary, home / "kept", "--archive-to", str(home / "archive"))
        found = {kind: [] for kind in KINDS}
        try:
            for server in (plain, kept):
                server.creates(options.seconds, False)
            for number in range(options.rounds):
                for kind in KINDS if number % 2 == 0 else reversed(KINDS):
                    server = kept if kind == "archived" else plain
                    times, backups = server.creates(options.seconds, kind == "beside a backup")
                    found[kind].append((
                        times[len(times) // 2], times[len(times) * 99 // 100], len(times) / options.seconds, backups))
        finally:
            for server in (plain, kept):
                server.process.stop()
    worst = 0
    for kind in KINDS:
        ratios = [one[1] / alone[1] for one, alone in zip(found[kind], found["alone"])]
        p50, p99, rate, backups = (statistics.median(one[index] for one in found[kind]) for index in range(4))
        ratio = statistics.median(ratios)
        worst = max(worst, ratio)
        print(f"{kind:16} p50 {p50:7.2f} ms   p99 {p99:7.2f} ms   {rate:7.0f}/s   p99 to alone {ratio:5.2f} "
              f"({min(ratios):.2f} to {max(ratios):.2f})   {backups:.0f} backups a run")
    return 1 if worst > GOAL else 0


if __name__ == "__main__":
    sys.exit(main())
