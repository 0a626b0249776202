#!/usr/bin/env python3
"""Measures Stratus side by side with the HTTP stack's ceiling and, where POCKETBASE_BIN names it, PocketBase.

    make bench                                 everything: less than 12 minutes when the programs are built
    make bench ARGS='--quick'                  a glance: 10,000 records, one short round
    make bench ARGS='--memory-minutes 10'      and the memory after the first and the tenth minute of load

Benchmarks/README.md says what is measured, and how. Standard library and wrk only.
"""

import argparse
import datetime
import http.client
import json
import os
import pathlib
import platform
import random
import re
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
sys.path.insert(0, str(ROOT / "scripts/tests"))

from support import TOKEN, free_port  # noqa: E402

CONTAINER = "iCloud.org.stratus.bench"
CONNECTIONS = 16
CITIES = [f"City {number:02}" for number in range(100)]
WORDS = ("ball court team quick left right night park river early strong pass shot goal serve calm loud street "
         "league coach friend weekend rookie captain defence wing keeper runner").split()
# What others may take of the machine, in cores, before a run is done again: once, and so many runs in all, so that
# a busy machine makes the results worse and not the wait endless.
NOISE = 0.2
REPEATS = 20


def say(text):
    print(text, file=sys.stderr, flush=True)


# Data


def players(count):
    """The same made-up players each time."""
    chance = random.Random(20260101)
    for number in range(count):
        yield {
            "name": f"{chance.choice(WORDS).title()} {chance.choice(WORDS).title()} {number}",
            "city": chance.choice(CITIES),
            "position": chance.choice(("guard", "forward", "centre", "wing")),
            "level": chance.randrange(1, 11),
            "rating": chance.randrange(0, 100_000),
            "bio": " ".join(chance.choice(WORDS) for _ in range(34))[:200],
        }


def fields(player):
    return {name: {"value": value} for name, value in player.items()}


# Processes


class Process:
    """A server under measurement."""

    def __init__(self, arguments, port, path, environment=None, seconds=60):
        self.port = port
        # Log lines are made, but not kept: a disk full of them would be measured instead.
        self.process = subprocess.Popen(
            arguments, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, **(environment or {})})
        start = time.monotonic()
        while True:
            try:
                if request(port, "GET", path)[0] == 200:
                    return
            except OSError:
                pass
            if self.process.poll() is not None:
                sys.exit(f"'{' '.join(map(str, arguments))}' ended with {self.process.returncode}")
            if time.monotonic() - start > seconds:
                sys.exit(f"'{' '.join(map(str, arguments))}' does not answer")
            time.sleep(0.02)

    def cpu_seconds(self):
        """Processor time of the process with all its threads."""
        text = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text()
        values = text.rpartition(")")[2].split()
        return (int(values[11]) + int(values[12])) / os.sysconf("SC_CLK_TCK")

    def rss_mib(self):
        text = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", text).group(1)) / 1024

    def stop(self):
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def request(port, method, path, body=None, headers=None, seconds=60):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=seconds)
    try:
        text = None if body is None else json.dumps(body)
        connection.request(method, path, text, {"Content-Type": "application/json", **(headers or {})})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


