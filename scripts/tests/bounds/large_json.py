"""Requests of 16 MiB whose JSON is made to take much memory.

With an app's token, one after the other and eight at once: at most 4 times the body for each that is worked on, and the
memory is given back."""

import threading
import time

from common import MIB, MemoryWatch, NormalClient, at_most, in_threads, main, row

BODY = 16 * MIB - 64
ATONCE = 8


def bodies():
    """Bodies of the largest size by what they are made of."""
    def filled(start, item, end):
        count = (BODY - len(start) - len(end)) // len(item)
        return (start + item * count).rstrip(b",") + end

    return {
        "numbers": filled(b'{"x":[', b"0,", b"]}"),
        "objects": filled(b'[', b'{"":0},', b"]"),
        "members": filled(b'{', b'"":0,', b"}"),
        "lists": filled(b'{"x":[', b"[],", b"]}"),
        "nested": filled(b'{"operations":[', b'{"a":{"b":[{}]}},', b"]}"),
        "texts": filled(b'{"x":[', b'"abcdefghijklmnop",', b"]}"),
        "escapes": b'{"x":"' + b"\\n" * (BODY // 2 - 10) + b'"}',
        "one text": b'{"x":"' + b"y" * (BODY - 10) + b'"}',
    }


def post(server, body):
    client = server.reader(seconds=120)
    try:
        client.connection.request("POST", server.path("records/query"), body, {"Content-Type": "application/json"})
        answer = client.connection.getresponse()
        answer.read()
        return answer.status
    except OSError as error:
        return str(error)
    finally:
        client.close()


def run(server, seconds):
    rows = []
    start = server.rss()
    for name, body in bodies().items():
        before = server.rss()
        with MemoryWatch(server, interval=0.005) as memory:
            status = post(server, body)
        # Another process's working set is only as exact as the system's counters: 8 MiB.
        rows.append(at_most(f"16 MiB of JSON ({name}): memory, answer {status}",
                            before + 4 * BODY / MIB + 8, memory.peak, "MiB"))
    statuses = []
    large = list(bodies().values())
    over = time.monotonic() + seconds
    with MemoryWatch(server, interval=0.005) as memory, NormalClient(server) as normal:
        def send(number):
            while time.monotonic() < over:
                statuses.append(post(server, large[number % len(large)]))
        for thread in in_threads(ATONCE, send):
            thread.join(seconds + 120)
    collecting = (server.limit("heldBodyBytes") or 0) / MIB
    working = 4 * (server.limit("workingBodyBytes") or 0) / MIB
    rows.append(at_most(f"{ATONCE} bodies of 16 MiB at once: memory", start + collecting + working + 32, memory.peak,
                        "MiB"))
    rows.append(row(f"{ATONCE} bodies of 16 MiB at once: failures of others", "0", str(len(normal.failures)),
                    not normal.failures))
    time.sleep(3)
    rows.append(at_most("16 MiB of JSON: memory 3 s later", start + 48, server.rss(), "MiB"))
    return rows


if __name__ == "__main__":
    main(run, seconds=10)
