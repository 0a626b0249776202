"""What the attacks in this folder share: a server on a fresh directory, a normal client beside the attack, figures.

Each file here is one attack or load: `run(server, seconds)` drives it and gives a list of rows
`{"what", "asked", "seen", "ok", "exact"}`. Alone, `NAME.py --seconds 30` starts a server of its own and prints the rows
as JSON; the exit status is 1 when a bound does not hold. They are not tests of `make test` by themselves.
"""

import argparse
import json
import pathlib
import socket
import sys
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from support import Client, Failure, Workplace, expect, free_port, get, make_token, run, stratus  # noqa: E402

# Times are asked of a release build; a debug build, which `make test` has, is given more of them.
DEBUG_FACTOR = 1 if "/release/" in stratus() else 20
CONTAINER = "iCloud.org.stratus.bounds"
MIB = 1 << 20


class BoundsServer:
    """A running server with an app's token and a user's; what an attack needs to know of it."""

    def __init__(self, workplace, *options):
        self.workplace = workplace
        self.options = options
        self.port = free_port()
        self.container = CONTAINER
        self._start()
        run("user", "add", "ada", "--data", str(self.data), "--container", CONTAINER)
        self.api_token = make_token(self.data, CONTAINER)
        self.web_token = make_token(self.data, CONTAINER, "--user", "ada")
        self._make_schema()

    def _start(self):
        self.process = self.workplace.start("serve", "data", self.port, "--log-level", "warning", *self.options)
        return self.process.wait_until_ready()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self):
        return self.process.process.pid

    @property
    def data(self):
        return self.process.data

    def new_user(self, name):
        """The web auth token of another user."""
        run("user", "add", name, "--data", str(self.data), "--container", CONTAINER)
        return make_token(self.data, CONTAINER, "--user", name)

    def client(self, database="public", web_token=None, seconds=60):
        """A client that is signed in."""
        return Client(self.port, CONTAINER, database, self.api_token, web_token or self.web_token, seconds=seconds)

    def reader(self, seconds=60):
        """A client of the public database with an app's token alone."""
        return Client(self.port, CONTAINER, "public", self.api_token, seconds=seconds)

    def restart(self, number=9):
        """Ends the server with a signal and starts it on the same data; the seconds until it is ready."""
        self.process.send(number)
        self.process.wait()
        return self._start()

    def path(self, endpoint, database="public", web_token=None):
        """The target of a request with its tokens, for attacks that write their own HTTP."""
        query = {"ckAPIToken": self.api_token} | ({"ckWebAuthToken": web_token} if web_token else {})
        return f"/database/1/{CONTAINER}/development/{database}/{endpoint}?{urllib.parse.urlencode(query)}"

    def connect(self, receive_buffer=None, seconds=30):
        """A plain socket to the server."""
        client = socket.socket()
        if receive_buffer:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        client.settimeout(seconds)
        client.connect(("127.0.0.1", self.port))
        return client

    def rss(self):
        """The memory that the server holds, in MiB."""
        for line in pathlib.Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise Failure("The server has no memory: it is gone.")

    def processor_seconds(self):
        """The time that the server has used of all cores."""
        fields = pathlib.Path(f"/proc/{self.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / 100

    def metric(self, name):
        """The sum of a metric's series; 0 while there are none."""
        _, text = get(self.port, "/metrics")
        return sum(float(line.rsplit(" ", 1)[1]) for line in text.decode().splitlines()
                   if line.startswith((name + " ", name + "{")))

    def limit(self, name):
        """A limit as /limits publishes it; None where there is none of this name."""
        return json.loads(get(self.port, "/limits")[1])["limits"].get(name)

    def _make_schema(self):
        """The type `Note` with a text, a number and a place, and 200 records of it."""
        client = self.client()
        client.ask("records/modify", {"operations": [
            create(f"note-{number}", text=f"Note {number}", rank=number) for number in range(200)]})
        client.close()


def create(name, record_type="Note", **fields):
    """The operation that makes a record."""
    return {"operationType": "create", "record": {
        "recordType": record_type, "recordName": name,
        "fields": {key: {"value": value} for key, value in fields.items()}}}


def page(limit=20, record_type="Note", **more):
    """The body of a query for a page."""
    return {"query": {"recordType": record_type, **more}, "resultsLimit": limit}


def percentile(values, percent):
    """The value below which so many of a hundred lie; None where there are no values."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))] if ordered else None


class NormalClient:
    """Reads pages and creates records in the background, one after the other, and remembers how long each took.

        with NormalClient(server) as normal:
            attack()
        normal.create_p99   # milliseconds
    """

    counter = 0

    def __init__(self, server, pause=0.01):
        self.server = server
        self.pause = pause
        self.creates, self.pages, self.failures = [], [], []
        NormalClient.counter += 1
        self.name = f"normal-{NormalClient.counter}-{time.monotonic_ns()}"
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join(90)

    def _work(self):
        number, client = 0, None
        while not self._over.is_set():
            try:
                client = client or self.server.client()
                number += 1
                self._time(self.creates, client, "records/modify", {"operations": [
                    create(f"{self.name}-{number}", text="x" * 200, rank=number)]})
                self._time(self.pages, client, "records/query", page())
            except Exception as error:
                self.failures.append(f"{type(error).__name__}: {error}"[:300])
                if client:
                    client.close()
                client = None
            self._over.wait(self.pause)
        if client:
            client.close()

    def _time(self, times, client, endpoint, body):
        start = time.monotonic()
        try:
            client.ask(endpoint, body)
        finally:
            times.append((time.monotonic() - start) * 1000)

    create_p99 = property(lambda self: percentile(self.creates, 99))
    create_max = property(lambda self: max(self.creates, default=None))
    page_p99 = property(lambda self: percentile(self.pages, 99))
    page_max = property(lambda self: max(self.pages, default=None))


class MemoryWatch:
    """Looks at the server's memory while something else happens; `peak` and `samples` in MiB."""

    def __init__(self, server, interval=0.05):
        self.server, self.interval = server, interval
        self.samples = [(0.0, server.rss())]
        self._start = time.monotonic()
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self._thread.join()

    def _work(self):
        while not self._over.wait(self.interval):
            try:
                self.samples.append((time.monotonic() - self._start, self.server.rss()))
            except (OSError, Failure):
                return

    first = property(lambda self: self.samples[0][1])
    peak = property(lambda self: max(rss for _, rss in self.samples))
    last = property(lambda self: self.samples[-1][1])


def idle_client(server, seconds=3):
    """The latencies of a normal client that is alone."""
    with NormalClient(server) as normal:
        time.sleep(seconds)
    expect(not normal.failures, f"The normal client failed while it was alone: {normal.failures[:1]}")
    return normal


def in_threads(count, work):
    """Runs `work(number)` in so many threads; gives the threads, which have started."""
    threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    return threads


def row(what, asked, seen, ok, exact=False):
    """One line of the table; `ok` is None where the run was too short to tell.

    A line is exact where it has to hold however slow the machine is, and beside the other attacks where its module can
    share a server: what is counted or answered, not how long it took. `make test` fails on exact lines alone."""
    return {"what": what, "asked": asked, "seen": seen, "ok": None if ok is None else bool(ok), "exact": exact}


def at_most(what, limit, seen, unit="", exact=False):
    """A line whose figure has an upper bound; a figure that is missing does not hold it."""
    if unit in ("ms", "s"):
        limit *= DEBUG_FACTOR
    shown = "nothing" if seen is None else f"{seen:.1f} {unit}".strip()
    return row(what, f"<= {limit:.0f} {unit}".strip(), shown, seen is not None and seen <= limit, exact)


def main(attack, seconds=10, options=()):
    """Runs one attack alone against a server of its own."""
    parser = argparse.ArgumentParser(description=(sys.modules["__main__"].__doc__ or "").split("\n")[0])
    parser.add_argument("--seconds", type=float, default=seconds, help="how long the load lasts")
    arguments = parser.parse_args()
    try:
        with Workplace("bounds") as workplace:
            rows = attack(BoundsServer(workplace, *options), arguments.seconds)
    except Failure as failure:
        sys.exit(f"FAILED: {failure}")
    print(json.dumps(rows, indent=2))
    sys.exit(1 if any(item["ok"] is False for item in rows) else 0)
