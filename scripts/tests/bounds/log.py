#!/usr/bin/env python3
"""The write-ahead log stays small while twelve writers send batches beside readers, and a restart is quick.

Some of the readers ask for what no index answers, so that a reader is always at work: without anybody's doing, there is
no moment at which the log could start over.
"""

import threading
import time

from common import MIB, NormalClient, create, main, page, row

WRITERS, READERS, BATCH = 12, 4, 40
# It is emptied some seconds after the last write; a slow machine takes longer.
IDLE_SECONDS, EMPTIED_SECONDS = 12, 120

# It restarts servers, and what it measures is its own.
ALONE = True


class Load:
    """Writers and readers that go on until they are told to end."""

    def __init__(self, server):
        self.server, self.over = server, threading.Event()
        self.records, self.pages, self.scans, self.refused, self.errors = 0, 0, 0, 0, []
        self.lock = threading.Lock()
        work = [(self._write, number) for number in range(WRITERS)]
        work += [(self._read, number) for number in range(READERS)]
        self.threads = [threading.Thread(target=self._run, args=(each, number), daemon=True) for each, number in work]

    def __enter__(self):
        for thread in self.threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        for thread in self.threads:
            thread.join(90)

    def _run(self, work, number):
        client, step = None, 0
        while not self.over.is_set():
            try:
                client = client or self.server.client(seconds=90)
                step += 1
                work(client, number, step)
            except Exception as error:  # noqa: BLE001: whatever comes is counted, and the load goes on
                text = f"{type(error).__name__}: {error}"[:300]
                with self.lock:
                    if "TRY_AGAIN_LATER" in text:
                        self.refused += 1
                    else:
                        self.errors.append(text)
                if client:
                    client.close()
                client = None
                time.sleep(0.05)

    def _write(self, client, number, step):
        client.ask("records/modify", {"operations": [
            create(f"load-{id(self)}-{number}-{step}-{item}", text="x" * 1500, rank=step * BATCH + item)
            for item in range(BATCH)]})
        with self.lock:
            self.records += BATCH

    def _read(self, client, number, step):
        if number % 2:
            client.ask("records/query", page(200))
            with self.lock:
                self.pages += 1
        else:
            # No index finds a text in the middle of another one: this looks at every record.
            client.ask("records/count", {"query": {"recordType": "Note", "predicate": "text CONTAINS 'yz'"}})
            with self.lock:
                self.scans += 1


def log_size(server):
    """The size of the log's file in bytes."""
    path = server.data / "stratus.sqlite-wal"
    return path.stat().st_size if path.exists() else 0


def run(server, seconds):
    bound = server.limit("logBytes") or 64 * MIB
    largest = 0
    with Load(server) as load, NormalClient(server) as normal:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            largest = max(largest, log_size(server))
            time.sleep(0.02)
    largest = max(largest, log_size(server))
    size = (server.data / "stratus.sqlite").stat().st_size
    restart = server.restart()
    # Enough for the log to be worth emptying.
    with Load(server):
        time.sleep(2)
    time.sleep(IDLE_SECONDS)
    idle, end = log_size(server), time.monotonic() + EMPTIED_SECONDS
    while idle > MIB and time.monotonic() < end:
        time.sleep(0.5)
        idle = log_size(server)
    return [
        row("log beside 12 writers and 4 readers", f"<= {bound // MIB} MiB", f"{largest / MIB:.1f} MiB",
            largest <= bound, exact=True),
        row("log after some seconds without writes", "<= 1 MiB", f"{idle / MIB:.1f} MiB", idle <= MIB, exact=True),
        row("restart after kill -9 beside that log", "< 1 s", f"{restart:.2f} s", restart < 1),
        row("records, pages, scans meanwhile", "> 0 of each",
            f"{load.records}, {load.pages}, {load.scans}; {load.refused} told to try again; database {size // MIB} MiB",
            min(load.records, load.pages, load.scans) > 0),
        row("a create beside it, p99 (slowest)", "told",
            f"{normal.create_p99 or 0:.0f} ms ({normal.create_max or 0:.0f} ms)", bool(normal.creates)),
        row("errors besides", "none", "; ".join(sorted(set(load.errors + normal.failures))[:3]) or "none",
            not load.errors and not normal.failures),
    ]


if __name__ == "__main__":
    main(run, seconds=60)
