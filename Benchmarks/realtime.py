#!/usr/bin/env python3
"""What being told costs: open live connections and stored subscriptions, beside PocketBase's realtime in the same run.

    swift build -c release --product stratus
    STRATUS=… POCKETBASE_BIN=… Benchmarks/realtime.py [--quick]

Three parts (`--parts`), each against what is asked of it:

- events: 1,000 open connections follow one collection while 200 records a second are created. Printed are the time from
  sending a create to the event on each connection, what was lost, the server's processor time for each event, and the memory
  of each connection while nothing happens. `follower.c`, compiled with `cc`, reads in processes of its own.
- subscriptions: single creates on three servers: of types that 100,000 stored subscriptions with predicates are about, of others
  beside so many, and of types of a server without any. Processor time of the server for each create.
- pages: `records/query` by wrk, of a server with 1,000 open live connections and of one without, in turn.

Prints tables, and exits with 1 where something was lost or a goal is missed.
"""

import argparse
import concurrent.futures
import http.client
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import run
from run import PocketBase, Stratus, fields, players, say

HERE = pathlib.Path(__file__).resolve().parent
STREAMS_PER_USER = 100
FOLLOWERS = 2
TYPES = 100
GOALS = {"median": 0.5, "p99": 0.5, "idle KiB": 20, "subscribed": 1.25, "unsubscribed": 1.02, "page": 0.97}


