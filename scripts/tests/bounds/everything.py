#!/usr/bin/env python3
"""Everything at once, as a busy day has it: what memory is taken for, and whether it comes to rest.

Records, change feeds, files, versions, encrypted fields, live queries that come and go, polls of couriers, a webhook, sign-ins, an
archive and backups, each with pauses. What a table or a cache keeps has a bound, so memory is flat once these are full, and what
was used for requests goes back when nobody asks any more.

    scripts/tests/bounds/everything.py --seconds 1320 [--trace FILE]

With --trace, a line of JSON every ten seconds: memory by kind, as the kernel counts it, and all gauges of /metrics."""

import http.client
import http.server
import json
import os
import pathlib
import random
import shutil
import sys
import threading
import time
import urllib.parse

from common import CONTAINER, MemoryWatch, create, get, in_threads, main, page, percentile, row
from newcomers import PAGE, post
from support import run as command

# It restarts its server, with an archive.
ALONE = True
# Until then caches fill, and the log gets to the length that it keeps.
SETTLING_SECONDS = 300
SOAK_SECONDS = 1_320
GROWTH_PERCENT = 10
# What the memory after a minute of rest may be above that before the load.
KEPT_MIB = 128
LIVE_QUERIES = 20
TRACE = "STRATUS_BOUNDS_TRACE"


class Load:
    """The threads of the load and what went wrong in them."""

    def __init__(self, server):
        self.server, self.over, self.failures, self.done = server, threading.Event(), [], {}
        self.threads = []

    def start(self, name, step, pause, count=1):
        """Threads that do a step again and again, each with a random source and a dictionary of its own."""
        def work(number):
            chance, state = random.Random(f"{name}/{number}"), {"number": number}
            while not self.over.is_set():
                try:
                    step(chance, state)
                    self.done[name] = self.done.get(name, 0) + 1
                except Exception as error:
                    if not self.over.is_set():
                        self.failures.append(f"{name}: {type(error).__name__}: {error}"[:300])
                    state.pop("client", None)
                    self.over.wait(0.5)
                self.over.wait(pause)

        self.threads += in_threads(count, work)

    def stop(self):
        self.over.set()
        for thread in self.threads:
            thread.join(60)


def client(load, state, database="private"):
    """The client of a thread, which has one connection."""
    if "client" not in state:
        state["client"] = load.server.client(database)
    return state["client"]


def records(load, database):
    """Creates, changes, lookups, pages and deletions: some 3,000 records of each thread at once."""
    def step(chance, state):
        asker, names = client(load, state, database), state.setdefault("names", [])
        zone = {"zoneID": {"zoneName": "Feed"}} if database == "private" else {}
        batch = [f"e-{state['number']}-{time.monotonic_ns()}-{index}" for index in range(chance.choice((1, 1, 5, 40)))]
        asker.ask("records/modify", {"operations": [
            create(name, text="x" * chance.randrange(10, 12_000), rank=chance.randrange(1_000)) for name in batch]} | zone)
        names += batch
        asker.ask("records/lookup", {"records": [{"recordName": chance.choice(names)} for _ in range(5)]} | zone)
        asker.ask("records/query", page(chance.choice((1, 20, 200)), sortBy=[{"fieldName": "rank"}]) | zone)
        asker.ask("records/modify", {"operations": [{"operationType": "forceUpdate", "record": {
            "recordType": "Note", "recordName": chance.choice(names), "fields": {"rank": {"value": 1}}}}]} | zone)
        if len(names) > 3_000:
            old, state["names"] = names[:200], names[200:]
            asker.ask("records/modify", {"operations": [
                {"operationType": "forceDelete", "record": {"recordName": name}} for name in old]} | zone)
    return step


def feeds(load):
    """Follows the zone; now and then from its beginning."""
    def step(chance, state):
        zone = {"zoneID": {"zoneName": "Feed"}}
        if state.get("token") and not chance.randrange(50) == 0:
            zone["syncToken"] = state["token"]
        while True:
            answer = client(load, state).ask("changes/zone", {"zones": [zone]})["zones"][0]
            zone["syncToken"] = state["token"] = answer["syncToken"]
            if not answer["moreComing"] or load.over.is_set():
                return
    return step


def files(load):
    """Uploads a file, saves its record, fetches it and deletes the record."""
    def step(chance, state):
        asker, port = client(load, state), load.server.port
        name = f"file-{state['number']}-{chance.randrange(40)}"
        [place] = asker.ask("assets/upload", {"tokens": [
            {"recordName": name, "recordType": "Photo", "fieldName": "file"}]})["tokens"]
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        try:
            connection.request("POST", urllib.parse.urlsplit(place["url"]).path, os.urandom(chance.randrange(1_000, 1 << 20)))
            file = json.loads(connection.getresponse().read())["singleFile"]
            [saved] = asker.ask("records/modify", {"operations": [{"operationType": "forceReplace", "record": {
                "recordName": name, "recordType": "Photo", "fields": {"file": {"value": file}}}}]})["records"]
            connection.request("GET", urllib.parse.urlsplit(saved["fields"]["file"]["value"]["downloadURL"]).path)
            connection.getresponse().read()
        finally:
            connection.close()
    return step


