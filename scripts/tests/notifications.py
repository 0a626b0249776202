#!/usr/bin/env python3
"""Receivers of a server that is killed miss nothing, and what they get is in the order of the commits.

Each round lets several clients write over HTTP, while web couriers poll for notifications and live queries and two live
counts are followed, all with the ids of the last thing they have, and a webhook takes deliveries; the server is killed with
SIGKILL at a random moment, while all of them hold a connection or are being sent to, and started again. In the end:

- each acknowledged change was told to each courier, with the value that it had;
- notifications come by growing ids, and the values of each record grow;
- each was delivered to the webhook, too, in order but for repetitions;
- each live query's list is what a query answers, and was never sent again as a whole;
- the live counts are what `records/count` answers: of all records, and of those that a condition holds for only at first;
- a client that goes away is forgotten at once, and a server that is told to stop ends its streams.

    scripts/tests/notifications.py [--rounds 4] [--clients 4] [--receivers 2] [--seed N]

Half of the receivers are couriers, the others live queries. `make night` runs 200 rounds of 16 clients and 16 receivers.
"""

import http.client
import http.server
import json
import random
import threading
import time
import urllib.parse

from support import Client, Workplace, add_user, crash_options, expect, free_port, join_all, main, run

CONTAINER = "iCloud.org.stratus.notifications"
TYPE = "Entry"


class Writer(threading.Thread):
    """Writes until the server goes away."""

    def __init__(self, number, client, random, acknowledged):
        super().__init__(daemon=True)
        self.number, self.client, self.random, self.acknowledged = number, client, random, acknowledged
        self.values = {}

    def run(self):
        try:
            while True:
                name = f"r{self.number}-{self.random.randrange(6)}"
                value = self.values[name] = self.values.get(name, 0) + 1
                answer = self.client.ask("records/modify", {"operations": [{
                    "operationType": "forceUpdate",
                    "record": {"recordName": name, "recordType": TYPE, "fields": {"number": {"value": value}}}}]})
                expect("serverErrorCode" not in answer["records"][0], json.dumps(answer))
                self.acknowledged.append((name, value))
        except (OSError, http.client.HTTPException):
            return


class Courier(threading.Thread):
    """Polls, and says each time how far it is."""

    def __init__(self, port, address):
        super().__init__(daemon=True)
        self.port, self.path = port, urllib.parse.urlsplit(address).path
        self.last, self.told, self.isOver, self.failure = None, [], False, None

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=70)
        while not self.isOver:
            try:
                connection.request("GET", self.path + (f"?after={self.last}" if self.last else ""))
                answer = connection.getresponse()
                status, body = answer.status, answer.read()
            except (OSError, http.client.HTTPException):
                connection.close()
                time.sleep(0.05)
                continue
            if status == 204 or status >= 500:
                continue
            payload = json.loads(body)
            if status != 200 or "qry" not in payload["ck"]:
                self.failure = f"A poll answered {status}: {payload}"
                return
            event = payload["ck"]["qry"]
            self.last = payload["ck"]["nid"]
            self.note(event["rid"], event["af"]["number"])

    def note(self, name, number):
        self.told.append((self.last, name, number))


class Followed(threading.Thread):
    """Follows an endpoint of events, and goes on with the last id after each break."""

    def __init__(self, port, tokens, endpoint, query):
        super().__init__(daemon=True)
        self.port = port
        self.path = f"/database/1/{CONTAINER}/development/private/{endpoint}?" + urllib.parse.urlencode(
            {"query": json.dumps(query), "ckAPIToken": tokens[0], "ckWebAuthToken": tokens[1]})
        self.last, self.isOver, self.failure = None, False, None

    def run(self):
        while not self.isOver:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
            try:
                connection.request("GET", self.path, headers={"Last-Event-ID": self.last} if self.last else {})
                answer = connection.getresponse()
                if answer.status == 503:
                    # A node without its database says when to come back.
                    time.sleep(0.2)
                    continue
                if answer.status != 200:
                    self.failure = f"{self.path.partition('?')[0]} answered {answer.status}: {answer.read()}"
                    return
                self.follow(answer)
            except (OSError, http.client.HTTPException):
                time.sleep(0.05)
            finally:
                connection.close()

    def follow(self, answer):
        event = {}
        while not self.isOver:
            line = answer.readline().decode().rstrip("\n")
            if line == "" and not event and answer.isclosed():
                return
            if line:
                name, _, value = line.partition(": ")
                event[name] = value
                continue
            self.take(event)
            event = {}

    def take(self, event):
        self.last = event.get("id", self.last)
        if "event" in event:
            self.note(event["event"], json.loads(event["data"]))


