#!/usr/bin/env python3
"""What a user waits for a page while others sign in fifty times a second.

    swift build -c release --product stratus
    Benchmarks/sign_in.py [--rounds 5] [--seconds 6] [--rate 50]

One server with 20,000 records. A user asks for a page of 50 every few milliseconds over one connection, with nobody beside and
while people with accounts send their right passwords, so many a second as --rate says, whether the ones before are answered or not.
Passwords are stretched as the server does it (scrypt, 32 MiB): what is more than its two threads carry waits, and 64 that wait have the next
one told to come later. Prints the medians over the rounds of p50 and p99 in milliseconds, what became of the sign-ins, and the ratio of
each round's p99 to that of nobody beside; exits with 1 where the median ratio is 2 or more.
"""

import argparse
import collections
import concurrent.futures
import multiprocessing
import pathlib
import statistics
import sys
import tempfile
import time
import urllib.parse

import greedy
from run import CONTAINER

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts/tests"))

from accounts import PASSWORD, Browser  # noqa: E402

PEOPLE = 20
GOAL = 2.0


def people(bench):
    """Makes the accounts; gives the path of the page."""
    for number in range(PEOPLE):
        link = bench.command(
            "account", "invite", f"person{number}@example.org", "--container", CONTAINER, "--url",
            f"http://127.0.0.1:{bench.process.port}").strip()
        browser = Browser(bench.process.port)
        page, _ = browser.get(urllib.parse.urlsplit(link).path)
        browser.fill(page, password=PASSWORD)
    return f"/sign-in/{CONTAINER}/development"


def sign_ins(port, path, rate, seconds, results):
    """Signs in at fixed times, in a process of its own; counts the answers by their status."""
    browsers = []
    for _ in range(PEOPLE):
        browser = Browser(port)
        page, _ = browser.get(path)
        browsers.append((browser, page.forms[0]))
    kept = [dict(browser.cookies) for browser, _ in browsers]
    found = collections.Counter()

    def once(number):
        browser, (action, fields) = browsers[number % PEOPLE]
        own = Browser(port)
        own.cookies = dict(kept[number % PEOPLE])
        status, _, _ = own.request(
            "POST", action, fields | {"address": f"person{number % PEOPLE}@example.org", "password": PASSWORD})
        found[status] += 1

    with concurrent.futures.ThreadPoolExecutor(256) as pool:
        start = time.monotonic()
        for number in range(int(rate * seconds)):
            time.sleep(max(0, start + number / rate - time.monotonic()))
            pool.submit(once, number)
    results.put(dict(found))


def beside(bench, path, options):
    results = multiprocessing.Queue()
    other = multiprocessing.Process(
        target=sign_ins, args=(bench.process.port, path, options.rate, options.seconds + 2, results))
    other.start()
    time.sleep(1.5)
    times = bench.times(options.seconds)
    found = results.get(timeout=120)
    other.join()
    return times, found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--rate", type=float, default=50)
    options = parser.parse_args()
    rows, answers = [], collections.Counter()
    with tempfile.TemporaryDirectory(prefix="stratus-sign-in-") as home:
        bench = greedy.Bench(pathlib.Path(home), False, "page", 1)
        try:
            path = people(bench)
            for _ in range(options.rounds):
                alone = bench.times(options.seconds)
                times, found = beside(bench, path, options)
                rows.append([one[len(one) * part // 100] for one in (alone, times) for part in (50, 99)])
                answers.update(found)
        finally:
            bench.process.stop()
    ratios = [row[3] / row[1] for row in rows]
    for name, first in (("nobody", 0), ("sign-ins", 2)):
        p50, p99 = (statistics.median(row[first + index] for row in rows) for index in (0, 1))
        print(f"{name:10} p50 {p50:7.2f} ms   p99 {p99:7.2f} ms")
    seconds = options.rounds * (options.seconds + 2)
    said = ", ".join(f"{count / seconds:.1f} a second answered {status}" for status, count in sorted(answers.items()))
    ratio = statistics.median(ratios)
    print(f"p99 to nobody's: {ratio:.2f} ({min(ratios):.2f} to {max(ratios):.2f}); of {options.rate:.0f} sign-ins a second {said}")
    return 1 if ratio >= GOAL else 0


if __name__ == "__main__":
    sys.exit(main())
