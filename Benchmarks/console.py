#!/usr/bin/env python3
"""How long the console takes for the first page of a large type, from the request to the last byte.

    swift build -c release --product stratus
    Benchmarks/console.py [--players 100000] [--runs 50]

Starts the demo with so many players on an empty directory, waits for them, and asks for each page over one connection.
Prints the median and the 95th per cent in milliseconds, and exits with 1 where a page's median is over the limit.
"""

import argparse
import http.client
import json
import re
import statistics
import sys
import tempfile
import time

from run import ROOT, Process, free_port

BASE = "/console/c/iCloud.stratus.demo/development"
LIMIT = 100
PAGES = [
    ("the first 100 of all", f"{BASE}/records?type=Player"),
    ("sorted by likes", f"{BASE}/records?type=Player&s=likes&d=desc"),
    ("one city, sorted by level", f"{BASE}/records?type=Player&f=city&c=EQUALS&v=Lisbon&s=level&d=desc"),
    ("the last page by likes", f"{BASE}/records?type=Player&s=likes&d=desc&last=1"),
    ("one record", f"{BASE}/records/player-0000001"),
]


def sign_in(connection):
    body = "open=1"
    connection.request("POST", "/console/sign-in", body, {
        "content-type": "application/x-www-form-urlencoded", "content-length": str(len(body))})
    answer = connection.getresponse()
    answer.read()
    cookie = re.search(r"stratus_session(_\d+)?=[0-9a-f]+", answer.getheader("set-cookie") or "")
    if not cookie:
        sys.exit(f"The console let nobody in: {answer.status}")
    return cookie.group(0)


def get(connection, path, cookie):
    start = time.perf_counter()
    connection.request("GET", path, headers={"cookie": cookie, "accept": "text/html"})
    answer = connection.getresponse()
    body = answer.read()
    duration = (time.perf_counter() - start) * 1000
    if answer.status != 200:
        sys.exit(f"{path} answered {answer.status}")
    return duration, body


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=100_000)
    parser.add_argument("--runs", type=int, default=50)
    parser.add_argument("--configuration", default="release")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    arguments = parser.parse_args()
    binary = ROOT / ".build" / arguments.configuration / "stratus"
    port = free_port()
    with tempfile.TemporaryDirectory() as data:
        # It makes the players before it is ready.
        server = Process(
            [binary, "demo", "--data", data, "--port", str(port), "--players", str(arguments.players)], port, "/readyz",
            seconds=600)
        try:
            results = measure(port, arguments)
        finally:
            server.stop()
    if arguments.json:
        print(json.dumps({"players": arguments.players, "runs": arguments.runs, "pages": results}))
    else:
        for result in results:
            print(f"{result['page']:<28} median {result['median']:6.1f} ms   p95 {result['p95']:6.1f} ms   "
                  f"{result['bytes']:>7} bytes")
    if any(result["median"] > LIMIT for result in results):
        sys.exit(1)


def measure(port, arguments):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    cookie = sign_in(connection)
    results = []
    for title, path in PAGES:
        # The first requests of a shape have it indexed, as on any server that is used.
        for _ in range(5):
            get(connection, path, cookie)
            time.sleep(0.3)
        runs = sorted(get(connection, path, cookie)[0] for _ in range(arguments.runs))
        size = len(get(connection, path, cookie)[1])
        results.append({
            "page": title, "median": round(statistics.median(runs), 2), "p95": round(runs[int(len(runs) * 0.95)], 2),
            "bytes": size})
    return results


if __name__ == "__main__":
    main()
