#!/usr/bin/env python3
"""`stratus copy`, from a service that behaves as iCloud's does on a bad day.

Between the copy and another Stratus stands a proxy that throttles, answers 503 and 500, breaks connections in the middle
of answers and files, answers slowly, gives a new web auth token with each answer and forgets the old ones, has digests of
files that nobody can read, refuses queries by the time of change, fails single records for a moment, and leaves out
everything that is ours. The copy is killed at random moments and run again; then both sides are compared from outside:
every value, stamp and file. Later changes and deletions come over, `--follow` follows until it is told to stop, what was
changed here stays, and a server works on the target all the time.
"""

import base64
import hashlib
import http.client
import http.server
import json
import os
import pathlib
import random
import signal
import subprocess
import threading
import time
import urllib.parse

from support import (
    Client, Failure, Workplace, check_with_doctor, crash_options, expect, free_port, main, make_token, run,
    start_with_user, stratus)

CONTAINER = "iCloud.copy"
OURS = {"remedy", "serverRecord", "limitedBy", "backwardMarker", "warnings"}
SCHEMA = """DEFINE SCHEMA
    CREATE ROLE Editor;
    RECORD TYPE Team (
        "___recordID" REFERENCE QUERYABLE,
        name STRING QUERYABLE SORTABLE,
        GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator", GRANT WRITE TO Editor
    );
"""


