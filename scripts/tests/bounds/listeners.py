#!/usr/bin/env python3
"""One visitor's live queries, and one user's subscriptions, whose predicates go through long texts of each change.

Predicates over the price are refused. 100 live queries of eight LIKE each, and 40 subscriptions of twenty with an open poll, are told of
records with texts of 900 KB: others are answered meanwhile, and what the listeners may use of the processor is a budget."""

import json
import threading
import time
import urllib.parse

from common import CONTAINER, NormalClient, at_most, create, get, idle_client, in_threads, main, percentile, row

# What others see is that of this attack alone.
ALONE = True
LIVE_QUERIES = 100
SUBSCRIPTIONS = 40
TEXT_BYTES = 900_000
LETTERS = "abcdefghijklmnopqrstuvwxyz"
# Beside the budget: requests, the log and one question that began within it.
REST_SECONDS = 10


def predicate(number, parts):
    """So many parts, and no two predicates alike."""
    return " OR ".join(
        f'text LIKE[cd] "*{LETTERS[(number + part) % 26]}{number}*{LETTERS[part % 26]}*q{part}*"' for part in range(parts))


def live(server, parts, number=0, seconds=60):
    """A connection with a live query, after the head of its answer; and the status."""
    query = {"query": {"recordType": "Long", "predicate": predicate(number, parts)}, "resultsLimit": 1}
    connection = server.connect(seconds=seconds)
    connection.sendall(f"GET {server.path('records/live')}&query={urllib.parse.quote(json.dumps(query))} HTTP/1.1\r\n"
                       "Host: localhost\r\n\r\n".encode())
    head = b""
    while b"\r\n\r\n" not in head:
        more = connection.recv(1)
        if not more:
            break
        head += more
    return connection, int(head.split(b" ", 2)[1])


def save(server, number):
    """A record with a long text, by a user."""
    client = server.client()
    client.ask("records/modify", {"operations": [
        create(f"long-{time.monotonic_ns()}-{number}", "Long", text="lorem ipsum dolor " * (TEXT_BYTES // 18))]})
    client.close()


class Health:
    """How long /healthz takes, again and again."""

    def __init__(self, server):
        self.server, self.times, self.over = server, [], threading.Event()

    def __enter__(self):
        [self.thread] = in_threads(1, lambda _: self.work())
        return self

    def work(self):
        while not self.over.wait(0.1):
            start = time.monotonic()
            get(self.server.port, "/healthz", seconds=60)
            self.times.append((time.monotonic() - start) * 1000)

    def __exit__(self, *_):
        self.over.set()
        self.thread.join(60)


def budget(server, seconds):
    """What a party may use of the processor in so many seconds."""
    return (server.limit("listenerMilliseconds") + server.limit("listenerMillisecondsPerMinute") * seconds / 60) / 1000


def processor(server, what, seconds):
    """One change, and what it costs the processor until it is idle, or the time is over."""
    before, start = server.processor_seconds(), time.monotonic()
    save(server, 0)
    last, idle = before, 0
    while time.monotonic() - start < seconds and idle < 3:
        time.sleep(1)
        now = server.processor_seconds()
        idle, last = idle + 1 if now - last < 0.05 else 0, now
    used = server.processor_seconds() - before
    allowed = budget(server, time.monotonic() - start) + REST_SECONDS
    return row(f"{what}: processor for one change", f"<= {allowed:.0f} s", f"{used:.1f} s", used <= allowed, exact=True)


def beside(server, what, seconds, idle):
    """Others, while one user saves such texts all the time."""
    over, saved = threading.Event(), []

    def work(number):
        while not over.is_set():
            save(server, number)
            saved.append(number)

    with NormalClient(server) as normal, Health(server) as health:
        threads = in_threads(1, work)
        time.sleep(seconds)
        over.set()
        for thread in threads:
            thread.join(120)
    return [
        row(f"{what}, {len(saved)} texts of {TEXT_BYTES // 1000} KB: failures of others", "0",
            str(len(normal.failures)) + "".join(normal.failures[:1]), not normal.failures, exact=True),
        at_most(f"{what}: p99 of a create, others", max(250, 5 * idle.create_p99), normal.create_p99, "ms"),
        at_most(f"{what}: p99 of a page, others", max(250, 5 * idle.page_p99), normal.page_p99, "ms"),
        at_most(f"{what}: p99 of /healthz", 250, percentile(health.times, 99), "ms"),
    ]


def subscribe(server):
    """One user's subscriptions, and the path of a courier."""
    client = server.client()
    refused = client.post("subscriptions/modify", {"operations": [subscription(0, 250)]})[1]
    client.ask("subscriptions/modify", {"operations": [subscription(number, 20) for number in range(SUBSCRIPTIONS)]})
    client.prefix = f"/device/1/{CONTAINER}/development/"
    address = client.ask("tokens/create", {"apnsEnvironment": "development"})["webcourierURL"]
    client.close()
    return refused["subscriptions"][0].get("serverErrorCode"), urllib.parse.urlsplit(address).path


def subscription(number, parts):
    return {"operationType": "create", "subscription": {
        "subscriptionID": f"long-{number}", "subscriptionType": "query", "firesOn": ["create", "update"],
        "query": {"recordType": "Long", "predicate": predicate(number, parts)}}}


def run(server, seconds):
    save(server, 0)
    idle = idle_client(server)
    connection, refused = live(server, 250)
    connection.close()
    rows = [row("a live query of 250 LIKE", "400", str(refused), refused == 400, exact=True)]
    opened = [live(server, 8, number) for number in range(LIVE_QUERIES)]
    statuses = [status for _, status in opened]
    what = f"{LIVE_QUERIES} live queries of eight LIKE"
    rows.append(row(f"{what}: opened", str(LIVE_QUERIES), str(statuses.count(200)), statuses.count(200) == LIVE_QUERIES,
                    exact=True))
    rows.append(processor(server, what, max(10, seconds)))
    rows += beside(server, what, seconds, idle)
    for connection, _ in opened:
        connection.close()
    code, path = subscribe(server)
    rows.append(row("a subscription of 250 LIKE", "BAD_REQUEST", str(code), code == "BAD_REQUEST", exact=True))
    poll = server.connect(seconds=60)
    poll.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    what = f"{SUBSCRIPTIONS} subscriptions of twenty LIKE and a poll"
    rows.append(processor(server, what, max(10, seconds)))
    rows += beside(server, what, seconds, idle)
    poll.close()
    return rows


if __name__ == "__main__":
    main(run, seconds=20)
