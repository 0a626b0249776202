"""Clients with an app's token that ask for large pages and take 2 kB/s of them.

20 connections ask for 200 records of 1 MiB each: the memory stays within the cache, 64 MiB and 1 MiB for each of
them, and others go on."""

import threading
import time

from common import MIB, MemoryWatch, NormalClient, at_most, create, idle_client, in_threads, main, page, row

READERS = 20
RECORDS = 200
RECORD_BYTES = 1_000_000
# What SQLite's connections may keep of the database.
CACHE_MIB = 64


def make_records(server):
    """200 records of the largest size, of a type of their own: another attack counts its own large ones."""
    client = server.client(seconds=120)
    if client.post("records/lookup", {"records": [{"recordName": "slow-0"}], "desiredKeys": []})[1].get(
            "records", [{}])[0].get("recordType") == "Slow":
        return client.close()
    for start in range(0, RECORDS, 10):
        client.ask("records/modify", {"operations": [
            create(f"slow-{number}", record_type="Slow", text="x" * RECORD_BYTES, rank=number)
            for number in range(start, start + 10)]})
    client.close()


def read_slowly(server, over, taken):
    body = b'{"query":{"recordType":"Slow"},"resultsLimit":200}'
    with server.connect(receive_buffer=4_096) as client:
        client.sendall(f"POST {server.path('records/query')} HTTP/1.1\r\nHost: localhost\r\n"
                       f"Content-Length: {len(body)}\r\n\r\n".encode() + body)
        while not over.wait(0.5):
            try:
                got = client.recv(1_024)
            except OSError:
                return taken.append("cut off")
            if not got:
                return taken.append("ended")
    taken.append("reading")


def run(server, seconds):
    make_records(server)
    time.sleep(2)
    idle = idle_client(server)
    over, taken = threading.Event(), []
    with MemoryWatch(server) as memory, NormalClient(server) as normal:
        threads = in_threads(READERS, lambda _: read_slowly(server, over, taken))
        time.sleep(seconds)
        over.set()
        for thread in threads:
            thread.join(30)
    allowed = memory.first + CACHE_MIB + 64 + READERS
    what = f"{READERS} readers of {RECORDS} records of 1 MiB at 2 kB/s"
    return [
        at_most(f"{what}: memory", allowed, memory.peak, "MiB"),
        at_most(f"{what}: p99 of a page, others", max(50, 5 * idle.page_p99), normal.page_p99, "ms"),
        row(f"{what}: failures of others", "0", str(len(normal.failures)) + "".join(normal.failures[:1]),
            not normal.failures),
    ]


if __name__ == "__main__":
    main(run, seconds=20)