class Proxy(http.server.ThreadingHTTPServer):
    """Stands between the copy and the service, with its moods by a seed."""

    daemon_threads = True

    def __init__(self, target, web_token, seed):
        super().__init__(("127.0.0.1", free_port()), Handler)
        self.target, self.web_token = target, web_token
        self.chance = random.Random(seed)
        self.lock = threading.Lock()
        self.tokens = ["first"]
        self.failed_once = set()
        self.seen = {}
        self.is_calm = False
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"

    def renew(self):
        """A token that is good from now on, as a person gets by signing in again."""
        with self.lock:
            self.tokens.append(f"signed-in/{len(self.tokens)}+=")
            return self.tokens[-1]

    def mood(self):
        with self.lock:
            if self.is_calm:
                return "good"
            return self.chance.choices(
                ["good", "throttled", "busy", "failing", "broken", "slow", "html"], [70, 6, 5, 4, 7, 4, 4])[0]

    def note(self, what):
        with self.lock:
            self.seen[what] = self.seen.get(what, 0) + 1


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.handle_request(None)

    def do_POST(self):
        self.handle_request(self.rfile.read(int(self.headers.get("Content-Length", 0))))

    def handle_request(self, body):
        mood = self.server.mood()
        self.server.note(mood)
        if mood == "throttled":
            return self.answer(429, {"serverErrorCode": "THROTTLED", "reason": "Database throttled", "retryAfter": 0.1})
        if mood == "busy":
            return self.answer(503, {"serverErrorCode": "TRY_AGAIN_LATER", "reason": "later"})
        if mood == "failing":
            return self.answer(500, {"serverErrorCode": "INTERNAL_ERROR", "reason": "Backend exception"})
        if mood == "html":
            return self.send(502, b"<html>Bad gateway</html>", {"Content-Type": "text/html"})
        if "/database/" in self.path:
            refusal = self.refusal(body)
            if refusal:
                return self.answer(*refusal)
        status, headers, data = self.forward(body)
        if "/database/" in self.path:
            data = self.changed(data)
        # Only who came with a token gets the next one.
        if "/database/" in self.path and "ckWebAuthToken=" in self.path:
            with self.server.lock:
                self.server.tokens.append(f"token/{len(self.server.tokens)}+=")
                headers["X-Apple-CloudKit-Web-Auth-Token"] = self.server.tokens[-1]
        self.send(status, data, headers, mood)

    def refusal(self, body):
        """What iCloud would not serve, or not with this token."""
        query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
        token = query.get("ckWebAuthToken", [None])[0]
        with self.server.lock:
            if token is not None and token not in self.server.tokens[-6:]:
                self.server.seen["old token"] = self.server.seen.get("old token", 0) + 1
                return 421, {"serverErrorCode": "AUTHENTICATION_REQUIRED", "reason": "request needs authorization"}
        if "/records/count" in self.path or "/storage/" in self.path:
            return 404, {"serverErrorCode": "BAD_REQUEST", "reason": "no such endpoint"}
        expect("/users/" not in self.path or "/public/users/" in self.path, f"{self.path} is not where Apple has it")
        expect(not self.path.endswith("limits"), "the copy asks for our own limits")
        text = json.loads(body) if body else {}
        expect("predicate" not in text.get("query", {}), "the copy uses predicates")
        expect(text.get("resultsLimit", 1) <= 200, "more than 200 records asked for")
        expect(len(text.get("records", [])) <= 200, "more than 200 records looked up")
        if any("modified" in json.dumps(item) for item in text.get("query", {}).get("filterBy", [])):
            self.server.note("time refused")
            return 400, {"serverErrorCode": "BAD_REQUEST", "reason": "Field '___modTime' is not marked queryable"}
        return None

    def forward(self, body):
        parts = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qsl(parts.query)
        query = [(key, self.server.web_token if key == "ckWebAuthToken" else value) for key, value in query]
        path = parts.path + ("?" + urllib.parse.urlencode(query) if query else "")
        connection = http.client.HTTPConnection("127.0.0.1", self.server.target, timeout=60)
        try:
            names = [name for name in self.headers if name.lower().startswith(("x-apple", "content-type"))]
            headers = {name: self.headers[name] for name in names} | {"Host": f"127.0.0.1:{self.server.server_port}"}
            connection.request("GET" if body is None else "POST", path, body, headers)
            answer = connection.getresponse()
            kept = {"Content-Type": answer.headers.get("Content-Type", "")}
            return answer.status, kept, answer.read()
        finally:
            connection.close()

    def changed(self, data):
        """The answer without what is ours, with Apple's kind of digests, and with records that fail once."""
        answer = json.loads(data)

        def walk(value):
            if isinstance(value, list):
                return [walk(item) for item in value]
            if not isinstance(value, dict):
                return value
            value = {key: walk(item) for key, item in value.items() if key not in OURS}
            if "fileChecksum" in value:
                digest = hashlib.sha1(value["fileChecksum"].encode()).digest()
                value["fileChecksum"] = base64.b64encode(b"\x01" + digest).decode()
            return value

        answer = walk(answer)
        if "records/lookup" not in self.path and not self.server.is_calm:
            for part in [answer] + answer.get("zones", []):
                for index, record in enumerate(part.get("records", [])):
                    name = record.get("recordName", "")
                    if name.endswith("7") and name not in self.server.failed_once:
                        self.server.failed_once.add(name)
                        part["records"][index] = {
                            "recordName": name, "serverErrorCode": "TRY_AGAIN_LATER", "reason": "Request timed out"}
        return json.dumps(answer).encode()

    def answer(self, status, value):
        self.send(status, json.dumps(value).encode(), {"Content-Type": "application/json"})

    def send(self, status, data, headers, mood="good"):
        try:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            hides_length = mood == "broken" and len(data) % 2 == 0
            if hides_length:
                self.send_header("Connection", "close")
            else:
                self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            if mood == "broken":
                self.wfile.write(data[: len(data) // 2])
                self.close_connection = True
            elif mood == "slow":
                step = max(1, len(data) // 5)
                for start in range(0, len(data), step):
                    self.wfile.write(data[start : start + step])
                    self.wfile.flush()
                    time.sleep(0.05)
            else:
                self.wfile.write(data)
        except OSError:
            self.close_connection = True


class Side:
    """One of the two services, as clients see it."""

    def __init__(self, port, tokens):
        self.public = Client(port, CONTAINER, "public", *tokens)
        self.private = Client(port, CONTAINER, "private", *tokens)
        self.port = port

    def database(self, name):
        return self.public if name == "public" else self.private

    def modify(self, database, operations, zone=None):
        for start in range(0, len(operations), 150):
            body = {"operations": operations[start : start + 150], "atomic": False}
            if zone:
                body["zoneID"] = {"zoneName": zone}
            for record in self.database(database).ask("records/modify", body)["records"]:
                expect("serverErrorCode" not in record, f"cannot prepare: {record}")

    def file(self, asset):
        parts = urllib.parse.urlsplit(asset["downloadURL"].replace("${f}", "x"))
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", parts.path + ("?" + parts.query if parts.query else ""))
            answer = connection.getresponse()
            expect(answer.status == 200, f"a file answers {answer.status}")
            return hashlib.sha256(answer.read()).hexdigest()
        finally:
            connection.close()

    def plain(self, record):
        fields = {}
        for name, field in record["fields"].items():
            value = field["value"]
            if field["type"].startswith("ASSET"):
                value = [self.file(item) for item in (value if isinstance(value, list) else [value])]
            if field["type"] == "REFERENCE":
                value = (value["recordName"], value["action"])
            fields[name] = (field["type"], value)
        return (record["recordType"], fields, record["created"], record["modified"], record.get("parent"))

    def everything(self, types):
        """All records by database, zone and name."""
        found = {}
        for database in ("public", "private"):
            for name in types:
                body = {"query": {"recordType": name}, "resultsLimit": 200}
                while True:
                    status, answer = self.database(database).post("records/query", body)
                    if status == 404:
                        break
                    expect(status == 200, f"a query answers {status}: {answer}")
                    for record in answer["records"]:
                        found[database, "_defaultZone", record["recordName"]] = self.plain(record)
                    if "continuationMarker" not in answer:
                        break
                    body["continuationMarker"] = answer["continuationMarker"]
        for zone in self.zones():
            token = None
            while True:
                wish = {"zoneID": {"zoneName": zone}, "resultsLimit": 200}
                if token:
                    wish["syncToken"] = token
                part = self.private.ask("changes/zone", {"zones": [wish]})["zones"][0]
                token = part["syncToken"]
                for record in part["records"]:
                    if not record.get("deleted"):
                        found["private", zone, record["recordName"]] = self.plain(record)
                if not part["moreComing"]:
                    break
        return found

    def zones(self):
        names = [zone["zoneID"]["zoneName"] for zone in self.private.ask("zones/list", {})["zones"]]
        return sorted(name for name in names if name != "_defaultZone")

    def upload(self, database, name, field, data):
        token = self.database(database).ask(
            "assets/upload", {"tokens": [{"recordName": name, "recordType": "Photo", "fieldName": field}]})["tokens"][0]
        parts = urllib.parse.urlsplit(token["url"])
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("POST", parts.path + ("?" + parts.query if parts.query else ""), data)
            return json.loads(connection.getresponse().read())["singleFile"]
        finally:
            connection.close()


def save(kind, name, fields, **more):
    record = {"recordName": name, "recordType": kind, "fields": {key: {"value": value} for key, value in fields.items()}}
    return {"operationType": "forceReplace", "record": record | more}


TYPES = ["Team", "Player", "Photo", "Draft", "Note"]


def fill(source, chance):
    """A container with every kind of value, references in both directions, files and zones."""
    teams = [save("Team", f"team-{n}", {"name": f"Team {n}"}) for n in range(210)]
    source.modify("public", teams)
    players = []
    for n in range(430):
        fields = {
            "name": f"Spieler {n} „é“", "level": n, "rating": n / 7, "tags": ["a", f"t{n % 5}"],
            "data": base64.b64encode(chance.randbytes(n % 40)).decode(),
            "team": {"recordName": f"team-{n % 210}", "action": "VALIDATE" if n % 3 else "DELETE_SELF"},
            "home": {"latitude": 52.5, "longitude": n / 10},
        }
        operation = save("Player", f"player-{n}", fields)
        operation["record"]["fields"]["data"]["type"] = "BYTES"
        operation["record"]["fields"]["rating"]["type"] = "DOUBLE"
        operation["record"]["fields"]["seen"] = {"value": 1_700_000_000_000 + n, "type": "TIMESTAMP"}
        players.append(operation)
    source.modify("public", players)
    photos = []
    for n in range(24):
        data = chance.randbytes(chance.choice([0, 1, 5_000, 200_000]) + n)
        photos.append(save("Photo", f"photo-{n}", {"image": source.upload("public", f"photo-{n}", "image", data)}))
    photos[0] = save("Photo", "photo-0", {"images": [source.upload("public", "photo-0", "images", bytes([n])) for n in (1, 2)]})
    source.modify("public", photos)
    source.modify("private", [save("Draft", f"draft-{n}", {"text": "x" * n}) for n in range(30)])
    for zone in ("Notes", "Empty", "Trash"):
        source.private.ask("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": zone}}}]})
    source.modify("private", [save("Note", f"note-{n}", {"text": "y" * (n % 90), "n": n}) for n in range(500)], "Notes")
    children = [
        save("Note", f"child-{n}", {"above": {"recordName": f"note-{n}", "action": "DELETE_SELF"}},
             parent={"recordName": f"note-{n}"}) for n in range(60)]
    source.modify("private", children, "Notes")
    source.modify("private", [save("Note", f"old-{n}", {"n": n}) for n in range(20)], "Trash")


