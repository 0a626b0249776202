#!/usr/bin/env python3
"""One's own data over real HTTP: somebody downloads all that is theirs, deletes the account, and nothing of it stays.

- the archive has the records, files and facts of the person and of nobody else, each file as its manifest says;
- only the password gives it out or deletes the account; other people's forms and guesses do nothing;
- the server is killed while records go, and goes on after its restart; others' records and files stay as they are;
- public records stay without a name or go, as the operator said; the files of records go with the next sweep;
- operators do the same by command, with or without a server.
"""

import hashlib
import http.client
import io
import json
import sqlite3
import time
import urllib.parse
import zipfile

import accounts
from accounts import CONTAINER, PAGE, PASSWORD, Browser, LoggedLinks, sign_up
from support import Client, Workplace, expect, free_port, main, make_token, run, wait_for

RECORDS = 1_500
NOBODY = "_" + "0" * 32


class Person:
    """Somebody who signed up, with an app's token."""

    def __init__(self, port, server, token, address):
        self.port, self.token, self.address = port, token, address
        # What records say: the address would be found in what others keep.
        self.nick = address.split("@")[0]
        self.browser = Browser(port)
        sign_up(self.browser, address, LoggedLinks(server))
        page, _ = self.browser.get(f"{PAGE}?ckAPIToken={token}")
        page, _ = self.browser.fill(page)
        self.web = page.handover["data-token"]
        self.name = self.ask("public", "users/caller")["userRecordName"]

    def ask(self, database, endpoint, body=None):
        client = Client(self.port, CONTAINER, database, self.token, self.web)
        try:
            return client.ask(endpoint, {} if body is None else body)
        finally:
            client.close()

    def save(self, database, records, zone=None):
        for start in range(0, len(records), 200):
            body = {"operations": [{"operationType": "forceUpdate", "record": record}
                                   for record in records[start:start + 200]]}
            if zone:
                body["zoneID"] = {"zoneName": zone}
            answer = self.ask(database, "records/modify", body)
            failed = [record for record in answer["records"] if "serverErrorCode" in record]
            expect(not failed, f"not saved: {failed[:1]}")

    def upload(self, database, name, content):
        address = self.ask(database, "assets/upload", {
            "tokens": [{"recordType": "Note", "fieldName": "file", "recordName": name}]})["tokens"][0]["url"]
        parts = urllib.parse.urlsplit(address)
        connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=30)
        try:
            connection.request("POST", parts.path, content)
            return json.loads(connection.getresponse().read())["singleFile"]
        finally:
            connection.close()

    def fill(self, count):
        """Private and public records, in a custom zone too, with files."""
        file = self.upload("private", "r0", f"private file of {self.nick}".encode() * 1000)
        self.save("private", [note("r0", self.nick, file=file)])
        self.save("private", [note(f"r{number}", self.nick) for number in range(1, count)])
        self.ask("private", "zones/modify", {
            "operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Album"}}}]})
        self.save("private", [note(f"z{number}", self.nick) for number in range(300)], "Album")
        file = self.upload("public", "p-" + self.nick, f"public file of {self.nick}".encode())
        self.save("public", [note("p-" + self.nick, self.nick, file=file)])
        self.save("public", [note(f"p{number}-{self.nick}", self.nick) for number in range(300)])

    def data_page(self, status=200):
        return self.browser.get(PAGE + "/account/data", status)[0]

    def post_raw(self, number, **values):
        """Sends a form of the page, and gives the bytes of the answer."""
        action, fields = self.data_page().forms[number]
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            connection.request(
                "POST", action, urllib.parse.urlencode(fields | values),
                {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin",
                 "Cookie": "; ".join(f"{name}={value}" for name, value in self.browser.cookies.items())})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()


def note(name, text, file=None):
    fields = {"text": {"value": f"{text} {name}"}}
    if file:
        fields["file"] = {"value": file}
    return {"recordName": name, "recordType": "Note", "fields": fields}


