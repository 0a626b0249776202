#!/usr/bin/env python3
"""Whatever users do, each receiver is told what a model says: a state machine against a real server that is killed now and then.

Two users change records of two zones and of the public database across the borders of predicates, move them between zones, make,
delete and replace zones, and make, delete and replace subscriptions of all kinds; they get a role and lose it. Receivers poll now and then, with the id of the
last thing they have, or wait while users write and subscribe; live queries and live counts are followed all the time. The server is killed with SIGKILL between steps and
in the middle of polls.

- each receiver is told of each change that fires one of its user's subscriptions, once, in the order of commits, and within a
  change in the order in which the subscriptions were made;
- a subscription that fires once tells each receiver of its first change, and of no other;
- nobody is told of a record that they may not read by then, or of a subscription that was deleted before, also where another has
  its id now, or its zone's name;
- nobody gets anything by the shared database, since nobody shares anything here (shared_news.py has who does);
- live queries show what a query would, and live counts how many.

    scripts/tests/subscriptions.py [--seconds 60] [--store sqlite] [--seed N]

With `--store postgres` the records are in a PostgreSQL of the test's own (subscriptions_postgres.py is that). The steps follow from the seed, which is printed; in `make night` it is a random one, and the time ten minutes.
"""

import argparse
import contextlib
import http.client
import json
import os
import random
import threading
import time
import urllib.parse

from clusters import cluster_of_nodes
from support import Client, Workplace, expect, free_port, get, main, make_token, run

CONTAINER = "iCloud.org.stratus.subscriptions"
SCHEMA = """DEFINE SCHEMA
    CREATE ROLE Reader;
    RECORD TYPE Note (
        "___createdBy" REFERENCE, "___recordID" REFERENCE QUERYABLE,
        number INT64 QUERYABLE SORTABLE,
        GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_icloud"
    );
    RECORD TYPE Own (
        "___createdBy" REFERENCE, "___recordID" REFERENCE QUERYABLE,
        number INT64 QUERYABLE SORTABLE,
        GRANT READ, WRITE TO "_creator", GRANT CREATE TO "_icloud"
    );
    RECORD TYPE Lent (
        "___createdBy" REFERENCE, "___recordID" REFERENCE QUERYABLE,
        number INT64 QUERYABLE SORTABLE,
        GRANT READ, WRITE TO "_creator", GRANT CREATE TO "_icloud", GRANT READ TO Reader
    );
"""
ROLE = "Reader"
USERS = ("ada", "bob")
ZONES = ("_defaultZone", "A", "B")
# Rights make a difference in the public database only.
TYPES = {"private": ("Note", "Note", "Own"), "public": ("Note", "Own", "Lent", "Lent")}
TRIGGERS = ("create", "update", "delete")
MOST_RECEIVERS = 6
# Subscriptions that nobody deletes are told of numbers from here on, and other changes have smaller ones.
MARK = 200


class Subscription:
    """What the model knows of a stored subscription."""

    def __init__(self, name, user, scope, kind, zone=None, type=None, least=None, fires=(), once=False):
        self.name, self.user, self.scope, self.kind, self.zone = name, user, scope, kind, zone
        self.type, self.least, self.fires, self.once, self.is_over = type, least, fires, once, False

    def again(self, least=None):
        """Another one with its id."""
        return Subscription(self.name, self.user, self.scope, self.kind, self.zone, self.type,
                            self.least if least is None else least, self.fires, self.once)

    def body(self):
        body = {"subscriptionID": self.name, "subscriptionType": self.kind}
        if self.zone:
            body["zoneID"] = {"zoneName": self.zone}
        if self.kind == "query":
            body["zoneWide"] = self.zone is None and self.scope == "private"
            body["firesOn"] = list(self.fires)
            body["firesOnce"] = self.once
            body["query"] = {"recordType": self.type, "filterBy": [
                {"fieldName": "number", "comparator": "GREATER_THAN_OR_EQUALS",
                 "fieldValue": {"value": self.least, "type": "INT64"}}]}
        return body

    def text(self, owner, scope, zone, type, name, creator, old, new):
        """What it says of a record that went from one number to another; None for nothing."""
        if scope != self.scope or (scope == "private" and owner != self.user):
            return None
        if self.kind == "database":
            return None if zone == ZONES[0] else f"{self.name}:{zone}"
        if self.kind == "zone":
            return f"{self.name}:{zone}" if zone == self.zone else None
        trigger = "create" if old is None else "delete" if new is None else "update"
        if type != self.type or self.zone not in (None, zone) or trigger not in self.fires:
            return None
        if (old if new is None else new) < self.least or (type == "Own" and creator != self.user):
            return None
        return f"{self.name}:{trigger}:{name}"


