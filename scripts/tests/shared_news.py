#!/usr/bin/env python3
"""Participants of a share hear of the owner's changes over sockets, also when the server is killed in between.

- A web courier of a participant is told of changes of what is shared, with `dbs` 3 and the owner of the zone, and of nothing else.
- A live query of the shared database follows the owner, and the owner's follows the participant.
- After SIGKILL the courier goes on where it was, and the live query comes back with its list.
- When the owner closes the share, the live query ends with an error that says so, and the courier hears of it.

    scripts/tests/shared_news.py
"""

import http.client
import json
import urllib.parse

import notifications
from support import Client, Workplace, add_user, expect, free_port, main, wait_for

CONTAINER = "iCloud.org.stratus.shared"


class Person:
    """A user with clients of all databases."""

    def __init__(self, data, name):
        self.data, self.name = data, name
        self.tokens = add_user(data, CONTAINER, name)

    def connect(self, port):
        self.port = port
        self.public, self.private, self.shared = (
            Client(port, CONTAINER, scope, *self.tokens) for scope in ("public", "private", "shared"))

    def modify(self, client, zone, *operations):
        answer = client.ask("records/modify", {"zoneID": zone, "operations": [
            {"operationType": kind, "record": record} for kind, record in operations]})
        for record in answer["records"]:
            expect("serverErrorCode" not in record, f"{self.name} could not write: {json.dumps(record)}")
        return answer["records"]


class SharedList(notifications.Followed):
    """The names that a live query shows, and its end."""

    def __init__(self, person, scope, zone):
        super().__init__(person.port, person.tokens, "records/live", {"query": {"recordType": "Note"}, "zoneID": zone})
        self.path = self.path.replace(notifications.CONTAINER, CONTAINER).replace("/private/", f"/{scope}/", 1)
        self.names, self.error = set(), None

    def note(self, name, data):
        if name == "page":
            self.names = {record["recordName"] for record in data["records"]}
        elif name in ("enter", "change"):
            self.names.add(data["record"]["recordName"])
        elif name == "leave":
            self.names.discard(data["recordName"])
        elif name == "error":
            self.error, self.isOver = data["serverErrorCode"], True


def poll(port, address, last):
    """The next notification after one; none where there is none in time."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=70)
    path = urllib.parse.urlsplit(address).path
    connection.request("GET", path + (f"?after={last}" if last else ""))
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    expect(answer.status in (200, 204), f"A poll answered {answer.status}: {body}")
    return json.loads(body) if answer.status == 200 else None


def note(name, number, parent=None):
    record = {"recordType": "Note", "recordName": name, "fields": {"n": {"value": number}}}
    return ("forceUpdate", record | ({"parent": {"recordName": parent}} if parent else {}))


def test():
    with Workplace("shared") as workplace:
        port = free_port()
        server = workplace.start("serve", "data", port)
        server.wait_until_ready()
        ada, bob = (Person(server.data, name) for name in ("ada", "bob"))
        for person in (ada, bob):
            person.connect(port)
        own = {"zoneName": "Lists"}
        zone = ada.private.ask("zones/modify", {"operations": [
            {"operationType": "create", "zone": {"zoneID": own}}]})["zones"][0]["zoneID"]
        ada.modify(ada.private, own, note("list", 1), note("item", 1, "list"), note("secret", 1))
        share = ada.modify(ada.private, own, ("create", {
            "recordType": "cloudkit.share", "recordName": "share", "fields": {}, "createShortGUID": True,
            "forRecord": {"recordName": "list"}, "publicPermission": "READ_WRITE"}))[0]
        result = bob.public.ask("records/accept", {"shortGUIDs": [{"value": share["shortGUID"]}]})["results"][0]
        expect(result.get("participantStatus") == "ACCEPTED", f"bob was not let in: {json.dumps(result)}")

        bob.shared.ask("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
            "subscriptionID": "news", "subscriptionType": "database"}}]})
        receiver = bob.public.ask("tokens/create", {"apnsEnvironment": "development", "clientId": "bobs"})
        lists = [SharedList(bob, "shared", zone), SharedList(ada, "private", own)]
        for one in lists:
            one.start()
        wait_for("bob does not see the list.", lambda: lists[0].names == {"list", "item"})
        wait_for("ada does not see everything.", lambda: lists[1].names == {"list", "item", "secret"})

        ada.modify(ada.private, own, note("secret", 2))
        ada.modify(ada.private, own, note("item", 2))
        told = poll(port, receiver["webcourierURL"], None)
        expect(told["ck"]["met"]["dbs"] == 3 and told["ck"]["met"]["zid"] == "Lists", json.dumps(told))
        expect(told["ck"]["met"]["zoid"] == zone["ownerRecordName"], f"The owner is not named: {json.dumps(told)}")
        last = told["ck"]["nid"]

        bob.modify(bob.shared, zone, note("bobs", 1, "list"))
        wait_for("ada does not see what bob wrote.", lambda: "bobs" in lists[1].names)
        server.kill()
        server = workplace.start("serve", "data", port)
        server.wait_until_ready()
        for person in (ada, bob):
            person.connect(port)
        told = poll(port, receiver["webcourierURL"], last)
        expect(told and told["ck"]["nid"] > last, "The courier does not go on where it was.")
        last = told["ck"]["nid"]
        ada.modify(ada.private, own, note("late", 1, "item"))
        wait_for("bob's list did not come back.", lambda: lists[0].names == {"list", "item", "bobs", "late"})
        told = poll(port, receiver["webcourierURL"], last)
        expect(told, "Nothing was told of what ada wrote.")
        last = told["ck"]["nid"]

        ada.modify(ada.private, own, ("forceUpdate", {
            "recordType": "cloudkit.share", "recordName": "share", "publicPermission": "NONE"}))
        wait_for("bob's live query does not end.", lambda: lists[0].error)
        expect(lists[0].error == "ZONE_NOT_FOUND", f"It ended with {lists[0].error}.")
        expect(poll(port, receiver["webcourierURL"], last), "bob is not told that he is out.")
        expect(bob.shared.ask("changes/database", {})["zones"] == [], "bob still has the zone.")
        lists[1].isOver = True
        server.process.terminate()
        expect(server.wait(20) == 0, "The server did not end well")
        for one in lists:
            one.join(60)
            expect(one.failure is None, one.failure)


if __name__ == "__main__":
    main(test)
