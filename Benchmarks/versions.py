#!/usr/bin/env python3
"""What keeping versions of records costs: creates, changes and deletions with it off and on, beside each other.

    swift build -c release --product stratus
    Benchmarks/versions.py [--seconds 3] [--rounds 5]

One server on an empty directory, two record types: of 'Plain' no versions are kept, of 'Kept' 20 for 30 days. Each round has a run
of each, every second round in reverse order, with batches of 50 operations over 8 connections. Prints the median of the operations a
second and of the server's CPU time for each, and exits with 1 where a create with versions takes more than 1.2 times the CPU time of
one without.
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

from run import CONTAINER, ROOT, Stratus

TYPES = ["Plain", "Kept"]
WORK = ["create", "forceUpdate", "forceDelete"]
BATCH = 50
CONNECTIONS = 8
GOAL = 1.2


def body(operation, record_type, names):
    operations = []
    for name in names:
        record = {"recordName": name, "recordType": record_type}
        if operation != "forceDelete":
            record["fields"] = {
                "name": {"value": f"Player {name}"}, "city": {"value": "Lisbon"}, "rating": {"value": len(name)},
                "note": {"value": "x" * 300}}
        operations.append({"operationType": operation, "record": record})
    return json.dumps({"operations": operations, "desiredKeys": []}).encode()


class Bench(Stratus):
    database = "private"

    def __init__(self, binary, work):
        self.counter = 0
        self.lock = threading.Lock()
        super().__init__(binary, work, 1)

    def load(self, count):
        for record_type in TYPES:
            self.send(self.link.connection, body("create", record_type, [f"first-{record_type}"]))
        self.command("versions", "keep", "Kept", "--count", "20", "--days", "30", "--container", CONTAINER)
        time.sleep(1)

    def send(self, connection, content):
        connection.request("POST", self.path("records/modify"), content, {"content-type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 200 or b"serverErrorCode" in text:
            sys.exit(f"The server answered {answer.status}: {text[:300]!r}")

    def names(self):
        """Names of its own for each batch of new records."""
        with self.lock:
            self.counter += 1
            return [f"r{self.counter}-{index}" for index in range(BATCH)]

    def run(self, operation, record_type, pool, seconds):
        """Operations a second, and the server's CPU time for each in microseconds."""
        done = []
        made = []
        end = time.monotonic() + seconds

        def work():
            connection = http.client.HTTPConnection("127.0.0.1", self.process.port)
            count = 0
            while time.monotonic() < end:
                if operation == "create":
                    names = self.names()
                elif operation == "forceUpdate":
                    names = pool[hash((threading.get_ident(), count)) % len(pool)]
                else:
                    with self.lock:
                        if not pool:
                            break
                        names = pool.pop()
                self.send(connection, body(operation, record_type, names))
                count += BATCH
                if operation == "create":
                    made.append(names)
            done.append(count)

        before, start = self.process.cpu_seconds(), time.monotonic()
        threads = [threading.Thread(target=work) for _ in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        total = sum(done)
        spent = self.process.cpu_seconds() - before
        return total / (time.monotonic() - start), spent / total * 1e6, made


def measure(bench, rounds, seconds):
    results = {(work, kind): [] for work in WORK for kind in TYPES}
    pools = {kind: [] for kind in TYPES}
    for number in range(rounds):
        for work in WORK:
            for kind in (TYPES if number % 2 == 0 else TYPES[::-1]):
                rate, cost, made = bench.run(work, kind, pools[kind], seconds)
                pools[kind] += made
                results[work, kind].append((rate, cost))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    binary = os.environ.get("STRATUS") or ROOT / ".build/release/stratus"
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(binary, pathlib.Path(work))
        try:
            results = measure(bench, arguments.rounds, arguments.seconds)
        finally:
            bench.process.stop()
    ratio = 0
    rows = []
    for work in WORK:
        values = {}
        for kind in TYPES:
            values[kind] = [statistics.median(part) for part in zip(*results[work, kind])]
        off, on = values["Plain"], values["Kept"]
        rows.append((work, off, on))
        if work == "create":
            ratio = on[1] / off[1]
    if arguments.json:
        print(json.dumps([{"work": work, "off": off, "on": on} for work, off, on in rows]))
    else:
        print("| batches of 50 | off: operations/s | on: operations/s | off: CPU µs each | on: CPU µs each | CPU on : off |")
        print("|---|---|---|---|---|---|")
        for work, off, on in rows:
            print(f"| `{work}` | {off[0]:,.0f} | {on[0]:,.0f} | {off[1]:,.1f} | {on[1]:,.1f} | {on[1] / off[1]:.2f} |")
    sys.exit(0 if ratio <= GOAL else 1)


if __name__ == "__main__":
    main()
