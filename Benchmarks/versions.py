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
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent
CONTAINER = "iCloud.bench"
TYPES = ["Plain", "Kept"]
WORK = ["create", "forceUpdate", "forceDelete"]
BATCH = 50
CONNECTIONS = 8
GOAL = 1.2


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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


class Bench:
    def __init__(self, binary, data, port):
        self.data, self.port, self.binary = data, port, binary
        self.counter = 0
        self.lock = threading.Lock()

    def command(self, *arguments):
        return subprocess.run(
            [self.binary, *arguments, "--container", CONTAINER, "--data", self.data, "--json"], check=True,
            capture_output=True, text=True).stdout

    def open(self):
        for _ in range(200):
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{self.port}/readyz").read()
                break
            except OSError:
                time.sleep(0.1)
        self.command("user", "add", "bench")
        api = json.loads(self.command("token", "create"))["token"]
        user = json.loads(self.command("token", "create", "--user", "bench"))["token"]
        self.path = (f"/database/1/{CONTAINER}/development/private/records/modify"
                     f"?ckAPIToken={api}&ckWebAuthToken={user}")
        connection = http.client.HTTPConnection("127.0.0.1", self.port)
        for record_type in TYPES:
            self.send(connection, body("create", record_type, [f"first-{record_type}"]))
        self.command("versions", "keep", "Kept", "--count", "20", "--days", "30")
        time.sleep(1)

    def send(self, connection, content):
        connection.request("POST", self.path, content, {"content-type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        if answer.status != 200 or b"serverErrorCode" in text:
            sys.exit(f"The server answered {answer.status}: {text[:300]!r}")

    def names(self):
        """Names of its own for each batch of new records."""
        with self.lock:
            self.counter += 1
            return [f"r{self.counter}-{index}" for index in range(BATCH)]

    def run(self, operation, record_type, pool, seconds, server):
        """Operations a second, and the server's CPU time for each in microseconds."""
        done = []
        made = []
        end = time.monotonic() + seconds

        def work():
            connection = http.client.HTTPConnection("127.0.0.1", self.port)
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

        before, start = cpu_seconds(server), time.monotonic()
        threads = [threading.Thread(target=work) for _ in range(CONNECTIONS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        total = sum(done)
        spent = cpu_seconds(server) - before
        return total / (time.monotonic() - start), spent / total * 1e6, made


def measure(bench, server, rounds, seconds):
    results = {(work, kind): [] for work in WORK for kind in TYPES}
    pools = {kind: [] for kind in TYPES}
    for number in range(rounds):
        for work in WORK:
            for kind in (TYPES if number % 2 == 0 else TYPES[::-1]):
                rate, cost, made = bench.run(work, kind, pools[kind], seconds, server)
                pools[kind] += made
                results[work, kind].append((rate, cost))
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    binary = os.environ.get("STRATUS", str(ROOT / ".build/release/stratus"))
    port = free_port()
    with tempfile.TemporaryDirectory() as data:
        server = subprocess.Popen(
            [binary, "serve", "--data", data, "--port", str(port)],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            bench = Bench(binary, data, port)
            bench.open()
            results = measure(bench, server.pid, arguments.rounds, arguments.seconds)
        finally:
            server.terminate()
            server.wait()
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