def check_archive(content, person, other):
    archive = zipfile.ZipFile(io.BytesIO(content))
    expect(archive.testzip() is None, "a file of the archive is damaged")
    files = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(files["manifest.json"])
    for file in manifest["files"]:
        text = files[file["path"]]
        expect(len(text) == file["bytes"] and text.count(b"\n") == file["lines"]
               and hashlib.sha256(text).hexdigest() == file["sha256"], f"{file} is not what was written")
    assets = {name: text for name, text in files.items() if name.startswith("assets/")}
    expect(len(assets) == manifest["assetFiles"] == 2 and not manifest["missing"], f"the files: {list(assets)}")
    for name, text in assets.items():
        expect(name.endswith(hashlib.sha256(text).hexdigest()), f"{name} is another file")
    folder = f"{CONTAINER}/development/"
    lines = [json.loads(line) for line in files[folder + "records.jsonl"].splitlines()]
    private = [line for line in lines if line.get("owner") == person.name]
    public = [line for line in lines if "owner" not in line]
    expect(len(private) == RECORDS + 300 and len(public) == 301, f"{len(private)} private and {len(public)} public")
    expect(len(lines) == len(private) + len(public), "records of somebody else's database are in the archive")
    expect(all(line["record"]["created"]["userRecordName"] == person.name for line in lines),
           "records of somebody else are in the archive")
    zones = [json.loads(line) for line in files[folder + "zones.jsonl"].splitlines()]
    expect(zones == [{"owner": person.name, "zone": "Album"}], f"zones: {zones}")
    facts = json.loads(files["account.json"])
    expect(facts["address"] == person.address and len(facts["sessions"]) == 2, f"the account: {facts}")
    everything = b"".join(files.values())
    for secret in (person.web, PASSWORD, other.name, other.address, "scrypt"):
        expect(secret.encode() not in everything, f"the archive has '{secret}'")


def left(data, person):
    """What the database has of somebody, by plain SQL."""
    database = sqlite3.connect(f"file:{data}/stratus.sqlite?mode=ro", uri=True)
    try:
        rows = {}
        for (table,) in database.execute("SELECT name FROM sqlite_schema WHERE type = 'table'").fetchall():
            names = [row[1] for row in database.execute(f"PRAGMA table_info(\"{table}\")")]
            if table in ("change_log", "audit", "kept_outcome", "database", "zone") or not names:
                continue
            test = " OR ".join(
                f"instr(CAST(\"{name}\" AS BLOB), CAST(? AS BLOB)) > 0 OR instr(CAST(\"{name}\" AS BLOB), CAST(? AS BLOB)) > 0"
                for name in names)
            count = database.execute(
                f"SELECT count(*) FROM \"{table}\" WHERE {test}",
                [text for _ in names for text in (person.name, person.address)]).fetchone()[0]
            if count:
                rows[table] = count
        return rows
    finally:
        database.close()


def private_records(data, person):
    database = sqlite3.connect(f"file:{data}/stratus.sqlite?mode=ro", uri=True)
    try:
        return database.execute("SELECT records FROM database WHERE owner = ?", [person.name]).fetchone()[0]
    finally:
        database.close()


def check_deletion(place, port, server, data, token, ada, bob):
    before = snapshot(bob)
    # Guesses, and forms of others.
    page = ada.data_page()
    ada.browser.fill(page, 1, status=401, current="a wrong password")
    ada.browser.fill(page, 0, status=401, current="a wrong password")
    ada.browser.fill(page, 1, status=403, headers={"Sec-Fetch-Site": "cross-site"}, current=PASSWORD)
    expect("without your name" in page.text and "Players (development)" in page.text, f"the page: {page.text}")

    status, headers, content = ada.post_raw(0, current=PASSWORD)
    expect(status == 200 and headers["Content-Type"] == "application/zip", f"the archive: {status} {headers}")
    expect(f'filename="{CONTAINER}.zip"' in headers["Content-Disposition"], str(headers))
    check_archive(content, ada, bob)
    run("account", "export", ada.address, str(place.path / "ada.zip"), "--data", str(data))
    check_archive((place.path / "ada.zip").read_bytes(), ada, bob)
    expect((place.path / "ada.zip").stat().st_mode & 0o777 == 0o600, "others may read the archive")

    done, _ = ada.browser.fill(page, 1, current=PASSWORD)
    expect("deleted" in done.text, f"after deleting: {done.text}")
    # The server is killed while the records go.
    deadline = time.monotonic() + 20
    while private_records(data, ada) == RECORDS + 300 and time.monotonic() < deadline:
        pass
    server.kill()
    remaining = private_records(data, ada)
    expect(0 < remaining < RECORDS + 300, f"the server was killed too late or too early: {remaining} records are left")
    return before


def snapshot(person):
    found = []
    for database, zone in (("private", None), ("private", "Album"), ("public", None)):
        marker = None
        while True:
            body = {"query": {"recordType": "Note", "sortBy": [{"fieldName": "___recordID"}]}, "resultsLimit": 200}
            if zone:
                body["zoneID"] = {"zoneName": zone}
            if marker:
                body["continuationMarker"] = marker
            answer = person.ask(database, "records/query", body)
            found += [(database, zone, record) for record in answer["records"]
                      if record["created"]["userRecordName"] == person.name]
            marker = answer.get("continuationMarker")
            if not marker:
                break
    for _, _, record in found:
        for field in record["fields"].values():
            if isinstance(field["value"], dict):
                field["value"].pop("downloadURL", None)
    return found