def compare(source, target, moment):
    there, here = source.everything(TYPES), target.everything(TYPES)
    missing, extra = sorted(set(there) - set(here)), sorted(set(here) - set(there))
    expect(not missing, f"{moment}: {len(missing)} records are missing, {missing[:3]}")
    expect(not extra, f"{moment}: {len(extra)} records are too many, {extra[:3]}")
    wrong = [key for key in there if there[key] != here[key]]
    expect(not wrong, f"{moment}: {wrong[0] if wrong else ''} differs: {there.get(wrong[0]) if wrong else ''} {here.get(wrong[0]) if wrong else ''}")
    expect(source.zones() == target.zones(), f"{moment}: zones {source.zones()} became {target.zones()}")
    return len(there)


def command(proxy, data, folder, *more):
    return [
        stratus(), "copy", "--from", proxy.address, "--container", CONTAINER, "--data", str(data),
        "--state", str(folder / "state"), *more]


def environment(api_token, web_token):
    return os.environ | {"STRATUS_API_TOKEN": api_token, "STRATUS_WEB_AUTH_TOKEN": web_token}


def copy(proxy, data, folder, api_token, *more, status=0):
    done = subprocess.run(
        command(proxy, data, folder, "--json", *more), env=environment(api_token, proxy.renew()), capture_output=True,
        text=True, timeout=300)
    expect(done.returncode == status, f"the copy ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return json.loads(done.stdout) if done.stdout else {}


def kill_often(proxy, data, folder, api_token, schema, options):
    """Starts the copy again and again, and kills it."""
    chance = random.Random(options.seed)
    for _ in range(options.rounds):
        process = subprocess.Popen(
            command(proxy, data, folder, "--user", "ada", "--schema", str(schema)),
            env=environment(api_token, proxy.renew()), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(chance.uniform(0.2, 4))
            expect(process.returncode == 0, f"the copy ended with {process.returncode}")
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def change(source):
    """What happens at the source after the first copy."""
    source.modify("public", [save("Player", "player-3", {"name": "renamed"}), save("Player", "new-one", {"name": "new"})])
    source.modify("public", [{"operationType": "forceDelete", "record": {"recordName": "photo-5"}}])
    source.modify("private", [
        {"operationType": "forceDelete", "record": {"recordName": "note-9"}}, save("Note", "late", {"n": 1})], "Notes")
    source.private.ask("zones/modify", {"operations": [
        {"operationType": "delete", "zone": {"zoneID": {"zoneName": "Trash"}}},
        {"operationType": "create", "zone": {"zoneID": {"zoneName": "Later"}}}]})
    source.modify("private", [save("Note", "first", {"n": 1})], "Later")


def follow(proxy, data, folder, source, target, api_token):
    process = subprocess.Popen(
        command(proxy, data, folder, "--user", "ada", "--follow", "--every", "1s", "--json"),
        env=environment(api_token, proxy.renew()), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        source.modify("private", [save("Note", "followed", {"n": 2})], "Notes")
        deadline = time.monotonic() + 60
        while True:
            found = target.private.ask(
                "records/lookup", {"records": [{"recordName": "followed"}], "zoneID": {"zoneName": "Notes"}})
            if "fields" in found["records"][0]:
                break
            expect(time.monotonic() < deadline and process.poll() is None, "--follow does not follow")
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=20)
        expect(process.returncode == 0, f"--follow ended with {process.returncode} after Ctrl-C")
        expect(json.loads(output)["stopped"], "--follow does not say that it was stopped")
    finally:
        if process.poll() is None:
            process.kill()


def check_key(work, source_data, source, proxy, api_token):
    """The public database with a server-to-server key, into a directory on which no server runs."""
    key = work.path / "key.pem"
    made = run("key", "create", "--name", "copy", "--out", str(key), "--data", str(source_data), "--container", CONTAINER)
    key_id = next(word for word in made.stdout.split() if len(word) == 64)
    folder = work.path / "keyed"
    folder.mkdir()
    data = folder / "data"
    data.mkdir()
    arguments = ["--key", key_id, "--key-file", str(key), "--json"]
    plain = {name: value for name, value in os.environ.items() if not name.startswith("STRATUS_")} | {
        "STRATUS": stratus()}
    names = ["--type", "Team", "--type", "Player", "--type", "Photo"]
    done = subprocess.run(
        command(proxy, data, folder, *arguments, *names, "--verify"), env=plain, capture_output=True, text=True, timeout=200)
    expect(done.returncode == 0, f"a copy with a key ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    report = json.loads(done.stdout)
    count = sum(1 for database, _, _ in source.everything(TYPES) if database == "public")
    expect(report["copied"] == count and report["comparison"]["matches"], f"a copy with a key: {report}")
    both = work.path / "both"
    (both / "data").mkdir(parents=True)
    done = subprocess.run(
        command(proxy, both / "data", both, *arguments, *names, "--type", "Draft", "--type", "Note", "--verify"),
        env=plain | {"STRATUS_API_TOKEN": api_token, "STRATUS_WEB_AUTH_TOKEN": proxy.renew()}, capture_output=True,
        text=True, timeout=200)
    expect(done.returncode == 0, f"a copy with key and tokens ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    report = json.loads(done.stdout)
    expect(report["copied"] == len(source.everything(TYPES)) and report["comparison"]["matches"],
           f"a copy with key and tokens does not read both databases: {report}")
    for more, words in [
        (["--type", "Team"], "No credentials"),
        ([*arguments, "--web-auth-token", "x"], "without the API token"),
        (["--key", key_id], "belong together"),
        ([*arguments, "--database", "private"], "do not open the private database"),
        ([*arguments, "--state", str(work.path / "state")], "is of another copy"),
        ([*arguments, "--state", "other", "--to-container", "iCloud.nothing"], "--schema"),
    ]:
        done = subprocess.run(command(proxy, data, folder, *more), env=plain, capture_output=True, text=True, timeout=60)
        expect(done.returncode == 64 and words in done.stderr and "help:" in done.stderr,
               f"{more} ended with {done.returncode}: {done.stderr}")


def check():
    options = crash_options(__doc__, rounds=6, clients=1)
    with Workplace("copy") as work:
        source_data = work.path / "there"
        there = work.start("serve", "there", free_port())
        there.wait_until_ready()
        run("user", "add", "ada", "--data", str(source_data), "--container", CONTAINER)
        tokens = make_token(source_data, CONTAINER), make_token(source_data, CONTAINER, "--user", "ada")
        source = Side(there.port, tokens)
        schema = work.path / "schema.ckdb"
        schema.write_text(SCHEMA)
        run("schema", "import", "--file", str(schema), "--data", str(source_data), "--container", CONTAINER)
        fill(source, random.Random(options.seed))
        schema.write_text(run("schema", "export", "--data", str(source_data), "--container", CONTAINER).stdout)

        here = work.start("serve", "here", free_port())
        here.wait_until_ready()
        proxy = Proxy(there.port, tokens[1], options.seed)
        kill_often(proxy, here.data, work.path, tokens[0], schema, options)
        report = copy(proxy, here.data, work.path, tokens[0], "--user", "ada", "--verify")
        expect(report["comparison"]["matches"], f"the copy differs: {report}")
        target = Side(here.port, (make_token(here.data, CONTAINER), make_token(here.data, CONTAINER, "--user", "ada")))
        count = compare(source, target, "after kills")
        again = run("schema", "export", "--data", str(here.data), "--container", CONTAINER).stdout
        expect(again == schema.read_text(), "the schema is another one")

        change(source)
        target.modify("public", [save("Player", "player-8", {"name": "changed here"})])
        report = copy(proxy, here.data, work.path, tokens[0], "--user", "ada", "--delete")
        expect(report["newerHere"] == 1, f"a record that was changed here: {report}")
        report = copy(proxy, here.data, work.path, tokens[0], "--user", "ada", "--verify", status=1)
        expect([item["recordName"] for item in report["comparison"]["differences"]] == ["player-8"],
               f"--verify does not find the one that differs: {report}")
        source.modify("public", [save("Player", "player-8", {"name": "changed there"})])
        follow(proxy, here.data, work.path, source, target, tokens[0])
        copy(proxy, here.data, work.path, tokens[0], "--user", "ada")
        compare(source, target, "after changes")
        for mood in ("throttled", "busy", "failing", "broken", "slow", "html", "time refused"):
            expect(proxy.seen.get(mood), f"the proxy was never {mood}")
        check_key(work, source_data, source, proxy, tokens[0])
        there.send(signal.SIGTERM)
        here.send(signal.SIGTERM)
        there.wait(), here.wait()
        check_with_doctor(here.data)
        print(f"{count} records, {sum(proxy.seen.values())} requests, of which {proxy.seen.get('good')} went well")


if __name__ == "__main__":
    main(check)