def versions(load):
    """Changes records whose versions are kept, and reads these."""
    def step(chance, state):
        asker, name = client(load, state), f"kept-{chance.randrange(50)}"
        asker.ask("records/modify", {"operations": [{"operationType": "forceReplace", "record": {
            "recordName": name, "recordType": "Kept", "fields": {"text": {"value": "y" * chance.randrange(10, 8_000)}}}}]})
        asker.ask("records/versions", {"recordName": name})
    return step


def secrets(load):
    """Writes and reads encrypted fields."""
    def step(chance, state):
        asker, name = client(load, state), f"secret-{chance.randrange(200)}"
        asker.ask("records/modify", {"operations": [{"operationType": "forceReplace", "record": {
            "recordName": name, "recordType": "Secret", "fields": {
                "rank": {"value": chance.randrange(100)},
                "text": {"value": "z" * chance.randrange(10, 4_000), "type": "STRING", "isEncrypted": True}}}}]})
        asker.ask("records/query", page(200, "Secret", sortBy=[{"fieldName": "rank"}]))
    return step


def lives(load):
    """A live query for some seconds, each with a predicate of its own."""
    def step(chance, state):
        query = {"query": {"recordType": "Note", "predicate": f"rank > {chance.randrange(1_000)} AND text CONTAINS 'x'"},
                 "resultsLimit": chance.choice((1, 50, 200))}
        target = load.server.path("records/live", "public", load.server.web_token)
        with load.server.connect(seconds=5) as connection:
            connection.sendall(f"GET {target}&query={urllib.parse.quote(json.dumps(query))} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
            end = time.monotonic() + chance.uniform(2, 20)
            while time.monotonic() < end and not load.over.is_set():
                try:
                    if not connection.recv(1 << 16):
                        return
                except TimeoutError:
                    continue
    return step


def courier(load):
    """The address of a receiver of all changes of notes."""
    asker = load.server.client("private")
    asker.ask("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
        "subscriptionID": "all", "subscriptionType": "query", "firesOn": ["create", "update", "delete"],
        "query": {"recordType": "Note"}, "zoneID": {"zoneName": "Feed"},
        "notificationInfo": {"additionalFields": ["rank"]}}}]})
    device = load.server.client("public")
    device.prefix = f"/device/1/{CONTAINER}/development/"
    address = device.ask("tokens/create", {"apnsEnvironment": "development"})["webcourierURL"]
    return urllib.parse.urlsplit(address).path


def polls(load):
    """Polls for notifications, the next at once."""
    def step(chance, state):
        path = state.setdefault("path", None) or courier(load)
        state["path"] = path
        connection = http.client.HTTPConnection("127.0.0.1", load.server.port, timeout=70)
        try:
            connection.request("GET", path + (f"?after={state['last']}" if state.get("last") else ""))
            answer = connection.getresponse()
            body = answer.read()
            if answer.status == 200:
                state["last"] = json.loads(body)["ck"]["nid"]
        finally:
            connection.close()
    return step


def sign_ins(load):
    """Passwords for addresses that nobody has: each costs what a right one does."""
    def step(chance, state):
        if "form" not in state:
            connection = http.client.HTTPConnection("127.0.0.1", load.server.port, timeout=60)
            connection.request("GET", PAGE, headers={"Accept": "text/html"})
            answer = connection.getresponse()
            text = answer.read().decode()
            connection.close()
            state["form"] = (answer.getheader("Set-Cookie").split(";")[0], text.split('name="csrf" value="')[1].split('"')[0])
        cookie, code = state["form"]
        post(load.server, PAGE, f"198.51.{chance.randrange(256)}.{chance.randrange(256)}",
             {"csrf": code, "address": f"p{chance.randrange(10_000)}@example.org", "password": "a wrong raven"},
             {"Cookie": cookie, "Accept": "text/html"})
    return step


def backups(load, place):
    """A backup beside the server, into a new folder each time."""
    def step(chance, state):
        command("backup", str(place), "--data", str(load.server.data), check=False, seconds=300)
    return step