class Link:
    """Many requests over one connection, each of which has to succeed."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)

    def ask(self, method, path, body=None, headers=None):
        text = None if body is None else json.dumps(body)
        self.connection.request(method, path, text, {"Content-Type": "application/json", **(headers or {})})
        answer = self.connection.getresponse()
        data = answer.read()
        if answer.status not in (200, 204):
            sys.exit(f"{method} {path.split('?')[0]} answered {answer.status}: {data[:500]!r}")
        return json.loads(data) if data else {}


# The systems


class Stratus:
    label = "Stratus"
    folder = "stratus"
    # One user sends all there is, which the rate of users is there to prevent.
    environment = {"STRATUS_USER_RATE": "0"}
    options = ()
    database = "public"
    user = "bench"
    greatest_depth = 50_000

    def __init__(self, binary, work, count):
        self.binary, self.data = binary, work / self.folder
        port = free_port()
        self.process = Process(
            [binary, "serve", "--data", self.data, "--port", str(port), *self.options], port, "/readyz", self.environment)
        self.api = self.token()
        self.web = self.add_user(self.user)
        self.link = Link(port)
        self.load(count)

    def command(self, *arguments):
        """What a command about the server's directory prints."""
        return subprocess.run(
            [self.binary, *arguments, "--data", str(self.data)], capture_output=True, text=True, check=True,
            env={**os.environ, **self.environment}).stdout

    def token(self, *more):
        return TOKEN.search(self.command("token", "create", "--container", CONTAINER, *more)).group()

    def add_user(self, name):
        """The new user's token."""
        self.command("user", "add", name, "--container", CONTAINER)
        return self.token("--user", name)

    def path(self, endpoint, web=None, **more):
        """The address of an endpoint for a user, the first one unless a token says otherwise."""
        query = urllib.parse.urlencode({"ckAPIToken": self.api, "ckWebAuthToken": web or self.web, **more})
        return f"/database/1/{CONTAINER}/development/{self.database}/{endpoint}?{query}"

    def post(self, endpoint, body):
        return self.link.ask("POST", self.path(endpoint), body)

    def load(self, count):
        start = time.monotonic()
        batch = []
        for number, player in enumerate(players(count)):
            batch.append({
                "operationType": "create",
                "record": {"recordName": f"p{number:014}", "recordType": "Player", "fields": fields(player)}})
            if len(batch) == 200 or number == count - 1:
                answer = self.post("records/modify", {"operations": batch, "desiredKeys": []})
                failed = [record for record in answer["records"] if "serverErrorCode" in record]
                if failed:
                    sys.exit(f"Loading failed: {failed[0]}")
                batch = []
        self.load_seconds = time.monotonic() - start
        say(f"  {self.label}: {count:,} records in {self.load_seconds:.1f} s, {self.process.rss_mib():.0f} MiB")

    def load_photos(self):
        """A page of records with a small file each, once."""
        tokens = self.post("assets/upload", {"tokens": [
            {"recordName": f"photo{number}", "recordType": "Photo", "fieldName": "image"} for number in range(50)]})["tokens"]
        operations = []
        for token, player in zip(tokens, players(50)):
            address = urllib.parse.urlsplit(token["url"])
            self.link.connection.request("POST", f"{address.path}?{address.query}", player["bio"].encode() * 20)
            file = json.loads(self.link.connection.getresponse().read())["singleFile"]
            kept = {"title": player["name"], "city": player["city"], "rating": player["rating"], "text": player["bio"]}
            operations.append({"operationType": "forceReplace", "record": {
                "recordName": token["recordName"], "recordType": "Photo",
                "fields": fields(kept) | {"image": {"value": file}}}})
        answer = self.post("records/modify", {"operations": operations})
        failed = [record for record in answer["records"] if "serverErrorCode" in record]
        if failed:
            sys.exit(f"Loading photos failed: {failed[0]}")

    def query(self, city=None):
        query = {"recordType": "Player", "sortBy": [{"fieldName": "rating", "ascending": False}]}
        if city:
            query["filterBy"] = [
                {"comparator": "EQUALS", "fieldName": "city", "fieldValue": {"value": city, "type": "STRING"}}]
        return {"query": query, "resultsLimit": 50}

    def warm(self):
        """Lets the service see the shapes of the queries, and waits for the indexes that it makes for them."""
        for body in (self.query(CITIES[0]), self.query()):
            until = time.monotonic() + 60
            while time.monotonic() < until:
                start = time.monotonic()
                self.post("records/query", body)
                if time.monotonic() - start < 0.01:
                    break
                time.sleep(0.2)

    def rows(self, count):
        depth = min(self.greatest_depth, count // 2)
        # The marker is bound to the query, not to the size of the page, so larger pages lead there sooner.
        body = self.query() | {"resultsLimit": 200}
        marker = None
        for _ in range(depth // 200):
            marker = self.post("records/query", body | ({"continuationMarker": marker} if marker else {}))[
                "continuationMarker"]
        lookups = [{"records": [{"recordName": f"p{n:014}"}]} for n in random.Random(1).sample(range(count), 5_000)]
        post = lambda endpoint, bodies: [("POST", self.path(endpoint), body) for body in bodies]
        news = list(players(1_000))
        creates = [
            {"operations": [{"operationType": "create", "record": {"recordType": "Player", "fields": fields(one)}}]}
            for one in news]
        batches = [
            {"operations": [
                {"operationType": "create", "record": {"recordType": "Player", "fields": fields(one)}}
                for one in news[start:start + 50]]}
            for start in range(0, 1_000, 50)]
        wanted = {"desiredKeys": ["name", "city", "rating"]}
        self.load_photos()
        photos = {"query": {"recordType": "Photo"}, "resultsLimit": 50}
        return {
            "page": post("records/query", [self.query(city) for city in CITIES]),
            "wanted": post("records/query", [self.query() | wanted]),
            "photos": post("records/query", [photos]),
            "titles": post("records/query", [photos | {"desiredKeys": ["title", "city", "rating"]}]),
            "first": post("records/query", [self.query()]),
            "deep": post("records/query", [self.query() | {"continuationMarker": marker}]),
            "one": post("records/lookup", lookups),
            "create": post("records/modify", creates),
            "batch": post("records/modify", batches),
        }


class EarlierStratus(Stratus):
    label = "Stratus, before"
    folder = "before"


class Ceiling:
    label = "Ceiling (constant bytes)"

    def __init__(self, binary):
        port = free_port()
        self.process = Process([binary, str(port)], port, "/constant?bytes=2")

    def rows(self, like):
        """The requests of another system, answered with as many bytes as it answers."""
        rows = {}
        for row in ("page", "one", "create"):
            method, path, body = like.rows_by_name[row][0]
            status, data = request(like.process.port, method, path, body)
            if status != 200:
                sys.exit(f"{row} is answered with {status}: {data[:300]!r}")
            rows[row] = [
                ("POST", f"/constant?bytes={len(data)}&{path.partition('?')[2]}", body)
                for _, path, body in like.rows_by_name[row]]
        return rows


class PocketBase:
    """As installed: indexes on (city) and on (rating), its request log on."""

    label = "PocketBase as installed"
    skip_total = ""

    def __init__(self, binary, work, count):
        self.data = work / "pocketbase"
        self.binary = binary
        # Without a superuser it opens a page for making one; with --automigrate=0 it writes no migrations.
        subprocess.run(
            [binary, "superuser", "upsert", "bench@example.com", "benchmark-1", "--dir", self.data],
            check=True, stdout=subprocess.DEVNULL)
        self.start()
        self.link.ask("POST", "/api/collections", {
            "name": "players", "type": "base",
            "listRule": "", "viewRule": "", "createRule": "", "updateRule": "", "deleteRule": "",
            "fields": [
                {"name": "name", "type": "text"}, {"name": "city", "type": "text"},
                {"name": "position", "type": "text"}, {"name": "level", "type": "number"},
                {"name": "rating", "type": "number"}, {"name": "bio", "type": "text"},
                {"name": "created", "type": "autodate", "onCreate": True},
                {"name": "updated", "type": "autodate", "onCreate": True, "onUpdate": True}],
            "indexes": [
                "CREATE INDEX players_city ON players (city)", "CREATE INDEX players_rating ON players (rating)"],
        }, self.admin)
        self.link.ask("PATCH", "/api/settings", {"batch": {"enabled": True, "maxRequests": 200}}, self.admin)
        self.load(count)

    def start(self):
        port = free_port()
        self.process = Process(
            [self.binary, "serve", f"--http=127.0.0.1:{port}", "--dir", self.data, "--automigrate=0"],
            port, "/api/health")
        self.link = Link(port)
        token = self.link.ask("POST", "/api/collections/_superusers/auth-with-password", {
            "identity": "bench@example.com", "password": "benchmark-1"})["token"]
        self.admin = {"Authorization": token}

    def create(self, player, **more):
        return {"method": "POST", "url": "/api/collections/players/records", "body": {**player, **more}}

    def load(self, count):
        start = time.monotonic()
        batch = []
        for number, player in enumerate(players(count)):
            batch.append(self.create(player, id=f"p{number:014}"))
            if len(batch) == 100 or number == count - 1:
                self.link.ask("POST", "/api/batch", {"requests": batch})
                batch = []
        self.load_seconds = time.monotonic() - start
        say(f"  {self.label}: {count:,} records in {self.load_seconds:.1f} s, {self.process.rss_mib():.0f} MiB")

    def rows(self, count):
        records = "/api/collections/players/records"
        def page(number, city=None):
            query = {"page": number, "perPage": 50, "sort": "-rating"}
            if city:
                query["filter"] = f'(city="{city}")'
            return ("GET", f"{records}?{urllib.parse.urlencode(query)}{self.skip_total}", None)
        news = list(players(1_000))
        return {
            "page": [page(1, city) for city in CITIES],
            "first": [page(1)],
            "deep": [page(min(50_000, count // 2) // 50 + 1)],
            "one": [("GET", f"{records}/p{n:014}", None) for n in random.Random(1).sample(range(count), 5_000)],
            "create": [("POST", records, one) for one in news],
            "batch": [
                ("POST", "/api/batch", {"requests": [self.create(one) for one in news[start:start + 50]]})
                for start in range(0, 1_000, 50)],
        }


class TunedPocketBase(PocketBase):
    """On a copy of the data: one more index on (city, rating), no request log, pages without the total."""

    label = "PocketBase tuned"
    skip_total = "&skipTotal=1"

    def __init__(self, binary, work, original):
        self.data = work / "pocketbase-tuned"
        self.binary = binary
        original.process.stop()
        shutil.copytree(original.data, self.data)
        original.start()
        self.start()
        collection = self.link.ask("GET", "/api/collections/players", None, self.admin)
        indexes = collection["indexes"] + ["CREATE INDEX players_city_rating ON players (city, rating)"]
        self.link.ask("PATCH", "/api/collections/players", {"indexes": indexes}, self.admin)
        self.link.ask("PATCH", "/api/settings", {"logs": {"maxDays": 0}}, self.admin)


# Measuring


def machine_cpu():
    """Seconds that all of the machine's processors were busy, what the host took included."""
    values = list(map(int, pathlib.Path("/proc/stat").read_text().split("\n")[0].split()[1:9]))
    return (sum(values) - values[3] - values[4]) / os.sysconf("SC_CLK_TCK")


def wrk_cpu():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def measure(process, file, seconds, connections=CONNECTIONS):
    """One run of wrk against a server."""
    machine, server, driver, start = machine_cpu(), process.cpu_seconds(), wrk_cpu(), time.monotonic()
    done = subprocess.run(
        ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", HERE / "requests.lua",
         f"http://127.0.0.1:{process.port}", "--", file],
        capture_output=True, text=True, timeout=seconds + 60)
    elapsed = time.monotonic() - start
    found = re.search(r"^RESULT (.*)$", done.stdout, re.M)
    if not found:
        sys.exit(f"wrk failed: {done.stdout}{done.stderr}")
    result = json.loads(found.group(1))
    server_seconds, driver_seconds = process.cpu_seconds() - server, wrk_cpu() - driver
    requests = max(result["requests"], 1)
    return {
        "rate": result["requests"] / result["seconds"], "p50": result["p50"], "p99": result["p99"],
        "cpu": server_seconds / requests * 1e6, "kb": result["bytes"] / requests / 1024,
        "cores": server_seconds / elapsed, "wrk_cores": driver_seconds / elapsed,
        "others": max(0, machine_cpu() - machine - server_seconds - driver_seconds) / elapsed,
        "failed": result["failed"] + result["refused"],
    }


def lua(value):
    """A list of (method, path, body) as a Lua table."""
    def quoted(text):
        return "nil" if text is None else '"' + "".join(
            c if 32 <= ord(c) < 127 and c not in '"\\' else "".join(f"\\{b:03}" for b in c.encode()) for c in text) + '"'
    lines = (
        f"{{{quoted(method)}, {quoted(path)}, {quoted(None if body is None else json.dumps(body))}}}"
        for method, path, body in value)
    return "return {\n" + ",\n".join(lines) + "\n}\n"


def run_rounds(systems, rows, work, options):
    """Interleaved rounds, every second one in reverse, so that slow moments of the machine meet all alike."""
    runs = {}
    repeats = REPEATS
    order = []
    for row in rows:
        for system in systems:
            if row in system.rows_by_name:
                file = work / f"{type(system).__name__}-{row}.lua"
                file.write_text(lua(system.rows_by_name[row]))
                order.append((row, system, file))
    for number in range(options.rounds):
        for row, system, file in order if number % 2 == 0 else reversed(order):
            run = measure(system.process, file, options.seconds)
            if run["others"] > NOISE and repeats > 0:
                repeats -= 1
                again = measure(system.process, file, options.seconds)
                run = min(run, again, key=lambda one: one["others"])
            runs.setdefault((row, system.label), []).append(run)
        say(f"  round {number + 1} of {options.rounds} done")
    return runs


def median(runs, key):
    return statistics.median(run[key] for run in runs)


TITLES = {
    "page": "page of 50: one city, by rating", "first": "page of 50: all, by rating",
    "deep": "the same, 50,000 rows deep", "wanted": "page of 50: all, three desired keys",
    "photos": "page of 50 with a file each", "titles": "the same, three desired keys", "one": "one record by name", "create": "single creates",
    "batch": "batches of 50 creates",
}


# What a change may cost, as a part of the speed before it.
EARLIER = {"page": 0.97, "first": 0.97, "deep": 0.97, "one": 0.97, "create": 0.97, "batch": 0.97}


def tables(runs, memory, stratus_label="Stratus"):
    """The results in Markdown, and whether each goal was reached."""
    lines = [
        "| work | system | requests/s min / median / max | p50 ms | p99 ms | server CPU µs a request | KB | failed |",
        "|---|---|---|---|---|---|---|---|"]
    for (row, label), values in runs.items():
        rates = sorted(run["rate"] for run in values)
        lines.append(
            f"| {TITLES[row]} | {label} | {rates[0]:,.0f} / **{statistics.median(rates):,.0f}** / {rates[-1]:,.0f} "
            f"| {median(values, 'p50'):.2f} | {median(values, 'p99'):.2f} | {median(values, 'cpu'):,.0f} "
            f"| {median(values, 'kb'):.1f} | {sum(run['failed'] for run in values)} |")
    goals = [
        ("page", "page", Ceiling.label, 0.4), ("page", "page", PocketBase.label, 40),
        ("page", "page", TunedPocketBase.label, 10), ("deep", "first", stratus_label, 0.9),
        ("wanted", "first", stratus_label, 1.2), ("titles", "photos", stratus_label, 1.2),
        ("one", "one", Ceiling.label, 0.6), ("one", "one", PocketBase.label, 3),
        ("create", "create", PocketBase.label, 4), ("batch", "batch", PocketBase.label, 6)]
    goals += [(row, row, EarlierStratus.label, wanted) for row, wanted in EARLIER.items()
              if (row, EarlierStratus.label) in runs]
    lines += ["", "| goal | asked for | measured | CPU a request, theirs : ours | |", "|---|---|---|---|---|"]
    verdicts = []
    for row, other_row, other, wanted in goals:
        ours, theirs = runs.get((row, stratus_label)), runs.get((other_row, other))
        name = f"{TITLES[row]}, against {other if other != stratus_label else TITLES[other_row]}"
        if not ours or not theirs:
            lines.append(f"| {name} | {wanted} x | not measured | | |")
            continue
        ratio = median(ours, "rate") / median(theirs, "rate")
        work = median(theirs, "cpu") / median(ours, "cpu") if median(ours, "cpu") else 0
        verdict = "reached" if ratio >= wanted else "**not reached**"
        verdicts.append((name, wanted, ratio, ratio >= wanted))
        lines.append(f"| {name} | {wanted} x | {ratio:.2f} x | {work:.2f} : 1 | {verdict} |")
    for name, megabytes, wanted in memory:
        reached = wanted is None or megabytes < wanted
        verdicts.append((name, wanted, megabytes, reached))
        lines.append(
            f"| {name} | {'' if wanted is None else f'< {wanted} MiB'} | {megabytes:.0f} MiB | "
            f"| {'' if wanted is None else 'reached' if reached else '**not reached**'} |")
    return lines, verdicts


def memory_run(stratus, work, minutes):
    """The memory after the first and after the last minute of mixed load."""
    rows = stratus.rows_by_name
    # Four reads for each write, as an app with many readers has it.
    mixed = rows["page"][:60] + rows["one"][:200] + rows["deep"] * 20 + rows["create"][:60] + rows["batch"][:2]
    file = work / "mixed.lua"
    file.write_text(lua(mixed))
    readings = []
    for minute in range(minutes):
        measure(stratus.process, file, 60)
        readings.append(stratus.process.rss_mib())
        say(f"  minute {minute + 1}: {readings[-1]:.0f} MiB")
    return readings


def machine():
    cpu = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    total = re.search(r"MemTotal:\s+(\d+)", pathlib.Path("/proc/meminfo").read_text())
    swift = subprocess.run(["swift", "--version"], capture_output=True, text=True).stdout.split("\n")[0]
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, cwd=ROOT).stdout
    return (
        f"{os.cpu_count()} cores ({cpu.group(1) if cpu else 'unknown'}), {int(total.group(1)) // 1024 // 1024} GiB, "
        f"Linux {platform.release()}; {swift}; commit {commit.strip() or 'unknown'}; "
        f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC")


def build(path, product):
    say(f"Building {product} (release; minutes when it is built for the first time)")
    subprocess.run(
        ["swift", "build", "-c", "release", "--package-path", path, "--product", product],
        check=True, stdout=sys.stderr)
    return path / ".build/release" / product


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--records", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4, help="of each run")
    parser.add_argument("--memory-minutes", type=int, default=0, help="of mixed load afterwards")
    parser.add_argument("--quick", action="store_true", help="10,000 records, one round of two seconds")
    parser.add_argument("--no-ceiling", action="store_true", help="leave the constant server out")
    options = parser.parse_args()
    if options.quick:
        options.records, options.rounds, options.seconds = 10_000, 1, 2
    if not shutil.which("wrk"):
        sys.exit("wrk is missing: scripts/setup.sh bench installs it.")

    stratus_binary = os.environ.get("STRATUS") or build(ROOT, "stratus")
    ceiling_binary = None if options.no_ceiling else os.environ.get("CEILING") or build(HERE, "ceiling")
    pocketbase_binary = os.environ.get("POCKETBASE_BIN")
    earlier_binary = os.environ.get("STRATUS_BEFORE")
    work = pathlib.Path(tempfile.mkdtemp(prefix="stratus-bench-"))
    if options.records < 100_000:
        TITLES["deep"] = f"the same, {options.records // 2:,} rows deep"
    systems = []
    start = time.monotonic()
    try:
        say("Loading")
        stratus = Stratus(stratus_binary, work, options.records)
        systems.append(stratus)
        memory = [(f"memory after loading {options.records:,} records", stratus.process.rss_mib(), None)]
        stratus.warm()
        stratus.rows_by_name = stratus.rows(options.records)
        if earlier_binary:
            earlier = EarlierStratus(earlier_binary, work, options.records)
            systems.append(earlier)
            earlier.warm()
            earlier.rows_by_name = earlier.rows(options.records)
        if pocketbase_binary:
            pocketbase = PocketBase(pocketbase_binary, work, options.records)
            systems.append(pocketbase)
            systems.append(TunedPocketBase(pocketbase_binary, work, pocketbase))
            for system in systems[-2:]:
                system.rows_by_name = system.rows(options.records)
        if ceiling_binary:
            ceiling = Ceiling(ceiling_binary)
            ceiling.rows_by_name = ceiling.rows(stratus)
            systems.append(ceiling)
        say(f"Reading: {options.rounds} rounds")
        runs = run_rounds(systems, ["page", "first", "deep", "wanted", "photos", "titles", "one"], work, options)
        memory.append(("memory after the reads", stratus.process.rss_mib(), 100))
        # Writes last: they grow the tables, and reads are asked for over a fixed number of records.
        say(f"Writing: {options.rounds} rounds")
        runs |= run_rounds(systems, ["create", "batch"], work, options)
        memory.append(("memory after the writes", stratus.process.rss_mib(), 100))
        if options.memory_minutes:
            say(f"Mixed load: {options.memory_minutes} minutes")
            readings = memory_run(stratus, work, options.memory_minutes)
            memory.append(("memory after 1 minute of mixed load", readings[0], None))
            if options.memory_minutes > 1:
                # Flat: what the first minute left, with room for a page cache that is not full yet.
                memory.append((f"memory after {options.memory_minutes} minutes of mixed load", readings[-1],
                               round(readings[0] * 1.1 + 8)))
        lines, verdicts = tables(runs, memory)
    finally:
        for system in systems:
            system.process.stop()
        shutil.rmtree(work, ignore_errors=True)
    every = [run for values in runs.values() for run in values]
    noisy = sum(run["others"] > NOISE for run in every)
    lines += [
        "",
        f"{machine()}. {options.records:,} records, {CONNECTIONS} connections, 1 wrk thread, {options.rounds} "
        f"interleaved rounds of {options.seconds} s; {time.monotonic() - start:.0f} s in all. Others used "
        f"{statistics.median(run['others'] for run in every):.2f} cores in the median; {noisy} of {len(every)} runs "
        f"had more than {NOISE} cores taken by others, though up to {REPEATS} in each half were repeated."]
    results = HERE / "results"
    results.mkdir(exist_ok=True)
    stamp = f"{datetime.datetime.now(datetime.timezone.utc):%Y%m%d-%H%M%S}"
    (results / f"{stamp}.md").write_text("\n".join(lines) + "\n")
    (results / f"{stamp}.json").write_text(json.dumps({
        "machine": machine(), "options": vars(options), "memory": memory, "verdicts": verdicts,
        "runs": [{"work": row, "system": label, "runs": values} for (row, label), values in runs.items()],
    }, indent=1))
    print("\n".join(lines))
    say(f"\nKept in Benchmarks/results/{stamp}.md and .json")


if __name__ == "__main__":
    main()
