#!/usr/bin/env python3
"""What one user waits for a page while another sends as fast as it can from 64 connections.

    swift build -c release --product stratus
    Benchmarks/greedy.py [--rounds 7] [--seconds 4] [--rates] [--asks page|create] [--connections 64] [--kind "batches of 50"]

One server with 20,000 records. A user asks for a page of 50, by city and rating, every few milliseconds over one connection. Each round
has a run with nobody beside, and one beside each kind of greedy user: pages of the same kind, single creates, batches of 50 creates,
and queries for all records of which none fits. Rates are off, so that only fairness is measured; --rates leaves them as they are
installed. With --asks create the patient user creates single records instead. Prints the medians over the rounds of p50 and p99 in milliseconds, and the ratio of each round's p99 to that of nobody beside;
exits with 1 where the median ratio is above 3.
"""

import argparse
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time

from run import ROOT, Link, Stratus

CONNECTIONS = 64
RECORDS = 20_000
CITIES = 100
PAUSE = 0.004
GOAL = 3.0


def record(number):
    return {"recordType": "Player", "fields": {
        "city": {"value": f"City {number % CITIES}"}, "rating": {"value": number * 7_919 % 100_003},
        "note": {"value": "x" * 300}}}


def page(city):
    return {"resultsLimit": 50, "query": {
        "recordType": "Player", "sortBy": [{"fieldName": "rating", "ascending": False}],
        "filterBy": [{"fieldName": "city", "comparator": "EQUALS", "fieldValue": {"value": f"City {city}"}}]}}


def creates(count):
    return {"desiredKeys": [], "operations": [
        {"operationType": "create", "record": record(random.randrange(1_000_000))} for _ in range(count)]}


# What a greedy user sends. The last walks an index to its end, or all records, for nothing.
KINDS = {
    "pages": ("records/query", lambda: page(random.randrange(CITIES))),
    "single creates": ("records/modify", lambda: creates(1)),
    "batches of 50": ("records/modify", lambda: creates(50)),
    "batches of 200": ("records/modify", lambda: creates(200)),
    "fruitless queries": ("records/query", lambda: {"query": {
        "recordType": "Player", "sortBy": [{"fieldName": "rating"}],
        "filterBy": [{"fieldName": "city", "comparator": "NOT_EQUALS", "fieldValue": {"value": "nowhere"}},
                     {"fieldName": "city", "comparator": "BEGINS_WITH", "fieldValue": {"value": "Nowhere"}}]}}),
}


class Bench(Stratus):
    """A server with records, and a user for each of its clients."""

    user = "patient"
    options = ("--log-level", "error")

    def __init__(self, home, has_rates, asks, connections):
        self.home = home
        self.asks = asks
        self.connections = connections
        self.environment = {} if has_rates else Stratus.environment | {"STRATUS_ADDRESS_RATE": "0"}
        super().__init__(os.environ.get("STRATUS") or ROOT / ".build/release/stratus", home, RECORDS)
        self.greedy = self.add_user("greedy")

    def load(self, count):
        for first in range(0, count, 200):
            operations = [{"operationType": "create", "record": record(first + index)} for index in range(200)]
            self.post("records/modify", {"operations": operations, "desiredKeys": []})
        for city in range(CITIES):
            self.post("records/query", page(city))

    def times(self, seconds):
        """The times of the patient user's requests in milliseconds, sorted."""
        self.link = Link(self.process.port)
        times, end = [], time.monotonic() + seconds
        while time.monotonic() < end:
            endpoint, body = ("records/modify", creates(1)) if self.asks == "create" else (
                "records/query", page(random.randrange(CITIES)))
            start = time.perf_counter()
            self.post(endpoint, body)
            times.append((time.perf_counter() - start) * 1_000)
            time.sleep(PAUSE)
        return sorted(times)

    def beside(self, kind, seconds):
        """The times of requests beside a greedy user, and how many answers a second that one got."""
        endpoint, body = KINDS[kind]
        requests = self.home / "requests.lua"
        rows = ",\n".join(
            f"{{'POST', '{self.path(endpoint, self.greedy)}', [==[{json.dumps(body())}]==]}}" for _ in range(200))
        requests.write_text(f"return {{{rows}}}\n")
        greedy = subprocess.Popen(
            ["wrk", "-t1", f"-c{self.connections}", f"-d{seconds + 1:.0f}s", "--timeout", "30s", "-s",
             pathlib.Path(__file__).resolve().parent / "requests.lua", f"http://127.0.0.1:{self.process.port}", "--", requests],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        time.sleep(0.5)
        times = self.times(seconds)
        output, _ = greedy.communicate(timeout=90)
        result = json.loads(re.search(r"RESULT (.*)", output).group(1))
        return times, result["requests"] / result["seconds"], result["refused"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--kind", choices=list(KINDS), action="append")
    parser.add_argument("--rates", action="store_true")
    parser.add_argument("--asks", choices=["page", "create"], default="page")
    parser.add_argument("--connections", type=int, default=CONNECTIONS)
    options = parser.parse_args()
    kinds = options.kind or list(KINDS)
    found = {kind: [] for kind in ["nobody", *kinds]}
    with tempfile.TemporaryDirectory(prefix="stratus-greedy-") as home:
        bench = Bench(pathlib.Path(home), options.rates, options.asks, options.connections)
        try:
            for _ in range(options.rounds):
                for kind in found:
                    before = bench.process.cpu_seconds()
                    times, rate, refused = (
                        (bench.times(options.seconds), 0, 0) if kind == "nobody" else bench.beside(kind, options.seconds))
                    cores = (bench.process.cpu_seconds() - before) / options.seconds
                    found[kind].append((times[len(times) // 2], times[len(times) * 99 // 100], rate, cores, refused))
        finally:
            bench.process.stop()
    worst = 0
    for kind, rows in found.items():
        ratios = [one[1] / alone[1] for one, alone in zip(rows, found["nobody"])]
        p50, p99, rate, cores, refused = (statistics.median(row[index] for row in rows) for index in range(5))
        worst = max(worst, statistics.median(ratios))
        print(f"{kind:18} p50 {p50:7.2f} ms   p99 {p99:7.2f} ms   to nobody {statistics.median(ratios):5.2f} "
              f"({min(ratios):.2f} to {max(ratios):.2f})   greedy {rate:6.0f}/s, {refused:.0f} refused   {cores:.1f} cores")
    return 1 if worst > GOAL else 0


if __name__ == "__main__":
    sys.exit(main())
