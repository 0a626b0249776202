#!/usr/bin/env python3
"""A server that is killed loses nothing that it acknowledged.

Each round starts a server, lets several clients write over HTTP, kills the server with SIGKILL at a random
moment, starts it again and compares:

- what was acknowledged is there, with the acknowledged value and change tag or a later value of the same client;
- what was not acknowledged is there whole or not at all, atomic batches included;
- queries and counts find just the records that lookups find;
- a request that got no answer is sent again with its key, and made each of its records once, named or not;
- no change tag was given twice;
- `stratus doctor` finds nothing wrong, and /readyz turns green.

With `--store postgres` the records are in a PostgreSQL of the test's own, and a round kills the node, all processes of
PostgreSQL, or both; a node that lives on has to be ready again by itself (kill9_postgres.py is that).

Each client writes a journal of what it meant to do before it asks, and of what was acknowledged after; the
journals lie beside the data directory. Documentation/Durability.md has the fault model.
"""

import http.client
import json
import os
import random
import threading
import time
import uuid

from clusters import Cluster
from support import (
    Client, Failure, Workplace, check_with_doctor, crash_options, expect, free_port, join_all, main, start_with_user)

CONTAINER = "iCloud.org.stratus.kill9"
TYPE = "Entry"
ZONE = {"zoneName": "Journal"}


def padding(number):
    """Text that belongs to a number, so that a torn record would be seen."""
    return f"{number}:" + "abcdefghij" * (number % 97)


class Entry:
    """What a client knows of one record."""

    def __init__(self, name, zoned):
        self.name = name
        self.zoned = zoned
        # The last acknowledged state, and the states asked for since that were not acknowledged. A state is a
        # number, or None where there is no record.
        self.number = None
        self.tag = None
        self.open = []


class Writer(threading.Thread):
    """A client that writes until the server goes away."""

    def __init__(self, number, seed, workplace):
        super().__init__(daemon=True)
        self.number = number
        self.random = random.Random(f"{seed}/{number}")
        self.journal = open(workplace.path / f"client-{number}.journal", "a")
        self.entries = {}
        self.counter = 0
        self.acknowledged = 0
        self.tags = []
        self.touched = set()
        self.groups = []
        # The request without an answer: the database, the body and the steps.
        self.unanswered = None
        self.repeated = 0
        self.failure = None
        # Whose database was killed may go on as if nothing had been.
        self.stopping = threading.Event()

    def begin(self, port, tokens):
        """The thread of one round; entries live on from round to round."""
        self.touched = set()
        self.groups = []
        self.tags = []
        self.unanswered = None
        self.failure = None
        self.stopping.clear()
        public = Client(port, CONTAINER, "public", *tokens)
        private = Client(port, CONTAINER, "private", *tokens)
        thread = threading.Thread(target=self.work, args=(public, private), daemon=True)
        thread.start()
        return thread

    def work(self, public, private):
        try:
            while not self.stopping.is_set():
                self.step(public, private)
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            pass  # The server is gone: what was asked for last stays open.
        except Exception as error:  # noqa: BLE001 — told by the main thread
            self.failure = error
        finally:
            public.close()
            private.close()
            self.journal.flush()

    def step(self, public, private):
        # Of a record whose last write is open nothing is known, so nobody writes to it before the next round.
        known = [entry for entry in self.entries.values() if not entry.open]
        choice = self.random.random()
        if choice < 0.15:
            self.send(public, [self.creation(False, named=False)], None)
        elif choice < 0.45 or len(known) < 5:
            self.send(public, [self.creation(False)], None)
        elif choice < 0.70:
            entry = self.random.choice([entry for entry in known if not entry.zoned] or [None])
            if entry:
                self.send(public, [self.change(entry)], None)
        elif choice < 0.90:
            batch = [self.creation(True) for _ in range(self.random.randint(2, 8))]
            zoned = [entry for entry in known if entry.zoned]
            batch += [self.change(entry) for entry in self.random.sample(zoned, min(2, len(zoned)))]
            self.send(private, batch, ZONE)
        else:
            batch = [self.creation(False) for _ in range(self.random.randint(2, 20))]
            self.send(public, batch, None)

    def creation(self, zoned, named=True):
        self.counter += 1
        entry = Entry(f"c{self.number}-{self.counter}" if named else None, zoned)
        if named:
            self.entries[entry.name] = entry
        return entry, "create", self.random.randrange(1, 1_000)

    def change(self, entry):
        if entry.number is None:
            return entry, "create", self.random.randrange(1, 1_000)
        if self.random.random() < 0.15:
            return entry, "delete", None
        return entry, "update", entry.number + self.random.randrange(1, 50)

    def send(self, client, steps, zone):
        operations = []
        for entry, kind, number in steps:
            record = {"recordName": entry.name} if entry.name else {}
            if kind == "create":
                record["recordType"] = TYPE
            else:
                record["recordChangeTag"] = entry.tag
            if number is not None:
                record["fields"] = {
                    "number": {"value": number, "type": "INT64"},
                    "client": {"value": self.number, "type": "INT64"},
                    "padding": {"value": padding(number), "type": "STRING"}}
            operations.append({"operationType": kind, "record": record})
            entry.open.append(number)
            if entry.name:
                self.touched.add(entry.name)
            print(json.dumps(["asked", kind, entry.name, number]), file=self.journal)
        if zone:
            self.groups.append([(entry, entry.number, number) for entry, _, number in steps])
        body = {"idempotencyKey": str(uuid.uuid4()), "operations": operations} | ({"zoneID": zone} if zone else {})
        self.unanswered = (body, steps, zone)
        self.post(client)

    def repeat(self, clients):
        """Sends the request without an answer again: what was done stays as it is, what was not is done."""
        if self.unanswered:
            self.post(clients["private" if self.unanswered[2] else "public"])
            self.repeated += 1

    def post(self, client):
        body, steps, zone = self.unanswered
        status, answer = client.post("records/modify", body)
        if status in (429, 503) or any(
                record.get("serverErrorCode") == "TRY_AGAIN_LATER" for record in answer.get("records", [])):
            raise OSError("The server is stopping, or waits for its database.")
        expect(status == 200, f"records/modify answered {status}: {json.dumps(answer)[:500]}")
        for (entry, kind, number), record in zip(steps, answer["records"], strict=True):
            if "serverErrorCode" in record:
                raise Failure(f"{kind} of {entry.name} failed: {json.dumps(record)[:500]}")
            entry.number, entry.open = number, []
            if not entry.name:
                entry.name = record["recordName"]
                self.entries[entry.name] = entry
                self.touched.add(entry.name)
            entry.tag = record.get("recordChangeTag")
            if entry.tag:
                self.tags.append(entry.tag)
            self.acknowledged += 1
            print(json.dumps(["acknowledged", kind, entry.name, number, entry.tag]), file=self.journal)
        if zone:
            self.groups.pop()
        self.unanswered = None


