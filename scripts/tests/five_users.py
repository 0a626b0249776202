#!/usr/bin/env python3
"""Five users do what they like for a while, and a model that knows only Documentation/Protocol.md says what has to come of it.

Over real sockets to a real server, each user with a connection of its own, and one app without a user: they create, change,
replace and delete records of the public database alone and in batches, look them up, query them page by page, count them, put files
into them and fetch files, and write and follow zones of their own. Beside them an operator gives and takes roles in the console and
imports schemas with other grants.

- nothing happens that is not granted: what was refused has changed nothing, and nobody sees a record, a count, a file or a change
  that is not theirs to see;
- nothing is refused that is granted; pages are full; a role counts with the answer that gives it.

    scripts/tests/five_users.py [--seconds 20] [--seed N]

The steps follow from the seed, which is printed; in `make night` it is a random one, and the time ten minutes.
"""

import argparse
import collections
import http.client
import json
import os
import random
import re
import time
import urllib.parse

from accounts import Operator
from support import Client, Failure, Workplace, expect, free_port, main, make_token, run

CONTAINER = "iCloud.org.stratus.fiveusers"
USERS = ("ann", "ben", "cat", "dan", "eve")
NOBODY = "nobody"
ROLES = ("Red", "Blue")
TYPES = ("A", "B", "C")
SYSTEM_ROLES = ("_world", "_icloud", "_creator")
DEFAULTS = {"_world": {"READ"}, "_icloud": {"CREATE"}, "_creator": {"WRITE"}}
NAMES = [f"r{number}" for number in range(12)]
CONSOLE = f"/console/c/{CONTAINER}/development"


class Record:
    def __init__(self, type, creator, number):
        self.type, self.creator, self.number, self.tag, self.file = type, creator, number, None, None


class Model:
    """What Protocol.md ('Security roles', 'Operations') says."""

    def __init__(self):
        self.records, self.roles = {}, {user: set() for user in USERS}
        self.grants = {type: DEFAULTS for type in TYPES}
        self.own = {user: {} for user in USERS}

    def may(self, permission, user, type, creator=None):
        for role, permissions in self.grants[type].items():
            if permission not in permissions:
                continue
            if role == "_world" or user != NOBODY and (
                    role == "_icloud" or role in self.roles[user]
                    or role == "_creator" and creator == user and permission != "CREATE"):
                return True
        return False

    def sees(self, user, name):
        record = self.records.get(name)
        return record is not None and self.may("READ", user, record.type, record.creator)

    def visible(self, user, type):
        return {name for name, record in self.records.items() if record.type == type and self.sees(user, name)}

    def may_read_some(self, user, type):
        """Whether a query of the type is answered: with whatever there is to see."""
        return self.may("READ", user, type, user)

    def may_write_here(self, user):
        return user != NOBODY or any({"CREATE", "WRITE"} & grants.get("_world", set()) for grants in self.grants.values())

    def refusal(self, operation, name, type, user, is_current):
        """The code that an operation is refused with; None where it is done."""
        record = self.records.get(name)
        if record is None:
            if operation == "forceDelete":
                return None
            if operation in ("update", "replace", "delete"):
                return "NOT_FOUND"
            return None if self.may("CREATE", user, type) else "ACCESS_DENIED"
        may_write = self.may("WRITE", user, record.type, record.creator)
        if operation == "create":
            return "CONFLICT" if self.may("CREATE", user, type) else "ACCESS_DENIED"
        if operation in ("update", "replace", "delete") and not may_write and not self.sees(user, name):
            return "NOT_FOUND"
        if operation == "forceDelete" and not may_write and not self.sees(user, name):
            return None
        if not may_write:
            return "ACCESS_DENIED"
        return None if is_current or operation.startswith("force") else "CONFLICT"

    def do(self, operation, name, type, user, number):
        """What an operation that is not refused changes; whether there is such a record now."""
        record = self.records.get(name)
        if operation in ("delete", "forceDelete"):
            if record is not None and self.may("WRITE", user, record.type, record.creator):
                del self.records[name]
            return False
        if record is None:
            self.records[name] = record = Record(type, user, number)
        record.number = number
        if operation in ("replace", "forceReplace"):
            record.file = None
        return True


class Console(Operator):
    """The console, in which roles are given."""

    def __init__(self, port, data):
        super().__init__(port, "--data", data)
        _, text = self.request("GET", CONSOLE + "/users")
        self.csrf = re.search(r'name="csrf" value="([^"]+)"', text).group(1)

    def set_role(self, role, user, is_given):
        status, text = self.request(
            "POST", f"{CONSOLE}/roles/{'give' if is_given else 'take'}", {"csrf": self.csrf, "user": user, "role": role})
        expect(status == 303, f"a role was answered {status}: {text[:500]}")