class Hook(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response_only(204)
        self.end_headers()

    def log_message(self, *_):
        pass


def prepare(server):
    """Restarts the server with an archive, and makes zone, types and webhook."""
    home = pathlib.Path(server.data).parent
    (home / "archive").mkdir()
    server.options = (*server.options, "--archive-to", str(home / "archive"), "--webhook-targets", "any")
    server.restart(15)
    asker = server.client("private")
    asker.ask("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Feed"}}}]})
    for record_type in ("Kept", "Secret"):
        asker.ask("records/modify", {"operations": [create("first", record_type, text="t", rank=0)]} if record_type == "Kept" else
                  {"operations": [{"operationType": "create", "record": {
                      "recordName": "secret-first", "recordType": "Secret", "fields": {
                          "rank": {"value": 0}, "text": {"value": "t", "type": "STRING", "isEncrypted": True}}}}]})
    asker.close()
    here = ("--data", str(server.data), "--container", CONTAINER)
    command("versions", "keep", "Kept", *here)
    command("sign-in", "set", "open", *here)
    hook = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hook)
    threading.Thread(target=hook.serve_forever, daemon=True).start()
    command("webhook", "add", f"http://127.0.0.1:{hook.server_address[1]}/", "--type", "Note", *here)
    return home


def gauges(server):
    """All metrics but the histograms, by name."""
    _, text = get(server.port, "/metrics")
    lines = (line.rsplit(" ", 1) for line in text.decode().splitlines() if line and not line.startswith("#"))
    return {name: float(value) for name, value in lines if "_bucket" not in name and value not in ("NaN", "+Inf")}


def kinds(server):
    """The memory by kind, in KiB, as the kernel counts it."""
    text = pathlib.Path(f"/proc/{server.pid}/status").read_text()
    found = {line.split(":")[0]: int(line.split()[1]) for line in text.splitlines() if line.startswith(("VmRSS", "Rss", "Threads"))}
    heap = 0
    lines = pathlib.Path(f"/proc/{server.pid}/smaps").read_text().splitlines()
    for index, line in enumerate(lines):
        if line.endswith("[heap]"):
            heap += next(int(more.split()[1]) for more in lines[index:] if more.startswith("Rss:"))
    return found | {"heap": heap}


def trace(server, path, over):
    start = time.monotonic()
    with open(path, "a") as file:
        while True:
            try:
                line = {"t": round(time.monotonic() - start)} | kinds(server) | {"metrics": gauges(server)}
            except (OSError, http.client.HTTPException) as error:
                line = {"t": round(time.monotonic() - start), "error": str(error)}
            print(json.dumps(line), file=file, flush=True)
            if over.wait(10):
                return


def run(server, seconds):
    home = prepare(server)
    over = threading.Event()
    if TRACE in os.environ:
        in_threads(1, lambda _: trace(server, os.environ[TRACE], over))
    load = Load(server)
    before = server.rss()
    with MemoryWatch(server, interval=0.5) as memory:
        load.start("records", records(load, "public"), 0.02, 6)
        load.start("zone", records(load, "private"), 0.02, 4)
        load.start("feeds", feeds(load), 0.1, 4)
        load.start("files", files(load), 0.1, 3)
        load.start("versions", versions(load), 0.05, 2)
        load.start("secrets", secrets(load), 0.05, 2)
        load.start("live queries", lives(load), 0.1, LIVE_QUERIES)
        load.start("polls", polls(load), 0, 4)
        load.start("sign-ins", sign_ins(load), 0.5, 2)
        load.start("backups", backups(load, home / "backups"), 60)
        time.sleep(seconds)
        load.stop()
        busy = len(memory.samples)
        time.sleep(min(90, max(5, seconds / 4)))
        over.set()
    shutil.rmtree(home / "backups", ignore_errors=True)
    settled = [rss for when, rss in memory.samples[:busy] if when >= SETTLING_SECONDS]
    is_long = seconds >= 2 * SETTLING_SECONDS
    part = max(1, len(settled) // 5)
    # A password is looked at with 32 MiB for a moment, and a body may have 16: what is held when there is none of them.
    growth = (percentile(settled[-part:], 10) / percentile(settled[:part], 10) - 1) * 100 if is_long else 0
    steps = [f"{when:.0f} s {rss:.0f}" for when, rss in memory.samples[::max(1, len(memory.samples) // 12)]]
    kept = memory.last - before
    return [
        row(f"{seconds:.0f} s of everything: growth of memory after {SETTLING_SECONDS} s", f"<= {GROWTH_PERCENT} %",
            f"{growth:.1f} % ({', '.join(steps)} MiB)" if is_long else f"not measured: {', '.join(steps)} MiB",
            growth <= GROWTH_PERCENT if is_long else None),
        row("memory at rest, above that before", f"<= {KEPT_MIB} MiB", f"{kept:.0f} MiB", kept <= KEPT_MIB, exact=True),
        row("what was done", "all of it", ", ".join(f"{count} {name}" for name, count in sorted(load.done.items())),
            len(load.done) == 10),
        row("failures", "0", str(len(load.failures)) + " ".join(load.failures[:2]), not load.failures),
    ]


if __name__ == "__main__":
    if "--trace" in sys.argv:
        place = sys.argv.index("--trace")
        os.environ[TRACE] = sys.argv.pop(place + 1)
        sys.argv.pop(place)
    main(run, seconds=1_320)