def find(client, names, zone):
    """The records of the given names as they are now: None where there is none."""
    found = {}
    for start in range(0, len(names), 200):
        part = names[start:start + 200]
        body = {"records": [{"recordName": name} for name in part]} | ({"zoneID": zone} if zone else {})
        answer = client.ask("records/lookup", body)
        for name, record in zip(part, answer["records"], strict=True):
            if record.get("serverErrorCode") == "NOT_FOUND":
                found[name] = None
                continue
            expect("serverErrorCode" not in record, f"Looking up {name} failed: {record}")
            fields = record["fields"]
            number = fields["number"]["value"]
            expect(fields["padding"]["value"] == padding(number), f"{name} is torn: {json.dumps(record)[:500]}")
            found[name] = (number, record["recordChangeTag"])
    return found


def compare(writers, clients, names_of):
    """Compares what is there with what was acknowledged, and takes over what is there."""
    checked = 0
    for writer in writers:
        for group in writer.groups:
            # An atomic batch that was not acknowledged: all of it or nothing.
            names = [entry.name for entry, _, _ in group]
            found = find(clients["private"], names, ZONE)
            states = {
                "after" if (found[entry.name] or (None,))[0] == after else "before"
                for entry, before, after in group if before != after}
            expect(len(states) <= 1, f"The batch of {names} is there in part only: {found}")
        for zoned, client, zone in ((False, clients["public"], None), (True, clients["private"], ZONE)):
            entries = [writer.entries[name] for name in names_of(writer) if writer.entries[name].zoned == zoned]
            found = find(client, [entry.name for entry in entries], zone)
            for entry in entries:
                number, tag = found[entry.name] or (None, None)
                if number == entry.number and not entry.open:
                    expect(tag == entry.tag, f"{entry.name} has the tag {tag}; {entry.tag} was acknowledged")
                expect(
                    number == entry.number or number in entry.open,
                    f"{entry.name} holds {number}; acknowledged was {entry.number}, asked for {entry.open}")
                entry.number, entry.tag, entry.open = number, tag, []
                checked += 1
    return checked