class Receiver:
    """A web courier's address, and what it has to be told."""

    def __init__(self, user, address):
        self.user, self.path = user, urllib.parse.urlsplit(address).path
        # The subscription, the text, and whether only those with the role may be told.
        self.expected, self.last = [], None


class Followed(threading.Thread):
    """A live query or a live count of one user, which goes on with the last id after each break."""

    def __init__(self, machine, user, scope, zone, type, least, is_count):
        super().__init__(daemon=True)
        self.user, self.scope, self.zone, self.type, self.least, self.is_count = user, scope, zone, type, least, is_count
        query = {"query": {"recordType": type, "filterBy": [
            {"fieldName": "number", "comparator": "GREATER_THAN_OR_EQUALS",
             "fieldValue": {"value": least, "type": "INT64"}}]},
            "zoneID": {"zoneName": zone}, "resultsLimit": 200}
        self.port = machine.port
        self.path = f"/database/1/{CONTAINER}/development/{scope}/records/live{'/count' if is_count else ''}?" \
            + urllib.parse.urlencode({"query": json.dumps(query), "ckAPIToken": machine.tokens[user][0],
                                      "ckWebAuthToken": machine.tokens[user][1]})
        self.numbers, self.count, self.last, self.failure, self.is_over = {}, None, None, None, False

    def run(self):
        while not self.is_over:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            try:
                connection.request("GET", self.path, headers={"Last-Event-ID": self.last} if self.last else {})
                answer = connection.getresponse()
                if answer.status == 503:
                    # A node without its database says when to come back.
                    time.sleep(0.2)
                    continue
                if answer.status != 200:
                    self.failure = f"{self.path} answered {answer.status}: {answer.read()[:300]}"
                    return
                self.follow(answer)
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
            finally:
                connection.close()

    def follow(self, answer):
        event = {}
        while line := answer.readline():
            name, _, value = line.decode().rstrip("\n").partition(": ")
            if name:
                event[name] = value
                continue
            self.last = event.get("id", self.last)
            if "event" in event:
                self.take(event["event"], json.loads(event["data"]))
            event = {}

    def take(self, name, data):
        if name == "count":
            self.count = data["count"]
        elif name == "page":
            self.numbers = {r["recordName"]: r["fields"]["number"]["value"] for r in data["records"]}
        elif name in ("enter", "change"):
            self.numbers[data["record"]["recordName"]] = data["record"]["fields"]["number"]["value"]
        elif name == "leave":
            self.numbers.pop(data["recordName"], None)
        elif name != "behind":
            self.failure = f"An event that nothing was done for: {name} {data}"

    def shows(self, records):
        """Whether it is what a query of the model's records would show."""
        return self.count == len(records) if self.is_count else self.numbers == records