class Walk:
    def __init__(self, place, seed):
        self.random, self.model, self.counts = random.Random(seed), Model(), collections.Counter()
        self.place, self.port, self.imports, self.asker = place, free_port(), 0, None
        self.server = place.start("serve", "data", self.port, "--log-level", "error")
        self.server.wait_until_ready()
        self.data = str(self.server.data)
        self.schema = place.path / "schema.ckdb"
        self.import_schema()
        token = make_token(self.data, CONTAINER)
        self.clients, self.zones, self.marks = {}, {}, {}
        for user in USERS:
            run("user", "add", user, "--data", self.data, "--container", CONTAINER)
            web = make_token(self.data, CONTAINER, "--user", user)
            self.clients[user] = Client(self.port, CONTAINER, "public", token, web)
            self.zones[user] = Client(self.port, CONTAINER, "private", token, web)
            self.zones[user].ask("zones/modify", {"operations": [
                {"operationType": "create", "zone": {"zoneID": {"zoneName": "Own"}}}]})
        self.clients[NOBODY] = self.asker = Client(self.port, CONTAINER, "public", token)
        self.ids = {user: self.clients[user].ask("users/caller", {})["userRecordName"] for user in USERS}
        self.operator = Console(self.port, self.data)

    def import_schema(self):
        types = []
        for type in TYPES:
            grants = "".join(
                f',\n        GRANT {", ".join(sorted(permissions))} TO "{role}"'
                for role, permissions in self.model.grants[type].items())
            types.append(f"""    RECORD TYPE {type} (
        "___recordID" REFERENCE QUERYABLE, number INT64 QUERYABLE SORTABLE, file ASSET{grants}
    );
""")
        # A server learns within half a second of a schema that a command imports beside it: a type that is new says when.
        self.imports += 1
        mark = f"Import{self.imports}"
        types.append(f'    RECORD TYPE {mark} ("___recordID" REFERENCE QUERYABLE, GRANT READ TO "_world");\n')
        roles = "".join(f"    CREATE ROLE {role};\n" for role in ROLES)
        self.schema.write_text(f"DEFINE SCHEMA\n{roles}{''.join(types)}")
        run("schema", "import", "--file", str(self.schema), "--yes", "--data", self.data, "--container", CONTAINER)
        end = time.monotonic() + 30
        while self.asker and self.asker.post("records/query", {"query": {"recordType": mark}})[0] != 200:
            expect(time.monotonic() < end, "the server does not see an imported schema")
            time.sleep(0.02)

    def anybody(self):
        return self.random.choice((*USERS, NOBODY))

    # Rights

    def change_grants(self):
        grants = {
            role: {permission for permission in ("READ", "CREATE", "WRITE") if self.random.random() < 0.5}
            for role in (*SYSTEM_ROLES, *ROLES) if self.random.random() < 0.4}
        grants = {role: permissions for role, permissions in grants.items() if permissions}
        self.model.grants[self.random.choice(TYPES)] = grants or DEFAULTS
        self.import_schema()

    def change_role(self):
        user, role = self.random.choice(USERS), self.random.choice(ROLES)
        has = role in self.model.roles[user]
        self.operator.set_role(role, user, not has)
        (self.model.roles[user].discard if has else self.model.roles[user].add)(role)
        told = set(self.clients[user].ask("users/caller", {}).get("roles", []))
        expect(told == self.model.roles[user], f"{user} has the roles {told}, not {self.model.roles[user]}")

    # The public database

    def write(self):
        user = self.anybody()
        batch = []
        for name in self.random.sample(NAMES, self.random.randint(1, 4)):
            record = self.model.records.get(name)
            operation = self.random.choice(
                ("create", "create", "update", "forceUpdate", "replace", "forceReplace", "delete", "forceDelete"))
            is_current = self.random.random() < 0.8
            batch.append((operation, name, record.type if record else self.random.choice(TYPES),
                          self.random.randrange(1_000), is_current))
        operations = []
        for operation, name, type, number, is_current in batch:
            body = {"recordName": name, "recordType": type}
            if operation in ("update", "replace", "delete"):
                known = self.model.records.get(name)
                body["recordChangeTag"] = known.tag if known and is_current else "zzz"
            if "elete" not in operation:
                body["fields"] = {"number": {"value": number}}
            operations.append({"operationType": operation, "record": body})
        status, answer = self.clients[user].post("records/modify", {"operations": operations})
        said = f"{user} {batch}: {status} {json.dumps(answer)[:600]}"
        if not self.model.may_write_here(user):
            expect(answer.get("serverErrorCode") == "AUTHENTICATION_REQUIRED", said)
            return
        expect(status == 200 and len(answer["records"]) == len(batch), said)
        for (operation, name, type, number, is_current), told in zip(batch, answer["records"]):
            wanted = self.model.refusal(operation, name, type, user, is_current)
            code = told.get("serverErrorCode")
            # Whom signing in could help is told so.
            if wanted == "ACCESS_DENIED" and user == NOBODY and code == "AUTHENTICATION_REQUIRED":
                wanted = code
            expect(code == wanted, f"{operation} {name} of {type}: {code}, not {wanted}. {said}")
            self.counts["refused" if code else "written"] += 1
            if code is None and self.model.do(operation, name, type, user, number):
                self.model.records[name].tag = told["recordChangeTag"]

    def look_up(self):
        user = self.anybody()
        answer = self.clients[user].ask("records/lookup", {"records": [{"recordName": name} for name in NAMES]})
        for name, told in zip(NAMES, answer["records"]):
            self.check(user, name, told)

    def check(self, user, name, told):
        """A record that was read is one that may be, as it was written."""
        record = self.model.records.get(name)
        if not self.model.sees(user, name):
            expect(told.get("serverErrorCode") == "NOT_FOUND", f"{user} sees {name}: {told}")
            return
        expect("serverErrorCode" not in told, f"{user} does not see {name}: {told}")
        expect(told["fields"]["number"]["value"] == record.number and told["recordChangeTag"] == record.tag
               and told["recordType"] == record.type, f"{user} sees another {name}: {told}, not {vars(record)}")
        if record.creator in self.ids:
            expect(told["created"]["userRecordName"] == self.ids[record.creator], f"{name} is {record.creator}'s: {told}")
        expect(("file" in told["fields"]) == (record.file is not None), f"the file of {name}: {told}")

    def query(self):
        user, type = self.anybody(), self.random.choice(TYPES)
        least = self.random.choice((None, self.random.randrange(1_000)))
        query = {"recordType": type}
        if least is not None:
            query["filterBy"] = [{"fieldName": "number", "comparator": "GREATER_THAN_OR_EQUALS", "fieldValue": {"value": least}}]
        if self.random.random() < 0.5:
            query["sortBy"] = [{"fieldName": "number"}]
        visible = {name for name in self.model.visible(user, type)
                   if least is None or self.model.records[name].number >= least}
        names, body = [], {"query": query, "resultsLimit": self.random.choice((2, 3, 200))}
        while True:
            status, page = self.clients[user].post("records/query", body)
            if "serverErrorCode" in page:
                wanted = ("ACCESS_DENIED", "AUTHENTICATION_REQUIRED") if user == NOBODY else ("ACCESS_DENIED",)
                expect(not self.model.may_read_some(user, type) and page["serverErrorCode"] in wanted,
                       f"{user} may read {type}: {status} {page}")
                self.counts["refused"] += 1
                break
            expect(self.model.may_read_some(user, type), f"{user} may not read {type}: {page}")
            for told in page["records"]:
                self.check(user, told["recordName"], told)
            names += [told["recordName"] for told in page["records"]]
            if "continuationMarker" not in page:
                break
            expect(len(page["records"]) == body["resultsLimit"], f"a page of {user} is not full: {page}")
            body["continuationMarker"] = page["continuationMarker"]
        expect(sorted(names) == sorted(visible), f"{user} finds {sorted(names)} of {type}, not {sorted(visible)}")
        status, counted = self.clients[user].post("records/count", {"query": query})
        if self.model.may_read_some(user, type):
            expect(counted.get("count") == len(visible), f"{user} counts {counted} of {type}, not {len(visible)}")
        else:
            expect("serverErrorCode" in counted, f"{user} counts {type}: {counted}")

    # Files

    def fetch(self, address):
        path = urllib.parse.urlsplit(address.replace("${f}", "file"))
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", path.path + (f"?{path.query}" if path.query else ""))
        answer = connection.getresponse()
        body = answer.read()
        connection.close()
        return answer.status, body

    def file(self):
        """Somebody puts a file into a record, and somebody fetches it."""
        user, name = self.random.choice(USERS), self.random.choice(NAMES)
        record = self.model.records.get(name)
        if record is None:
            return
        may_write = self.model.may("WRITE", user, record.type, record.creator)
        status, answer = self.clients[user].post("assets/upload", {"tokens": [
            {"recordName": name, "recordType": record.type, "fieldName": "file"}]})
        if status != 200:
            expect(not may_write and not self.model.may("CREATE", user, record.type), f"{user} {name}: {status} {answer}")
            self.counts["refused"] += 1
        else:
            content = self.random.randbytes(self.random.randrange(1, 5_000))
            path = urllib.parse.urlsplit(answer["tokens"][0]["url"]).path
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            connection.request("POST", path, content, {"Content-Type": "application/octet-stream"})
            sent = connection.getresponse()
            value = json.loads(sent.read())
            connection.close()
            expect(sent.status == 200, f"a file was answered {sent.status}: {value}")
            answer = self.clients[user].ask("records/modify", {"operations": [{"operationType": "forceUpdate", "record": {
                "recordName": name, "recordType": record.type, "fields": {"file": {"value": value["singleFile"]}}}}]})
            told = answer["records"][0]
            expect(("serverErrorCode" not in told) == may_write, f"{user} may {'' if may_write else 'not '}write {name}: {told}")
            if may_write:
                record.tag, record.file = told["recordChangeTag"], content
                self.counts["files"] += 1
        reader = self.anybody()
        told = self.clients[reader].ask("records/lookup", {"records": [{"recordName": name}]})["records"][0]
        self.check(reader, name, told)
        if record.file is not None and self.model.sees(reader, name):
            status, body = self.fetch(told["fields"]["file"]["value"]["downloadURL"])
            expect(status == 200 and body == record.file, f"{reader} fetches {name}: {status}, {len(body)} bytes")
            self.counts["fetched"] += 1

    # Zones of one's own

    def own(self):
        """A user writes a zone of their own, and follows it: nothing of anybody else is in it."""
        user = self.random.choice(USERS)
        name, number, zone = self.random.choice(NAMES), self.random.randrange(1_000), {"zoneName": "Own"}
        is_deletion = self.random.random() < 0.3
        answer = self.zones[user].ask("records/modify", {"zoneID": zone, "operations": [{
            "operationType": "forceDelete" if is_deletion else "forceUpdate",
            "record": {"recordName": name, "recordType": self.random.choice(TYPES[:1]),
                       **({} if is_deletion else {"fields": {"number": {"value": number}}})}}]})
        expect("serverErrorCode" not in answer["records"][0], f"{user} in the own zone: {answer}")
        if is_deletion:
            self.model.own[user].pop(name, None)
        else:
            self.model.own[user][name] = number
        if self.random.random() < 0.5:
            return
        mark, known = self.marks.get(user, (None, {}))
        while True:
            wish = {"zoneID": zone, "resultsLimit": 5} | ({"syncToken": mark} if mark else {})
            answer = self.zones[user].ask("changes/zone", {"zones": [wish]})["zones"][0]
            mark = answer["syncToken"]
            for told in answer["records"]:
                if told.get("deleted"):
                    known.pop(told["recordName"], None)
                else:
                    known[told["recordName"]] = told["fields"]["number"]["value"]
            if not answer["moreComing"]:
                break
        self.marks[user] = (mark, known)
        expect(known == self.model.own[user], f"{user} follows {known}, not {self.model.own[user]}")

    def go(self, seconds):
        steps = [(40, self.write), (15, self.query), (10, self.look_up), (8, self.file), (10, self.own), (3, self.change_role),
                 (1, self.change_grants)]
        weights, deeds = zip(*steps)
        end = time.monotonic() + seconds
        # A slow machine does as much as is asked for below.
        while time.monotonic() < end or self.counts["steps"] < 300:
            try:
                self.random.choices(deeds, weights)[0]()
            except Failure as failure:
                raise Failure(f"{failure}\nStep {self.counts['steps']}, grants {self.model.grants}, roles {self.model.roles}")
            self.counts["steps"] += 1
            if self.counts["steps"] % 50 == 0:
                for name in NAMES:
                    self.counts["seen"] += sum(self.model.sees(user, name) for user in USERS)


def test():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=20)
    is_soak = "STRATUS_SOAK" in os.environ
    parser.add_argument("--seed", type=int, default=int(os.environ.get(
        "STRATUS_SEED", random.SystemRandom().randrange(1 << 32) if is_soak else 1)))
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.seconds:.0f} s")
    with Workplace("five-users") as place:
        walk = Walk(place, options.seed)
        walk.go(options.seconds)
        counts = walk.counts
        print(f"{counts['steps']} steps of five users: {counts['written']} operations done, {counts['refused']} refused, "
              f"{counts['files']} files put, {counts['fetched']} fetched")
        expect(counts["written"] > 20 and counts["refused"] > 20 and counts["fetched"] > 0, f"too little happened: {counts}")
        walk.server.send(15)
        expect(walk.server.wait() == 0, "the server did not end well")


if __name__ == "__main__":
    main(test)