class Live(Followed):
    """The list of a live query."""

    def __init__(self, port, tokens):
        super().__init__(port, tokens, "records/live", {
            "query": {"recordType": TYPE, "sortBy": [{"fieldName": "number"}]}, "resultsLimit": 200})
        self.places, self.numbers, self.pages = {}, {}, 0

    def note(self, name, data):
        if name == "page":
            self.pages += 1
            self.places = {record["recordName"]: record["place"] for record in data["records"]}
            self.numbers = {r["recordName"]: r["fields"]["number"]["value"] for r in data["records"]}
        elif name in ("enter", "change"):
            record = data["record"]
            self.places[record["recordName"]] = record["place"]
            self.numbers[record["recordName"]] = record["fields"]["number"]["value"]
        elif name != "behind":
            self.failure = f"An event that nothing was done for: {name} {data}"

    @property
    def names(self):
        return sorted(self.places, key=self.places.get)


class LiveCount(Followed):
    """The number of a live count."""

    def __init__(self, port, tokens, query):
        super().__init__(port, tokens, "records/live/count", {"query": query})
        self.query, self.count, self.told = query, None, 0

    def note(self, name, data):
        if name != "count":
            self.failure = f"A live count sent {name}: {data}"
        elif data["count"] == self.count:
            self.failure = f"The number {self.count} was sent twice"
        self.count, self.told = data.get("count"), self.told + 1

    def check(self, client):
        """Waits for the number that the server counts."""
        wanted = client.ask("records/count", {"query": self.query})["count"]
        deadline = time.monotonic() + 30
        while self.count != wanted and time.monotonic() < deadline and not self.failure:
            time.sleep(0.05)
        expect(not self.failure, self.failure)
        expect(self.count == wanted, f"The live count is {self.count}, and records/count {wanted}: {self.query}")


def follow_counts(port, tokens):
    """Live counts of all entries, and of those that are young: records enter the second one, and leave it."""
    counts = [LiveCount(port, tokens, {"recordType": TYPE}), LiveCount(port, tokens, {
        "recordType": TYPE, "filterBy": [
            {"fieldName": "number", "comparator": "LESS_THAN", "fieldValue": {"value": 5, "type": "INT64"}}]})]
    for count in counts:
        count.start()
    return counts


def check_counts(counts, client):
    """Compares live counts with counts: nobody writes meanwhile."""
    for count in counts:
        count.check(client)
    expect(all(count.told > 1 for count in counts), "A live count was told one number only")
    expect(counts[1].count < counts[0].count, "No record left the second live count")