class Machine:
    """The server, its users, and the model of what is there."""

    def __init__(self, workplace, seed, store=()):
        self.workplace, self.random, self.port, self.location = workplace, random.Random(seed), free_port(), store
        self.server = workplace.start("serve", "data", self.port, *store)
        self.server.wait_until_ready()
        place = ["--data", str(self.server.data), "--container", CONTAINER, *store]
        schema = workplace.path / "schema.ckdb"
        schema.write_text(SCHEMA)
        run("schema", "import", "--file", str(schema), "--yes", *place)
        self.tokens = {}
        for user in USERS:
            run("user", "add", user, *place)
            self.tokens[user] = (make_token(self.server.data, CONTAINER, *store),
                                 make_token(self.server.data, CONTAINER, "--user", user, *store))
        # By owner (None: public), zone, type and name: the creator and the number.
        self.records = {}
        self.zones = {user: {ZONES[0]} for user in USERS}
        self.subscriptions, self.receivers, self.made, self.kills, self.told = [], [], 0, 0, 0
        self.readers, self.roles, self.onces = set(), 0, 0
        self.moves, self.replacements, self.waits = 0, 0, 0
        self.clients = {}
        for user in USERS:
            self.receive(user)
        self.followed = []
        for user in USERS:
            self.save(user, "private", ZONES[0], "Note", "first", 0)
            self.save(user, "public", ZONES[0], "Lent", f"first-{user}", 9)
            self.store(Subscription(f"always-{user}", user, "public", "query", type="Note", least=MARK, fires=["create", "update"]))
        self.save("ada", "public", ZONES[0], "Note", "first", 0)
        for arguments in (("ada", "private", ZONES[0], "Note", 5), ("bob", "private", "A", "Note", 0),
                          ("bob", "private", "B", "Note", 2), ("bob", "public", ZONES[0], "Note", 3), ("bob", "public", ZONES[0], "Lent", 2)):
            for is_count in (False, True):
                self.make_zone(arguments[0], arguments[2])
                one = Followed(self, *arguments, is_count)
                one.start()
                self.followed.append(one)

    def ask(self, user, scope, endpoint, body):
        key = user, scope
        if key not in self.clients:
            self.clients[key] = Client(self.port, CONTAINER, scope, *self.tokens[user])
        return self.clients[key].ask(endpoint, body)

    # What happens to records and zones, and who has to be told

    def fire(self, says, is_lent=False, creator=None):
        """Notes what each receiver is to be told of one change, in the order of the subscriptions."""
        for subscription in self.subscriptions:
            if subscription.is_over or not (text := says(subscription)):
                continue
            subscription.is_over = subscription.once
            for receiver in self.receivers:
                if receiver.user == subscription.user:
                    receiver.expected.append((subscription.name, text, is_lent and creator != subscription.user))

    def change(self, user, scope, zone, type, name, number):
        owner = user if scope == "private" else None
        key = owner, zone, type, name
        creator, old = self.records.get(key, (user, None))
        self.fire(lambda one: one.text(owner, scope, zone, type, name, creator, old, number),
                  scope == "public" and type == "Lent", creator)
        if number is None:
            del self.records[key]
        else:
            self.records[key] = creator, number

    def operate(self, user, scope, zone, operation):
        answer = self.ask(user, scope, "records/modify", {"zoneID": {"zoneName": zone}, "operations": [operation]})
        expect("serverErrorCode" not in answer["records"][0], json.dumps(answer))

    def save(self, user, scope, zone, type, name, number):
        self.operate(user, scope, zone, {"operationType": "forceUpdate", "record": {
            "recordName": name, "recordType": type, "fields": {"number": {"value": number}}}})
        self.change(user, scope, zone, type, name, number)

    def delete(self, user, scope, zone, type, name):
        self.operate(user, scope, zone, {"operationType": "forceDelete", "record": {"recordName": name}})
        self.change(user, scope, zone, type, name, None)

    def make_zone(self, user, zone):
        if zone in self.zones[user]:
            return
        self.ask(user, "private", "zones/modify", {"operations": [
            {"operationType": "create", "zone": {"zoneID": {"zoneName": zone}}}]})
        self.zones[user].add(zone)
        self.fire(lambda one: f"{one.name}:{zone}" if (one.user, one.kind) == (user, "database") else None)

    def delete_zone(self, user, zone):
        self.ask(user, "private", "zones/modify", {"operations": [
            {"operationType": "delete", "zone": {"zoneID": {"zoneName": zone}}}]})
        self.zones[user].remove(zone)
        self.records = {key: value for key, value in self.records.items() if key[:2] != (user, zone)}
        # What was about the zone goes with it, also what nobody was told of yet.
        for one in [one for one in self.subscriptions if (one.user, one.zone) == (user, zone)]:
            self.forget(one)
        self.fire(lambda one: f"{one.name}:{zone}" if (one.user, one.kind) == (user, "database") else None)

    def forget(self, subscription):
        self.subscriptions.remove(subscription)
        for receiver in self.receivers:
            receiver.expected = [one for one in receiver.expected if one[0] != subscription.name]

    # Steps

    def step(self):
        steps = [(30, self.change_some), (8, self.subscribe), (4, self.unsubscribe), (3, self.change_zone),
                 (3, self.receive), (10, self.drain_some), (2, self.wait_for_news), (4, self.check_followed), (1, self.kill), (1, self.change_role),
                 (3, self.move), (1, self.replace_zone), (2, self.resubscribe), (1, self.ask_shared)]
        self.random.choices([step for _, step in steps], [weight for weight, _ in steps])[0]()

    def change_some(self):
        user, scope = self.random.choice(USERS), self.random.choice(("private", "private", "public"))
        zone = self.random.choice(sorted(self.zones[user])) if scope == "private" else ZONES[0]
        type = self.random.choice(TYPES[scope])
        # Names are of a type, and of a user where only their maker may change a record.
        name = f"{type.lower()}{self.random.randrange(4)}" + (f"-{user}" if type in ("Own", "Lent") else "")
        known = (user if scope == "private" else None, zone, type, name) in self.records
        if known and self.random.random() < 0.3:
            self.delete(user, scope, zone, type, name)
        else:
            self.save(user, scope, zone, type, name, self.random.randrange(10))

    def move(self):
        """Moves a record to another zone as clients do: it is deleted in one, and saved in the other under its name."""
        user = self.random.choice(USERS)
        mine = sorted(key for key in self.records if key[0] == user)
        others = sorted(self.zones[user])
        if not mine or len(others) < 2:
            return
        _, zone, type, name = self.random.choice(mine)
        number = self.records[user, zone, type, name][1]
        others.remove(zone)
        self.delete(user, "private", zone, type, name)
        if self.random.random() < 0.05:
            self.kill()
        self.save(user, "private", self.random.choice(others), type, name, number)
        self.moves += 1

    def replace_zone(self):
        """Deletes a zone, and makes another one with its name, some of its records and its subscriptions."""
        user = self.random.choice(USERS)
        if not (zones := sorted(self.zones[user] - {ZONES[0]})):
            return
        zone = self.random.choice(zones)
        records = sorted((key[2:], value[1]) for key, value in self.records.items() if key[:2] == (user, zone))
        subscriptions = [one for one in self.subscriptions if (one.user, one.zone) == (user, zone)]
        self.delete_zone(user, zone)
        if self.random.random() < 0.2:
            self.kill()
        self.make_zone(user, zone)
        news = [lambda one=one: self.store(one.again()) for one in subscriptions]
        news += [lambda type=type, name=name, number=number: self.save(user, "private", zone, type, name, number)
                 for (type, name), number in records if self.random.random() < 0.7]
        self.random.shuffle(news)
        for make in news:
            make()
        self.replacements += 1

    def ask_shared(self):
        """The shared database is empty, whatever is asked of it, and a subscription there tells nobody anything."""
        user, zone = self.random.choice(USERS), {"zoneID": {"zoneName": self.random.choice(ZONES)}}
        query = {"query": {"recordType": "Note"}}
        name, body = self.random.choice([
            ("records/query", query | zone), ("records/lookup", {"records": [{"recordName": "first"}]} | zone),
            ("zones/list", {}), ("changes/database", {}), ("changes/zone", {"zones": [zone]}), ("subscriptions/list", {}),
            ("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
                "subscriptionID": "shared", "subscriptionType": "database"}}]})])
        client = Client(self.port, CONTAINER, "shared", *self.tokens[user])
        status, answer = client.post(name, body)
        client.close()
        if name in ("records/query", "records/lookup"):
            # A zone without its owner says nothing there.
            is_right = (status, answer.get("serverErrorCode")) == (400, "BAD_REQUEST")
        elif name == "changes/zone":
            is_right = status == 200 and answer["zones"][0].get("serverErrorCode") == "BAD_REQUEST"
        else:
            is_right = status == 200 and not answer.get("zones")
        expect(is_right, f"{name} of the shared database answered {status}: {json.dumps(answer)[:300]}")

    def subscribe(self):
        if len(self.subscriptions) > 24:
            return self.unsubscribe()
        user, scope = self.random.choice(USERS), self.random.choice(("private", "private", "public"))
        kind = "query" if scope == "public" else self.random.choice(("query", "query", "zone", "database"))
        zone = None
        if kind == "zone" or kind == "query" and scope == "private" and self.random.random() < 0.5:
            zones = sorted(self.zones[user] - ({ZONES[0]} if kind == "zone" else set()))
            if not zones:
                return None
            zone = self.random.choice(zones)
        self.made += 1
        more = {} if kind != "query" else {
            "type": self.random.choice(TYPES[scope]), "least": self.random.randrange(8),
            "fires": self.random.sample(TRIGGERS, self.random.randint(1, 3))}
        # Which change is the first one must not depend on who had the role when.
        if kind == "query" and more["type"] != "Lent" and self.random.random() < 0.3:
            more["once"] = True
            self.onces += 1
        self.store(Subscription(f"s{self.made}", user, scope, kind, zone, **more))

    def store(self, one):
        answer = self.ask(one.user, one.scope, "subscriptions/modify", {"operations": [
            {"operationType": "create", "subscription": one.body()}]})
        expect("serverErrorCode" not in answer["subscriptions"][0], json.dumps(answer))
        self.subscriptions.append(one)

    def unsubscribe(self):
        if not (some := [one for one in self.subscriptions if not one.name.startswith("always")]):
            return
        one = self.random.choice(some)
        self.ask(one.user, one.scope, "subscriptions/modify", {"operations": [
            {"operationType": "delete", "subscription": {"subscriptionID": one.name}}]})
        self.forget(one)

    def resubscribe(self):
        """Replaces a subscription by another one with its id, of which nobody knows anything yet."""
        if some := [one for one in self.subscriptions if one.kind == "query" and not one.name.startswith("always")]:
            one = self.random.choice(some)
            self.ask(one.user, one.scope, "subscriptions/modify", {"operations": [
                {"operationType": "delete", "subscription": {"subscriptionID": one.name}}]})
            self.forget(one)
            self.store(one.again(self.random.randrange(8)))

    def change_zone(self):
        user, zone = self.random.choice(USERS), self.random.choice(ZONES[1:])
        if zone not in self.zones[user]:
            self.make_zone(user, zone)
        elif self.random.random() < 0.4:
            self.delete_zone(user, zone)

    def receive(self, user=None):
        if len(self.receivers) >= MOST_RECEIVERS:
            return
        user = user or self.random.choice(USERS)
        # What fires once is over for good when its first change was told: a receiver from now on hears nothing of it.
        self.drain_all(user)
        device = Client(self.port, CONTAINER, "public", *self.tokens[user])
        device.prefix = f"/device/1/{CONTAINER}/development/"
        self.receivers.append(Receiver(user, device.ask("tokens/create", {"apnsEnvironment": "development"})["webcourierURL"]))
        device.close()

    def drain_some(self):
        if self.receivers:
            self.drain(self.random.choice(self.receivers))

    def drain_all(self, user):
        for receiver in self.receivers:
            if receiver.user == user:
                self.drain(receiver)

    def due(self, receiver):
        """What a receiver is told now: without what its user may not read any more."""
        return [text for _, text, is_lent in receiver.expected if not is_lent or receiver.user in self.readers]

    def drain(self, receiver):
        """Takes all that the model says, and compares."""
        for expected in self.due(receiver):
            self.compare(receiver, expected, *self.poll(receiver))
        receiver.expected = []

    def poll(self, receiver):
        return get(self.port, receiver.path + (f"?after={receiver.last}" if receiver.last else ""), seconds=70)

    def compare(self, receiver, expected, status, body):
        """Looks at the answer of a poll."""
        expect(status == 200, f"A poll answered {status}, and {expected} was due: {body[:300]}")
        payload = json.loads(body)["ck"]
        kind = next(kind for kind in ("qry", "fet", "met") if kind in payload)
        event = payload[kind]
        what = f"{event['sid']}:{event['zid']}" if kind != "qry" \
            else f"{event['sid']}:{TRIGGERS[event['fo'] - 1]}:{event['rid']}"
        expect(what == expected, f"{receiver.user}'s receiver was told {what}, and {expected} was due")
        receiver.last, self.told = payload["nid"], self.told + 1

    def wait_for_news(self):
        """A poll waits while users write and subscribe, and is told of the first thing that it has to be told of."""
        receiver = self.random.choice(self.receivers)
        self.drain(receiver)
        answers = []

        def wait():
            # Without an answer it is the comparison that fails.
            with contextlib.suppress(OSError, http.client.HTTPException):
                answers.append(self.poll(receiver))

        poll = threading.Thread(target=wait, daemon=True)
        poll.start()
        for _ in range(self.random.randrange(1, 6)):
            # What is deleted is told or not, by who is first: nothing is, here.
            steps = [self.change_some] + ([self.subscribe] if len(self.subscriptions) <= 24 else [])
            self.random.choice(steps)()
        # Everybody is told of this one at the latest.
        self.waits += 1
        self.save("ada", "public", ZONES[0], "Note", "mark", MARK + self.roles + self.waits)
        poll.join(80)
        expect(answers, "A poll that waited got no answer")
        self.compare(receiver, self.due(receiver)[0], *answers[0])
        self.pass_first(receiver)
        self.drain(receiver)

    def pass_first(self, receiver):
        """Crosses off the first thing that a receiver was told of, and what comes before it that it is not told."""
        while receiver.expected:
            _, _, is_lent = receiver.expected.pop(0)
            if not is_lent or receiver.user in self.readers:
                return

    def check_followed(self):
        for one in self.followed:
            deadline = time.monotonic() + 20
            while not one.shows(self.shown(one)):
                expect(not one.failure, one.failure)
                expect(time.monotonic() < deadline,
                       "\n".join(f"{late.path} shows {late.count if late.is_count else late.numbers} after "
                                 f"{late.last}, not {self.shown(late)}"
                                 for late in self.followed if not late.shows(self.shown(late))))
                time.sleep(0.01)

    def shown(self, one):
        owner = one.user if one.scope == "private" else None
        return {name: number for (of, zone, type, name), (creator, number) in self.records.items()
                if (of, zone, type) == (owner, one.zone, one.type) and number >= one.least
                and (type != "Lent" or one.user in (creator, *self.readers))}

    def change_role(self):
        """Gives a user the role, or takes it. Who gets it is not told of what came before, since that is behind them."""
        user, is_killed = self.random.choice(USERS), self.random.random() < 0.7
        is_given = user not in self.readers
        if is_given:
            self.save("ada", "public", ZONES[0], "Note", "mark", MARK + self.roles + self.waits)
            self.drain_all(user)
        elif self.random.random() < 0.5:
            self.drain_all(user)
        if is_killed:
            self.server.kill()
        run("role", "give" if is_given else "take", ROLE, "--user", user, "--data", str(self.server.data),
            "--container", CONTAINER, *self.location)
        self.readers ^= {user}
        self.roles += 1
        if is_killed:
            self.restart()
        else:
            self.wait_for_role(user)

    def wait_for_role(self, user):
        """A server that runs knows within five seconds."""
        other = next(f"first-{one}" for one in USERS if one != user)
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            found = self.ask(user, "public", "records/lookup", {"records": [{"recordName": other}]})["records"][0]
            if ("serverErrorCode" in found) != (user in self.readers):
                return
            time.sleep(0.05)
        expect(False, f"{user} could {'not ' if user in self.readers else ''}read {other} for 20 s: {found}")

    def kill(self):
        poll = None
        if idle := [receiver for receiver in self.receivers if not self.due(receiver)]:
            # One that waits loses its connection, and nothing else.
            receiver = self.random.choice(idle)
            poll = threading.Thread(target=self.lose, args=(receiver,), daemon=True)
            poll.start()
        self.server.kill()
        if poll:
            poll.join(30)
        self.restart()

    def restart(self):
        self.clients = {}
        self.server = self.workplace.start("serve", "data", self.port, *self.location)
        self.server.wait_until_ready()
        self.kills += 1

    def lose(self, receiver):
        try:
            self.poll(receiver)
        except (OSError, http.client.HTTPException):
            pass

    def finish(self):
        """Nobody is told more than the model says: what comes next is the last thing that everybody is told of."""
        for user in USERS:
            self.store(Subscription(f"last-{user}", user, "public", "query", type="Note", least=100, fires=["create"]))
        self.save("ada", "public", ZONES[0], "Note", "last", 100)
        for receiver in self.receivers:
            self.drain(receiver)
        self.check_followed()
        for one in self.followed:
            one.is_over = True


