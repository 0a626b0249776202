#!/usr/bin/env python3
"""Anonymous readers ask for ever new sort orders of very many records, while a normal client writes.

A million records with 100 seconds and more, fewer below.
"""

import itertools
import sqlite3
import threading
import time

from common import MemoryWatch, NormalClient, at_most, idle_client, in_threads, main, page, row
from seed import multiply

ALONE = True
CREATE_P99_MILLISECONDS = 50
READERS = 4
FIELDS = [f"f{number}" for number in range(6)]


def orders():
    """Ever new orders: each pair of fields in each direction."""
    shapes = [(first, second, up, down) for first, second in itertools.permutations(FIELDS, 2)
              for up in (True, False) for down in (True, False)]
    return itertools.cycle([{"sortBy": [{"fieldName": first, "ascending": up}, {"fieldName": second, "ascending": down}]}
                            for first, second, up, down in shapes])


def ask(server, shapes, lock, over, answers):
    client = server.reader()
    while not over.is_set():
        with lock:
            shape = next(shapes)
        try:
            status, _ = client.post("records/query", page(20, "Bulk", **shape))
        except OSError:
            status = 0
            client.close()
            client = server.reader()
        answers.append(status)
    client.close()


def run(server, seconds):
    count = 1_000_000 if seconds >= 100 else 200_000 if seconds >= 30 else 30_000
    multiply(server, count, "Bulk", **{name: number for number, name in enumerate(FIELDS)})
    idle = idle_client(server, 2)
    answers, over, lock, shapes = [], threading.Event(), threading.Lock(), orders()
    with NormalClient(server) as normal, MemoryWatch(server) as memory:
        threads = in_threads(READERS, lambda _: ask(server, shapes, lock, over, answers))
        time.sleep(seconds)
        over.set()
        for thread in threads:
            thread.join(60)
    with sqlite3.connect(f"file:{server.data / 'stratus.sqlite'}?mode=ro", uri=True) as store:
        (there,) = store.execute("SELECT count(*) FROM automatic_index WHERE state <> 3").fetchone()
        # Each index and each removal of one is a job, whose numbers are given once.
        made = store.execute("SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'job'").fetchone()[0]
    most = server.limit("automaticIndexesPerType")
    return [
        at_most("create of a client that is alone, p99 (told)", 60_000, idle.create_p99, "ms"),
        at_most(f"new sort orders of {count:,} records: create, p99", CREATE_P99_MILLISECONDS, normal.create_p99, "ms"),
        at_most("create, longest (told)", 60_000, normal.create_max, "ms"),
        at_most("indexes that were begun, and were dropped", 2 * most, made, exact=True),
        at_most("indexes that are there or being made", 2 * most, there, exact=True),
        at_most("memory that it takes", 64, memory.peak - memory.first, "MiB", exact=True),
        row("orders that were answered (told)", "any", f"{answers.count(200)} of {len(answers)}", True),
        row("failures of others", "0", str(len(normal.failures)), not normal.failures, exact=True),
    ]


if __name__ == "__main__":
    main(run, 10)