def check_rest(place, port, server, data, token, ada, bob, before):
    """After the restart: the rest goes, and nothing of anybody else did."""
    status, answer = accounts.api(port, token, "users/caller", web=ada.web)
    expect(status == 421, f"somebody who is gone is let in: {status} {answer}")
    wait_for(lambda: f"records are left: {left(data, ada)}",
             lambda: private_records(data, ada) == 0 and set(left(data, ada)) <= {"erasure"})
    expect(snapshot(bob) == before, "the records of somebody else changed")
    public = bob.ask("public", "records/lookup", {"records": [{"recordName": "p-" + ada.nick}]})["records"][0]
    expect(public["created"]["userRecordName"] == NOBODY and public["modified"]["userRecordName"] == NOBODY
           and public["fields"]["file"]["value"]["size"] > 0, f"a public record: {public}")
    page, _ = Browser(port).get(PAGE)
    Browser(port).get(PAGE + "/account/data", status=303)
    browser = Browser(port)
    page, _ = browser.get(PAGE)
    browser.fill(page, status=401, address=ada.address, password=PASSWORD)
    # The private file goes with the sweep, the public one stays with its record.
    server.send(15)
    server.wait()
    own = data / "assets"
    count = len([path for path in own.rglob("*") if path.is_file()])
    run("assets", "sweep", "--grace", "0", "--data", str(data))
    files = [path.read_bytes() for path in own.rglob("*") if path.is_file()]
    expect(len(files) == count - 1, f"{count} files became {len(files)}")
    expect(not any(f"private file of {ada.nick}".encode() in file for file in files), "the private file is still there")
    expect(run("doctor", "--data", str(data), check=False).returncode in (0, 1), "the doctor failed")


def check_commands(place, port, server, data, token, bob, cleo):
    """An operator does the same, and public records go where that was said."""
    run("sign-in", "set", "--public-records", "remove", "--data", str(data), "--container", CONTAINER)
    expect("go." in run("sign-in", "show", "--data", str(data), "--container", CONTAINER).stdout, "'sign-in show'")
    wrong = run("sign-in", "set", "--public-records", "burn", "--data", str(data), "--container", CONTAINER, check=False)
    expect(wrong.returncode != 0 and "keep or remove" in wrong.stderr, wrong.stderr)
    refused = run("user", "remove", bob.address, "--data", str(data), "--container", CONTAINER, check=False)
    expect(refused.returncode != 0 and "account remove" in refused.stderr, refused.stderr)
    done = json.loads(run("account", "remove", bob.address, "--json", "--data", str(data)).stdout)
    expect(done["removedRecords"] >= 300 + 301, f"'account remove' says {done}")
    expect(set(left(data, bob)) <= {"erasure"}, f"left of bob: {left(data, bob)}")
    found = cleo.ask("public", "records/lookup", {"records": [{"recordName": "p-" + bob.nick}]})["records"][0]
    expect(found["serverErrorCode"] == "NOT_FOUND", f"{found}")
    # A user without an account.
    run("user", "add", "dora", "--data", str(data), "--container", CONTAINER)
    web = make_token(data, CONTAINER, "--user", "dora")
    expect(accounts.api(port, token, "users/caller", web=web)[0] == 200, "dora's token")
    server.send(15)
    server.wait()
    run("user", "remove", "dora", "--data", str(data), "--container", CONTAINER)
    expect("dora" not in run("user", "list", "--data", str(data), "--container", CONTAINER).stdout, "dora is there")
    database = sqlite3.connect(f"file:{data}/stratus.sqlite?mode=ro", uri=True)
    log = database.execute("SELECT operator, action, subject FROM audit ORDER BY id").fetchall()
    database.close()
    for row in (("sign-in", "account.download", "ada@example.org"), ("sign-in", "account.delete", "ada@example.org"),
                ("command line", "account.remove", bob.address), ("command line", "user.remove", "dora")):
        expect(row in log, f"{row} is not in the audit log: {log}")


def check():
    with Workplace("departure") as place:
        port = free_port()
        server = place.start("serve", "data", port)
        server.wait_until_ready()
        data = place.path / "data"
        run("sign-in", "set", "open", "--title", "Players", "--data", str(data), "--container", CONTAINER)
        token = make_token(data, CONTAINER)
        ada, bob = (Person(port, server, token, f"{name}@example.org") for name in ("ada", "bob"))
        ada.fill(RECORDS)
        bob.fill(300)
        before = check_deletion(place, port, server, data, token, ada, bob)
        server = place.start("serve", "data", port)
        server.wait_until_ready()
        check_rest(place, port, server, data, token, ada, bob, before)
        server = place.start("serve", "data", port)
        server.wait_until_ready()
        cleo = Person(port, server, token, "cleo@example.org")
        check_commands(place, port, server, data, token, bob, cleo)
    print("departure: people take along what is theirs, and nothing of them stays")


if __name__ == "__main__":
    main(check)