@contextlib.contextmanager
def place(store):
    """A workplace, and the options of servers and commands that use the store."""
    if store == "postgres":
        with cluster_of_nodes("subscriptions_postgres") as (workplace, cluster):
            yield workplace, ("--store", cluster.url)
    else:
        with Workplace("subscriptions") as workplace:
            yield workplace, ()


def test(store="sqlite", seconds=60):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=seconds)
    parser.add_argument("--store", choices=("sqlite", "postgres"), default=store)
    seed = random.SystemRandom().randrange(1 << 32) if "STRATUS_SOAK" in os.environ else 1
    parser.add_argument("--seed", type=int, default=seed)
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.seconds:g} s, {options.store}")
    with place(options.store) as (workplace, where):
        machine = Machine(workplace, options.seed, where)
        steps, end = 0, time.monotonic() + options.seconds
        try:
            while time.monotonic() < end:
                machine.step()
                steps += 1
            machine.finish()
        except BaseException:
            print(f"It failed in step {steps} of seed {options.seed}")
            raise
        machine.server.process.terminate()
        expect(machine.server.wait(20) == 0, "The server did not end well")
        print(f"{steps} steps, {machine.made} subscriptions, {machine.onces} of them once, {machine.told} notifications as the model "
              f"says, {machine.waits} polls that waited, {machine.roles} times a role came or went, {machine.moves} records moved, "
              f"{machine.replacements} zones replaced, {machine.kills} kills")


if __name__ == "__main__":
    main(test)