def check_queries(writers, clients):
    """Queries and counts find just the records that are there."""
    for zoned, client, zone in ((False, clients["public"], {}), (True, clients["private"], {"zoneID": ZONE})):
        live = {
            entry.name: entry.number
            for writer in writers for entry in writer.entries.values()
            if entry.zoned == zoned and entry.number is not None}
        if not live:
            continue
        body = {"query": {"recordType": TYPE, "sortBy": [{"fieldName": "number"}]}, **zone}
        count = client.ask("records/count", body)["count"]
        expect(count == len(live), f"The count is {count}, but {len(live)} records are there")
        found = {}
        while True:
            answer = client.ask("records/query", body)
            for record in answer["records"]:
                expect(record["recordName"] not in found, f"{record['recordName']} came twice")
                found[record["recordName"]] = record["fields"]["number"]["value"]
            if "continuationMarker" not in answer:
                break
            body["continuationMarker"] = answer["continuationMarker"]
        expect(found == live, f"A query finds other records than lookups do: {set(found) ^ set(live)}")


class Patient(Client):
    """Asks again where the answer is to come back later: each connection of a node to its database is lost once."""

    def post(self, endpoint, body):
        deadline = time.monotonic() + 30
        while True:
            status, answer = super().post(endpoint, body)
            if status != 503 or time.monotonic() > deadline:
                return status, answer
            time.sleep(0.1)


class Files:
    """The data directory as the place of the records: whoever kills the server has killed everything."""

    options = ()
    client = Client

    def __init__(self, _):
        pass

    def crash(self, server, _):
        server.kill()
        return "the server"

    def stop(self):
        pass


class Database:
    """A PostgreSQL as the place of the records."""

    client = Patient

    def __init__(self, workplace):
        os.chmod(workplace.path, 0o711)
        self.cluster = Cluster(workplace.path / "pg", settings="")
        self.options = ("--store", self.cluster.url)

    def crash(self, server, chance):
        victims = chance.choice((["node"], ["PostgreSQL"], ["PostgreSQL", "node"]))
        if "PostgreSQL" in victims:
            self.cluster.kill()
        if "node" in victims:
            time.sleep(chance.uniform(0, 0.2))
            server.kill()
        return " and ".join(victims)

    def stop(self):
        self.cluster.stop()


def test(store=None):
    options = crash_options(__doc__, rounds=5, clients=6, stores=("sqlite", "postgres"))
    with Workplace("kill9") as workplace:
        place = (Database if (store or options.store) == "postgres" else Files)(workplace)
        try:
            rounds(options, workplace, place)
        finally:
            for server in workplace.servers:
                server.kill()
            place.stop()


def rounds(options, workplace, place):
    chance = random.Random(options.seed)
    port = free_port()
    data = workplace.path / "data"
    writers = [Writer(number, options.seed, workplace) for number in range(options.clients)]
    server, tokens = start_with_user(workplace, CONTAINER, port, *place.options)
    zones = Client(port, CONTAINER, "private", *tokens)
    zones.ask("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    zones.close()
    tags = set()
    for number in range(1, options.rounds + 1):
        before = sum(writer.acknowledged for writer in writers)
        threads = [writer.begin(port, tokens) for writer in writers]
        moment = chance.uniform(0.3, 2)
        time.sleep(moment)
        victims = place.crash(server, chance)
        for writer in writers:
            writer.stopping.set()
        join_all(threads)
        for writer in writers:
            if writer.failure:
                raise writer.failure
            for tag in writer.tags:
                expect(tag not in tags, f"The change tag {tag} was given twice")
                tags.add(tag)
        check_with_doctor(data, *place.options)
        if server.process.poll() is not None:
            server = workplace.start("serve", "data", port, *place.options)
        ready = server.wait_until_ready()
        clients = {scope: place.client(port, CONTAINER, scope, *tokens) for scope in ("public", "private")}
        for writer in writers:
            # One without a name is not to be found before its name is known; of the others some stay as they are.
            if writer.unanswered and (chance.random() < 0.5 or not writer.unanswered[1][0][0].name):
                writer.repeat(clients)
        is_last = number == options.rounds
        checked = compare(writers, clients, lambda writer: sorted(writer.entries if is_last else writer.touched))
        if is_last or number % 5 == 0:
            check_queries(writers, clients)
        for client in clients.values():
            client.close()
        done = sum(writer.acknowledged for writer in writers) - before
        print(
            f"round {number}: {victims} killed after {moment:.2f} s, {done} writes acknowledged, {checked} records compared, "
            f"ready again after {ready:.2f} s", flush=True)
        expect(done > 0, "Nothing was acknowledged, so nothing was tested")
    total = sum(writer.acknowledged for writer in writers)
    repeated = sum(writer.repeated for writer in writers)
    print(
        f"{options.rounds} rounds, {total} acknowledged writes: all of them are there; "
        f"{repeated} requests without an answer were repeated, and took effect once")


if __name__ == "__main__":
    main(test)