class Follower:
    """Some streams of one server, read by a process of its own."""

    def __init__(self, binary, port, paths, ready):
        self.process = subprocess.Popen(
            [binary, str(port), str(len(paths)), ready], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.process.stdin.write("\n".join(paths) + "\n\n")
        self.process.stdin.flush()

    def wait(self, subscribe=None):
        """Returns when all streams are ready; what a stream says of itself is handed on."""
        for line in self.process.stdout:
            if line == "ready\n":
                return
            subscribe(line.split()[1])
        sys.exit("A follower ended before its streams were ready")

    def stop(self, writes, seconds):
        self.process.stdin.write(f"stop {writes} {seconds}\n")
        self.process.stdin.flush()
        found = json.loads(self.process.stdout.readline())
        self.process.wait()
        return found


class LiveStratus(Stratus):
    def __init__(self, binary, work, count):
        super().__init__(binary, work, count)
        self.users = []

    def add_users(self, count):
        """Tokens of users, so that no limit of one user is met."""
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            self.users += pool.map(lambda number: self.add_user(f"u{number}"), range(len(self.users), count))

    def follow(self, follower, count):
        """Opens live queries of all players."""
        self.add_users(-(-count // STREAMS_PER_USER))
        query = json.dumps({"query": {"recordType": "Player"}, "resultsLimit": 1})
        paths = [self.path("records/live", self.users[n // STREAMS_PER_USER], query=query) for n in range(count)]
        followers = [
            Follower(follower, self.process.port, paths[n::FOLLOWERS], "event: page") for n in range(FOLLOWERS)]
        for one in followers:
            one.wait()
        return followers

    def creation(self, player):
        return self.path("records/modify"), {"operations": [
            {"operationType": "create", "record": {"recordType": "Player", "fields": fields(player)}}]}


class LivePocketBase(PocketBase):
    label = "PocketBase"

    def follow(self, follower, count):
        """Opens connections and subscribes each to all players."""
        followers = [
            Follower(follower, self.process.port, ["/api/realtime"] * len(range(n, count, FOLLOWERS)), "PB_CONNECT")
            for n in range(FOLLOWERS)]
        link = run.Link(self.process.port)
        subscribe = lambda client: link.ask(
            "POST", "/api/realtime", {"clientId": client, "subscriptions": ["players/*"]})
        for one in followers:
            one.wait(subscribe)
        return followers

    def creation(self, player):
        return "/api/collections/players/records", player


def write(system, count, rate, offset=0):
    """Creates records at a rate, or as fast as the server lets 32 connections; gives how many and how long it took."""
    start, numbers, lock, failures = time.monotonic(), iter(range(count)), threading.Lock(), []
    news = list(players(1_000))

    def work():
        connection = http.client.HTTPConnection("127.0.0.1", system.process.port, timeout=120)
        while True:
            with lock:
                number = next(numbers, None)
            if number is None:
                return
            time.sleep(max(0, start + number / rate - time.monotonic()))
            player = news[number % 1_000]
            # The moment it is sent is in the record, by the clock that followers read.
            path, body = system.creation(player | {"name": f"@{offset + number}:{time.monotonic_ns()}@"})
            connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 200 or b"serverErrorCode" in text:
                failures.append(text[:300])

    threads = [threading.Thread(target=work) for _ in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        sys.exit(f"{system.label}: {len(failures)} creates failed: {failures[0]}")
    return time.monotonic() - start


def events(system, follower, options):
    """One run with open connections: a row of the table."""
    # What the first connections leave behind in the server is none of the others' memory.
    for one in system.follow(follower, options.connections // 10):
        one.stop(0, 0)
    write(system, 200, options.rate)
    time.sleep(1)
    before = system.process.rss_mib()
    followers = system.follow(follower, options.connections)
    time.sleep(options.idle_seconds)
    idle = (system.process.rss_mib() - before) * 1_024 / options.connections
    count = int(options.rate * options.seconds)
    cpu, machine, start = system.process.cpu_seconds(), run.machine_cpu(), time.monotonic()
    took = write(system, count, options.rate)
    with concurrent.futures.ThreadPoolExecutor(FOLLOWERS) as pool:
        found = list(pool.map(lambda one: one.stop(count, 60), followers))
    cpu, all_took = system.process.cpu_seconds() - cpu, time.monotonic() - start
    delays = sorted(delay for one in found for delay in one["delays"])
    total = {key: sum(one[key] for one in found) for key in ("events", "missing", "doubles", "broken", "bytes")}
    return {
        "idle KiB": idle, "rate": count / took, "median": delays[len(delays) // 2] / 1_000,
        "p99": delays[len(delays) * 99 // 100] / 1_000, "most": delays[-1] / 1_000,
        "cpu": cpu / max(1, total["events"]) * 1e6, "cores": cpu / all_took,
        "others": (run.machine_cpu() - machine - cpu) / all_took, "MiB": system.process.rss_mib(), **total}


def print_events(rows, options, checks):
    print(f"\n{options.connections:,} connections, {options.rate} creates a second for {options.seconds} s\n")
    print("| system | creates a second | event after ms: median | p99 | most | server CPU µs an event | server cores | others' cores | "
          "KiB an idle connection | MiB in the end | events | lost | twice |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
    for name, row in rows.items():
        print(f"| {name} | {row['rate']:.0f} | {row['median']:.1f} | {row['p99']:.1f} | {row['most']:.1f} | {row['cpu']:.2f} | "
              f"{row['cores']:.2f} | {row['others']:.2f} | {row['idle KiB']:.1f} | {row['MiB']:.0f} | {row['events']:,} | "
              f"{row['missing']:,} | {row['doubles']:,} |")
    ours, theirs = rows["Stratus"], rows.get("PocketBase")
    checks.append(("nothing lost", ours["missing"] + ours["broken"], 0))
    checks.append(("KiB an idle connection", ours["idle KiB"], GOALS["idle KiB"]))
    if theirs:
        for key in ("median", "p99"):
            checks.append((f"{key} of the time to an event, to PocketBase's", ours[key] / theirs[key], GOALS[key]))


def subscribe(stratus, users, each, types):
    """Stores subscriptions to records of some types in a city, as many of each user."""
    stratus.add_users(users)
    start = time.monotonic()
    for number, user in enumerate(stratus.users[:users]):
        operations = [{"operationType": "create", "subscription": {
            "subscriptionID": f"s{index}", "subscriptionType": "query", "firesOn": ["create"],
            "query": {"recordType": types[index % len(types)], "filterBy": [
                {"fieldName": "city", "comparator": "EQUALS",
                 "fieldValue": {"value": run.CITIES[(number * 7 + index // len(types)) % 100], "type": "STRING"}},
                {"fieldName": "rating", "comparator": "GREATER_THAN", "fieldValue": {"value": index, "type": "INT64"}}]}}}
            for index in range(each)]
        for first in range(0, each, 100):
            answer = stratus.link.ask(
                "POST", stratus.path("subscriptions/modify", user), {"operations": operations[first:first + 100]})
            failed = [one for one in answer["subscriptions"] if "serverErrorCode" in one]
            if failed:
                sys.exit(f"A subscription was refused: {failed[0]}")
    say(f"  {users * each:,} subscriptions in {time.monotonic() - start:.1f} s")


def creates(stratus, types, work, name):
    """A file of single creates for wrk."""
    file = work / f"{name}.lua"
    file.write_text(run.lua([
        ("POST", stratus.path("records/modify"), {"operations": [{"operationType": "create", "record": {
            "recordType": types[number % len(types)], "fields": fields(player)}}]})
        for number, player in enumerate(players(1_000))]))
    return file


def subscriptions(binary, work, options, checks):
    """Single creates on a server without subscriptions, and on two with them: of types that are subscribed to, and of others.

    Each kind has a server to itself, so that none has another one's records and log to look after."""
    followed, others = ([f"{kind}{number}" for number in range(TYPES)] for kind in ("Followed", "Other"))
    plans = {"no subscriptions": (False, followed), "subscribed to": (True, followed), "not subscribed to": (True, others)}
    servers = {}
    try:
        each = 500
        for number, (kind, (has_subscriptions, types)) in enumerate(plans.items()):
            (work / str(number)).mkdir()
            stratus = LiveStratus(binary, work / str(number), 200)
            servers[kind] = stratus, creates(stratus, types, work, f"creates{number}")
            player = fields(next(players(1)))
            for record_type in followed + others:
                stratus.post("records/modify", {"operations": [
                    {"operationType": "create", "record": {"recordType": record_type, "fields": player}}]})
            if has_subscriptions:
                subscribe(stratus, options.subscriptions // each, each, followed)
        found = {kind: [] for kind in servers}
        for number in range(options.rounds + 1):
            for kind in servers if number % 2 == 0 else reversed(servers):
                stratus, file = servers[kind]
                one = run.measure(stratus.process, file, 3)
                if one["failed"]:
                    sys.exit(f"{one['failed']} creates failed: {kind}")
                if number:
                    found[kind].append(one)
    finally:
        for stratus, _ in servers.values():
            stratus.process.stop()
    print(f"\n{options.subscriptions:,} subscriptions over {TYPES} types; single creates, {options.rounds} rounds, medians\n")
    print("| types | creates a second | p99 ms | server CPU µs a create | to those without |\n|---|---|---|---|---|")
    for kind, runs in found.items():
        ratio = statistics.median(one["cpu"] / base["cpu"] for one, base in zip(runs, found["no subscriptions"]))
        print(f"| {kind} | {statistics.median(one['rate'] for one in runs):,.0f} | {statistics.median(one['p99'] for one in runs):.1f} | "
              f"{statistics.median(one['cpu'] for one in runs):.0f} | {ratio:.2f} |")
        if kind != "no subscriptions":
            goal = GOALS["subscribed" if kind == "subscribed to" else "unsubscribed"]
            checks.append((f"a create of a type {kind}, in CPU time", ratio, goal))


def pages(binary, follower, work, options, checks):
    """A page of players of a server with open connections, and of one without."""
    found = {"alone": [], "beside": []}
    servers, files = {}, {}
    try:
        for kind in found:
            (work / kind).mkdir()
            stratus = servers[kind] = LiveStratus(binary, work / kind, 10_000)
            stratus.warm()
            files[kind] = work / f"{kind}.lua"
            files[kind].write_text(run.lua([("POST", stratus.path("records/query"), stratus.query())]))
            run.measure(stratus.process, files[kind], 2)
        followers = servers["beside"].follow(follower, options.connections)
        for number in range(options.rounds):
            for kind in ("alone", "beside") if number % 2 == 0 else ("beside", "alone"):
                found[kind].append(run.measure(servers[kind].process, files[kind], 3))
        for one in followers:
            one.stop(0, 0)
    finally:
        for stratus in servers.values():
            stratus.process.stop()
    print(f"\nPages of 50 records, {options.rounds} rounds, medians\n")
    print("| open live connections | pages a second | p99 ms | server CPU µs a page |\n|---|---|---|---|")
    for kind, count in (("alone", 0), ("beside", options.connections)):
        runs = found[kind]
        print(f"| {count:,} | {statistics.median(one['rate'] for one in runs):,.0f} | "
              f"{statistics.median(one['p99'] for one in runs):.1f} | {statistics.median(one['cpu'] for one in runs):.0f} |")
    ratio = statistics.median(one["cpu"] / base["cpu"] for one, base in zip(found["beside"], found["alone"]))
    checks.append((f"a page beside {options.connections:,} live connections, in CPU time", ratio, 1 / GOALS["page"]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a glance: short, with fewer subscriptions")
    parser.add_argument("--parts", default="events,subscriptions,pages")
    parser.add_argument("--connections", type=int, default=1_000)
    parser.add_argument("--rate", type=int, default=200)
    parser.add_argument("--seconds", type=int)
    parser.add_argument("--subscriptions", type=int)
    parser.add_argument("--rounds", type=int)
    options = parser.parse_args()
    options.seconds = options.seconds or (10 if options.quick else 60)
    options.subscriptions = options.subscriptions or (10_000 if options.quick else 100_000)
    options.rounds = options.rounds or (3 if options.quick else 9)
    options.idle_seconds = 10 if options.quick else 60
    parts, checks = options.parts.split(","), []
    binary = os.environ.get("STRATUS") or str(run.build(run.ROOT, "stratus"))
    with tempfile.TemporaryDirectory(prefix="stratus-realtime-") as folder:
        work = pathlib.Path(folder)
        follower = work / "follower"
        subprocess.run(["cc", "-O2", "-Wall", "-o", follower, HERE / "follower.c"], check=True)
        stratus = LiveStratus(binary, work, 1_000)
        try:
            if "events" in parts:
                rows = {}
                if os.environ.get("POCKETBASE_BIN"):
                    peer = LivePocketBase(os.environ["POCKETBASE_BIN"], work, 1_000)
                    rows["PocketBase"] = events(peer, follower, options)
                    peer.process.stop()
                rows["Stratus"] = events(stratus, follower, options)
                print_events(rows, options, checks)
            if "subscriptions" in parts:
                subscriptions(binary, work, options, checks)
            if "pages" in parts:
                pages(binary, follower, work, options, checks)
        finally:
            stratus.process.stop()
    print("\n| goal | asked for, at most | measured | |\n|---|---|---|---|")
    for name, measured, most in checks:
        print(f"| {name} | {most:g} | {measured:.2f} | {'reached' if measured <= most else '**not reached**'} |")
    sys.exit(any(measured > most for _, measured, most in checks))


if __name__ == "__main__":
    main()
