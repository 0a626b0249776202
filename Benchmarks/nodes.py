#!/usr/bin/env python3
"""Several nodes on one PostgreSQL, many writers, and a follower of the changes at each node.

    STRATUS=.build/release/stratus Benchmarks/nodes.py                    4 nodes, 64 writers, 60 s; 1 and 1,000 databases
    STRATUS=… Benchmarks/nodes.py --databases 20 --seconds 10 --writers 8  less of it
    STRATUS=… Benchmarks/nodes.py --told 1000                              how soon other nodes tell of a change

Each writer asks a node of its own for creates, and now and then changes a record that it made, in private databases that it
picks by the seed; all it writes has a number that grows. Each follower asks `changes/zone` of its node for one database after
the other, each time from where it was. What it is told is compared with what was acknowledged:

- missed: a record whose last acknowledged number was never told;
- repeated: a number told twice;
- out of order: a number of a writer that is less than one told before, in one database.

With `--told`, a live query and a web courier are followed at each node, and one record is changed as often, at each node in turn, once
with nothing else to do and once beside the writers, in the last of `--databases`. Printed is how long it takes from sending the
change, and from its answer, to each receiver at another node.

Benchmarks/README.md has the results. Standard library and PostgreSQL only; the cluster is the script's own, with fsync on.
"""

import argparse
import concurrent.futures
import json
import multiprocessing
import pathlib
import random
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "scripts/tests"))

import notifications  # noqa: E402
from clusters import cluster_of_nodes, start_nodes  # noqa: E402
from delays import TimedCourier, TimedLive, describe, measure_delays  # noqa: E402
from support import Client, Failure, add_user, expect, free_ports, main  # noqa: E402

CONTAINER = "iCloud.org.stratus.nodes"
TYPE = "Entry"
ZONE = {"zoneName": "Followed"}
# How often of ten a writer changes a record that is there.
CHANGES_OF_TEN = 3
# How long followers may take for the rest, in seconds.
PATIENCE = 300


class Writer(threading.Thread):
    """Writes at one node until the time is over."""

    def __init__(self, number, port, users, options, end):
        super().__init__(daemon=True)
        self.number, self.port, self.users, self.end = number, port, users, end
        self.random = random.Random(f"{options.seed}/{number}")
        # By database: the records and the last number of each.
        self.last, self.count, self.failure, self.clients = {}, 0, None, {}

    def run(self):
        try:
            while time.time() < self.end:
                self.write()
        except (Failure, OSError, ValueError) as failure:
            self.failure = f"Writer {self.number}: {failure}"

    def write(self):
        database = self.random.randrange(len(self.users))
        records = self.last.setdefault(database, {})
        self.count += 1
        isNew = not records or self.random.randrange(10) >= CHANGES_OF_TEN
        name = f"w{self.number}-{self.count}" if isNew else self.random.choice(list(records))
        answer = self.client(database).ask("records/modify", {
            "zoneID": ZONE, "idempotencyKey": f"{self.number}-{self.count}", "operations": [{
                "operationType": "create" if isNew else "forceUpdate", "record": {
                    "recordName": name, "recordType": TYPE, "fields": {
                        "writer": {"value": self.number}, "number": {"value": self.count}}}}]})
        expect("serverErrorCode" not in answer["records"][0], json.dumps(answer)[:300])
        records[name] = self.count

    def client(self, database):
        if database not in self.clients:
            if len(self.clients) >= 4:
                self.clients.pop(next(iter(self.clients))).close()
            self.clients[database] = Client(self.port, CONTAINER, "private", *self.users[database], seconds=120)
        return self.clients[database]


def write_at(port, numbers, users, options, end):
    """The writers of one node, in a process of their own: how many requests, and the last numbers by database and record."""
    writers = [Writer(number, port, users, options, end) for number in numbers]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    failures = [writer.failure for writer in writers if writer.failure]
    if failures:
        raise Failure(failures[0])
    last = {}
    for writer in writers:
        for database, records in writer.last.items():
            last.setdefault(database, {}).update(records)
    return sum(writer.count for writer in writers), last


def follow_at(port, users, over, done):
    """Follows all databases at one node: until everything was written, and then until nothing more comes.

    Gives what was told last of each record, how many changes were told, repeated and out of order."""
    tokens, told, numbers, seen = {}, {}, {}, {}
    changes = repeated = disordered = 0
    # A server closes connections that rest for long, so each database is asked over a new one where there are many.
    keep, clients = len(users) <= 8, {}
    while True:
        is_last, news = over.is_set(), 0
        for database, user in enumerate(users):
            more = True
            while more:
                client = clients.get(database) or Client(port, CONTAINER, "private", *user, seconds=120)
                if keep:
                    clients[database] = client
                wanted = {"zoneID": ZONE} | ({"syncToken": tokens[database]} if database in tokens else {})
                zone = client.ask("changes/zone", {"zones": [wanted]})["zones"][0]
                if not keep:
                    client.close()
                expect("serverErrorCode" not in zone, json.dumps(zone)[:300])
                tokens[database], more = zone["syncToken"], zone["moreComing"]
                for record in zone["records"]:
                    writer, number = (record["fields"][name]["value"] for name in ("writer", "number"))
                    news, changes = news + 1, changes + 1
                    repeated += (database, writer, number) in seen
                    seen[database, writer, number] = True
                    disordered += number < numbers.get((database, writer), 0)
                    numbers[database, writer] = number
                    told[database, record["recordName"]] = number
        if is_last and not news:
            done.append((told, changes, repeated, disordered))
            return