class Hook(http.server.ThreadingHTTPServer):
    """A receiver of a webhook's deliveries."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), HookHandler)
        self.deliveries = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def told(self):
        """The records and values, as they came."""
        return [(one["record"]["recordName"], one["record"]["fields"]["number"]["value"]) for one in list(self.deliveries)]

    def check(self, acknowledged):
        """Waits for all changes, as long as any come, and looks at their order."""
        known, deadline = 0, time.monotonic() + 60
        while (missing := set(acknowledged).difference(self.told())) and time.monotonic() < deadline:
            if len(self.deliveries) > known:
                known, deadline = len(self.deliveries), time.monotonic() + 60
            time.sleep(1)
        expect(not missing, f"{len(missing)} of {len(acknowledged)} acknowledged changes were not delivered: {sorted(missing)[:5]}")
        last, seen = 0, set()
        for delivery in list(self.deliveries):
            if delivery["id"] in seen:
                continue
            seen.add(delivery["id"])
            expect(delivery["change"] > last, f"The webhook got {delivery['change']} after {last}")
            last = delivery["change"]


class HookHandler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        try:
            delivery = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        except (OSError, ValueError):
            # The server was killed while it sent.
            self.close_connection = True
            return
        self.server.deliveries.append(delivery)
        self.send_response_only(204)
        self.end_headers()


def subscribe(client, port, tokens, kind=Courier):
    """A courier that runs, at a node, of all entries that are made or changed."""
    client.ask("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
        "subscriptionID": "entries", "subscriptionType": "query", "firesOn": ["create", "update"],
        "query": {"recordType": TYPE}, "notificationInfo": {"additionalFields": ["number"]}}}]})
    return receive(port, tokens, kind)


def receive(port, tokens, kind=Courier):
    """A courier that runs, at a node."""
    device = Client(port, CONTAINER, "public", *tokens)
    device.prefix = f"/device/1/{CONTAINER}/development/"
    courier = kind(port, device.ask("tokens/create", {"apnsEnvironment": "development"})["webcourierURL"])
    courier.start()
    return courier


def wait_until_told(courier, acknowledged):
    """Waits for the courier to have heard of all changes, as long as it hears of any; whether it did is for `check` to say."""
    expect(acknowledged, "No client was acknowledged anything")
    left, known, deadline = set(acknowledged), 0, time.monotonic() + 60
    while left and time.monotonic() < deadline and not courier.failure:
        if len(courier.told) > known:
            deadline = time.monotonic() + 60
        news = courier.told[known:]
        known += len(news)
        left -= {(name, value) for _, name, value in news}
        time.sleep(0.1)


def check(courier, live, acknowledged, client):
    """Compares what receivers got with what was acknowledged."""
    expect(not courier.failure, courier.failure)
    ids = [identifier for identifier, _, _ in courier.told]
    expect(ids == sorted(set(ids)), "Notifications came twice or out of order to a client that says how far it is")
    told = {(name, number) for _, name, number in courier.told}
    missing = [change for change in acknowledged if change not in told]
    expect(not missing, f"{len(missing)} of {len(acknowledged)} acknowledged changes were not told: {missing[:5]}")
    values = {}
    for _, name, number in courier.told:
        expect(number > values.get(name, 0), f"{name} was told as {number} after {values.get(name)}")
        values[name] = number
    wanted = client.ask("records/query", {
        "query": {"recordType": TYPE, "sortBy": [{"fieldName": "number"}]}, "resultsLimit": 200})["records"]
    deadline = time.monotonic() + 30
    while live.names != [record["recordName"] for record in wanted] and time.monotonic() < deadline:
        time.sleep(0.05)
    expect(not live.failure, live.failure)
    expect(live.names == [record["recordName"] for record in wanted], "The live query's list is another one than the query's")
    expect(
        live.numbers == {r["recordName"]: r["fields"]["number"]["value"] for r in wanted},
        "The live query's records have other values than the query's")
    expect(live.pages == 1, f"The live query was sent as a whole {live.pages} times")


def test():
    options = crash_options(__doc__, rounds=4, clients=4, receivers=2)
    source = random.Random(options.seed)
    port = free_port()
    with Workplace("notifications") as workplace:
        def serve():
            server = workplace.start("serve", "data", port, "--webhook-targets", "any")
            server.wait_until_ready()
            return server

        server = serve()
        tokens = add_user(server.data, CONTAINER, "ada", "--people")
        first = Client(port, CONTAINER, "private", *tokens)
        first.ask("records/modify", {"operations": [{"operationType": "create", "record": {
            "recordName": "first", "recordType": TYPE, "fields": {"number": {"value": 0}}}}]})
        couriers = [subscribe(first, port, tokens)]
        couriers += [receive(port, tokens) for _ in range(options.receivers // 2 - 1)]
        hook = Hook()
        run("webhook", "add", f"http://127.0.0.1:{hook.server_address[1]}/", "--label", "entries", "--user", "ada", "--type", TYPE,
            "--data", str(server.data), "--container", CONTAINER)
        lives, counts = [Live(port, tokens) for _ in couriers], follow_counts(port, tokens)
        for live in lives:
            live.start()
        acknowledged, values = [], {}
        for number in range(options.rounds):
            writers = [
                Writer(index, Client(port, CONTAINER, "private", *tokens), random.Random(f"{options.seed}/{number}/{index}"),
                       acknowledged) for index in range(options.clients)]
            for writer in writers:
                writer.values = values.setdefault(writer.number, {})
                writer.start()
            time.sleep(source.uniform(0.3, 1.2))
            server.kill()
            join_all(writers)
            server = serve()
        client = Client(port, CONTAINER, "private", *tokens)
        for courier, live in zip(couriers, lives):
            wait_until_told(courier, acknowledged)
            check(courier, live, acknowledged, client)
        check_counts(counts, client)
        hook.check(acknowledged)
        # A server that is told to stop ends its streams instead of waiting for them.
        for receiver in (*couriers, *lives, *counts):
            receiver.isOver = True
        server.process.terminate()
        expect(server.wait(20) == 0, "The server did not end well")
        print(f"{len(acknowledged)} changes acknowledged, {sum(len(courier.told) for courier in couriers)} told in order to "
              f"{len(couriers)} couriers, {len(lives)} live queries shown as a query, {len(hook.deliveries)} delivered to a webhook, "
              f"{options.rounds} kills")


if __name__ == "__main__":
    main(test)