def add_users(server, count, place):
    """The tokens of the app and of as many users, each with a zone."""
    def add(number):
        tokens = add_user(server.data, CONTAINER, f"u{number}", *place)
        client = Client(server.port, CONTAINER, "private", *tokens, seconds=120)
        client.ask("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
        client.close()
        return tokens

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return list(pool.map(add, range(count)))


def start(options, databases, workplace, cluster):
    """The nodes, and the users who write."""
    nodes = start_nodes(workplace, cluster, free_ports(options.nodes))
    users = add_users(nodes[0], databases, ["--store", cluster.url])
    # The type is there before all ask for it at once.
    Writer(0, nodes[0].port, users[:1], options, 0).write()
    return nodes, users


def processes(options):
    """A process for the writers of each node; none is forked from one that has threads."""
    return concurrent.futures.ProcessPoolExecutor(options.nodes, multiprocessing.get_context("spawn"))


def write_everywhere(pool, nodes, users, options):
    """Lets the writers write at their nodes; gives what becomes of it."""
    end = time.time() + options.seconds
    return [pool.submit(write_at, node.port, range(1 + number, 1 + options.writers, options.nodes), users, options, end)
            for number, node in enumerate(nodes)]


def measure(options, databases, workplace, cluster):
    nodes, users = start(options, databases, workplace, cluster)
    over, done = threading.Event(), []
    followers = [threading.Thread(target=follow_at, args=(node.port, users, over, done), daemon=True) for node in nodes]
    with processes(options) as pool:
        parts = write_everywhere(pool, nodes, users, options)
        for follower in followers:
            follower.start()
        results = [part.result() for part in parts]
    began = time.monotonic()
    over.set()
    for follower in followers:
        follower.join(max(0, PATIENCE - (time.monotonic() - began)))
    expect(len(done) == len(nodes), f"{len(nodes) - len(done)} followers had not all of it within {PATIENCE} s, or failed")
    count = sum(result[0] for result in results)
    missed = sum(
        told.get((database, name)) != number
        for told, *_ in done for _, last in results for database, records in last.items()
        for name, number in records.items())
    told, repeated, disordered = (sum(one[place] for one in done) for place in (1, 2, 3))
    print(f"{options.nodes} nodes, {options.writers} writers, {options.seconds} s, {databases:,} database(s): {count:,} requests "
          f"acknowledged ({count / options.seconds:,.0f} a second); told to {len(done)} followers: {told:,} changes, missed "
          f"{missed}, repeated {repeated}, out of order {disordered}", flush=True)
    expect(not missed and not repeated and not disordered, "A follower's changes are not those that were acknowledged")


def measure_told(options, databases, workplace, cluster):
    """How soon receivers at other nodes are told of a change."""
    nodes, users = start(options, databases, workplace, cluster)
    tokens = add_user(nodes[0].data, notifications.CONTAINER, "ada", "--store", cluster.url)
    clients = [Client(node.port, notifications.CONTAINER, "private", *tokens) for node in nodes]
    clients[0].ask("records/modify", {"operations": [{"operationType": "create", "record": {
        "recordName": "first", "recordType": notifications.TYPE, "fields": {"number": {"value": 0}}}}]})
    lives = [TimedLive(node.port, tokens) for node in nodes]
    for live in lives:
        live.start()
    couriers = [notifications.subscribe(clients[0], nodes[0].port, tokens, TimedCourier)]
    couriers += [notifications.receive(node.port, tokens, TimedCourier) for node in nodes[1:]]
    # Connections, caches and the first page are none of it.
    measure_delays(clients, [[*some] for some in zip(lives, couriers)], 40, first=1)
    first = 41
    for isBusy in (False, True):
        with processes(options) as pool:
            parts = write_everywhere(pool, nodes, users, options) if isBusy else []
            for name, receivers in ("live queries", lives), ("web couriers", couriers):
                sent, answered = measure_delays(clients, [[one] for one in receivers], options.told, 0.01, first)
                first += options.told
                expect(not any(part.done() for part in parts), "The writers ended before the changes: ask for more --seconds")
                print(f"{options.nodes} nodes, {options.told:,} changes, {len(sent):,} times told by another node, {name}, "
                      f"{f'beside {options.writers} writers' if parts else 'nothing else to do'}: after it was sent {describe(sent)}; "
                      f"after its answer {describe(answered)}", flush=True)
            for part in parts:
                part.result()


def test():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--nodes", type=int, default=4)
    parser.add_argument("--writers", type=int, default=64)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--databases", type=int, nargs="+", default=[1, 1_000], help="a run for each number")
    parser.add_argument("--told", type=int, help="how many changes are timed")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for databases in options.databases[-1:] if options.told else options.databases:
        with cluster_of_nodes(
            "nodes", "-c shared_buffers=512MB -c max_wal_size=4GB -c max_connections=200") as (workplace, cluster):
            (measure_told if options.told else measure)(options, databases, workplace, cluster)


if __name__ == "__main__":
    main(test)
