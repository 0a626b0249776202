#!/usr/bin/env python3
"""Records whose names are of any letters, through everything that carries a name.

Slashes, percent signs, quotes, both forms of é, marks of the writing direction, emoji, dots alone, spaces at both ends, 255
UTF-16 units: over the wire, on the console's pages and addresses, in CSV and JSON Lines and back, in exported containers, archives of
accounts and backups, in webhooks, in cloudkit.js and on the command line, each name is one record, and the same one.
"""

import hashlib
import html
import http.server
import json
import re
import subprocess
import threading
import urllib.parse
import zipfile

from accounts import CONTAINER, Operator
from departure import Person
from support import (
    Workplace, check_with_doctor, client_settings, expect, free_port, get, main, make_token, run, stratus, wait_for)

NAMES = [
    "plain", "a/b", "/", "a//b", "..", ".", ".hidden", "../up", "50%", "%2F", "%", "?q=1", "a?b", "#top", "a#b", "a+b", "a b",
    " leading", "trailing ", "  ", "&amp;", "a&b=c", "\"quoted\"", "it's", "<b>", "{{name}}", "`tick`", "a\\b", "semi;colon", "a,b",
    "=1+1", "@cell", "-1", "+49", "'apostrophe", "\u00e9", "e\u0301", "\u212b", "A\u030a", "\u05d0\u05d1", "\u200frtl", "\u202eover",
    "a\u200bb", "\ufeffbom", "\u2028line", "\u00a0", "👩‍👩‍👧", "🇩🇪", "\U0001F600" * 127 + "x", "ü" * 255, "null", "true", "0", "1e5",
    "new", "delete", "i\u0307", "ﬁ", "ß", "\ue000", "\uffff", "*", "|", "~", "^", "a:b", "x_y", "$ref", "a=b", "C:\\x",
]
ZONE, TYPE = "Odd zone", "Odd"


def key(name):
    return hashlib.sha256(name.encode()).hexdigest()


def value(name):
    return {"value": key(name), "type": "STRING"}


def expect_names(found, expected, where):
    missing, extra = set(expected) - set(found), set(found) - set(expected)
    expect(not missing and not extra, f"{where}: without {sorted(missing)!a}, with {sorted(extra)!a}")
    expect(len(found) == len(set(found)), f"{where}: a name comes twice")


def pairs(names):
    """Each name with the next one, to which it refers."""
    return zip(names, names[1:] + names[:1])


class Place:
    """The private database of somebody, in a zone or the default one."""

    def __init__(self, person, zone=None):
        self.person, self.zone = person, zone

    def ask(self, endpoint, body):
        if self.zone:
            body = body | {"zoneID": {"zoneName": self.zone}}
        return self.person.ask("private", endpoint, body)

    def modify(self, operation, records):
        answer = self.ask("records/modify", {
            "atomic": False, "operations": [{"operationType": operation, "record": record} for record in records]})
        failed = [record for record in answer["records"] if "serverErrorCode" in record]
        expect(not failed, f"{operation}: {json.dumps(failed[:2])}")
        return answer["records"]

    def fill(self):
        self.modify("create", [
            {"recordName": name, "recordType": TYPE, "fields": {"text": value(name)}} for name in NAMES])
        self.modify("forceUpdate", [
            {"recordName": name, "recordType": TYPE,
             "fields": {"next": {"value": {"recordName": other, "action": "NONE"}, "type": "REFERENCE"}}}
            for name, other in pairs(NAMES)])

    def check(self, where):
        """Each name by lookup, by queries and in the feed is the record that was saved under it."""
        found = self.ask("records/lookup", {"records": [{"recordName": name} for name in NAMES]})["records"]
        for (name, other), record in zip(pairs(NAMES), found):
            expect(record.get("recordName") == name, f"{where}: lookup of {name!a} gives {record}")
            fields = record["fields"]
            expect(fields["text"]["value"] == key(name), f"{where}: {name!a} is another record")
            expect(fields["next"]["value"]["recordName"] == other, f"{where}: {name!a} refers to another record")
        for name in NAMES:
            filters = [[{"systemFieldName": "recordName", "comparator": "EQUALS",
                         "fieldValue": {"value": {"recordName": name}, "type": "REFERENCE"}}]]
            filters.append([{"fieldName": "next", "comparator": "EQUALS",
                             "fieldValue": {"value": {"recordName": name}, "type": "REFERENCE"}}])
            expected = [name, NAMES[NAMES.index(name) - 1]]
            for filter, one in zip(filters, expected):
                records = self.ask("records/query", {"query": {"recordType": TYPE, "filterBy": filter}})["records"]
                expect([record["recordName"] for record in records] == [one], f"{where}: a query for {name!a}: {records}")
        if self.zone:
            feed = self.person.ask("private", "changes/zone", {"zones": [{"zoneID": {"zoneName": self.zone}}]})
            expect_names([record["recordName"] for record in feed["zones"][0]["records"]], NAMES, f"{where}, feed")


class Console:
    """The pages of the console, by the links that they have."""

    def __init__(self, port, data, owner, zone):
        self.operator = Operator(port, "--data", data)
        self.base = f"/console/c/{CONTAINER}/development"
        self.where = urllib.parse.urlencode({"db": owner, "zone": zone, "type": TYPE})

    def get(self, path, status=200):
        found, text = self.operator.request("GET", path)
        expect(found == status, f"GET {path} is answered {found}: {text[:300]}")
        return text

    def post(self, path, form):
        found, text = self.operator.request("POST", path, form)
        expect(found in (200, 303), f"POST {path} is answered {found}: {text[:600]}")
        return text

    def links(self, text, part):
        return [html.unescape(link) for link in re.findall(r'(?:href|action)="([^"]*)"', text) if part in html.unescape(link)]

    @staticmethod
    def browsed(path):
        """The path as a browser sends it: dots alone, encoded or not, are steps (URL Standard, 4.4)."""
        path, _, query = path.partition("?")
        for segment in path.split("/"):
            expect(segment.lower().replace("%2e", ".") not in (".", ".."), f"a browser takes a step in {path}")
        return path + ("?" + query if query else "")

    def record_links(self):
        found, page = {}, f"{self.base}/records?{self.where}"
        while page:
            text = self.get(page)
            for link in self.links(text, "/records"):
                path, _, query = link.partition("?")
                members = dict(urllib.parse.parse_qsl(query))
                name = members.get("name")
                if path.startswith(f"{self.base}/records/") and name is None:
                    name = urllib.parse.unquote(path[len(f"{self.base}/records/"):])
                if name is not None and members.get("view") != "json":
                    found.setdefault(name, self.browsed(link))
            after = [link for link in self.links(text, "/records?") if "after=" in link]
            page = after[0] if after and len(found) < len(NAMES) else None
        return found

    def check(self):
        links = self.record_links()
        for name in NAMES:
            expect(name in links, f"the list has no link to {name!a}")
            text = self.get(links[name])
            expect(key(name) in text, f"the link of {name!a} leads to another record")
            for part in ("view=json", "record-versions", "delete-record"):
                others = self.links(text, part)
                expect(others, f"the page of {name!a} has no link with {part}")
                other = self.get(self.browsed(others[0]))
                expect(key(name) in other, f"{others[0]} is not of {name!a}")
            forms = re.findall(r'<form[^>]*action="([^"]*records[^"]*)"', text)
            expect(forms, f"the page of {name!a} has no form")
        return links


    def restore_all(self, place):
        """Deletes all records and puts them back from the pages of what was deleted."""
        place.modify("forceDelete", [{"recordName": name} for name in NAMES])
        posted = set()
        while True:
            page = f"{self.base}/bin?{self.where}"
            text = self.get(page)
            fields = [(field, html.unescape(value)) for field, value in
                      re.findall(r'<input type="hidden" name="(name|versionTag)" value="([^"]*)">', text)]
            names = {name for field, name in fields if field == "name"}
            expect(not names & posted, f"not put back: {names & posted!a}")
            if not names:
                break
            posted |= names
            csrf = re.search(r'name="csrf" value="([^"]+)"', text).group(1)
            self.post(self.links(text, "/bin?")[0] if self.links(text, "/bin?") else page, [("csrf", csrf), *fields])

    def save(self, name, link, text):
        """The form of a record as it is, with another text."""
        page = self.get(link)
        csrf = re.search(r'name="csrf" value="([^"]+)"', page).group(1)
        tag = html.unescape(re.search(r'name="tag" value="([^"]*)"', page).group(1))
        action = re.search(r'<form method="post" action="([^"]*)" enctype="multipart/form-data"', page).group(1)
        action = self.browsed(html.unescape(action))
        fields = {"csrf": csrf, "tag": tag, "recordType": TYPE, "v.text": text}
        return self.post(action, fields)


class Receiver(http.server.BaseHTTPRequestHandler):
    """Notes the names of the records in deliveries."""

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if body.get("recordName") and body["record"]["recordName"] == body["recordName"]:
            self.server.names.append(body["recordName"])
        self.send_response(200)
        self.end_headers()

    def log_message(self, *arguments):
        pass


def check_webhook(data, place):
    """A webhook is told each name; returns nothing where one is missing."""
    receiver = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    receiver.names = []
    threading.Thread(target=receiver.serve_forever, daemon=True).start()
    run("webhook", "add", f"http://127.0.0.1:{receiver.server_port}/", "--user", place.person.name, "--type", TYPE,
        "--data", data, "--container", CONTAINER)
    place.modify("forceUpdate", [{"recordName": name, "recordType": TYPE, "fields": {"n": {"value": 1}}} for name in NAMES])
    wait_for("the webhook is told each name", lambda: set(NAMES) <= set(receiver.names))
    expect(set(receiver.names) == set(NAMES), f"a webhook is told {set(receiver.names) - set(NAMES)!a}")
    receiver.shutdown()


SCRIPT = """
import { readFileSync } from "node:fs";
const { CloudKit } = await import(process.argv[2]);
const { url, container, token, web, zoneName, names } = JSON.parse(readFileSync(0, "utf8"));
CloudKit.configure({ url, containers: [{ containerIdentifier: container, environment: "development",
    apiTokenAuth: { apiToken: token, ckWebAuthToken: web } }] });
const database = CloudKit.getDefaultContainer().privateCloudDatabase;
const expect = (truth, sentence) => { if (!truth) throw new Error(sentence); };
for (let start = 0; start < names.length; start += 50) {
    const part = names.slice(start, start + 50);
    const { records } = await database.fetchRecords(part, { zoneID: { zoneName } });
    part.forEach((name, index) => expect(records[index]?.recordName === name, `fetched ${escape(name)}`));
    const saved = await database.saveRecords(
        records.map(({ recordName, recordType, recordChangeTag }) =>
            ({ recordName, recordType, recordChangeTag, fields: { n: { value: 2 } } })), { zoneID: { zoneName } });
    expect(!saved.hasErrors, JSON.stringify(saved.errors));
    part.forEach((name, index) => expect(saved.records[index].recordName === name, `saved ${escape(name)}`));
}
"""


def check_script(work, port, person):
    """cloudkit.js fetches and saves each record."""
    library, program = work.path / "cloudkit.mjs", work.path / "names.mjs"
    library.write_bytes(get(port, "/cloudkit.js")[1])
    program.write_text(SCRIPT)
    settings = {"url": f"http://127.0.0.1:{port}", "container": CONTAINER, "token": person.token, "web": person.web,
                "zoneName": ZONE, "names": NAMES}
    done = subprocess.run(
        ["node", program, library.as_uri()], input=json.dumps(settings), capture_output=True, text=True, timeout=120)
    expect(done.returncode == 0, f"cloudkit.js: {done.stdout[-500:]}{done.stderr[-1500:]}")


def check_console(data, place, console):
    """Pages, forms and what was deleted."""
    links = console.check()
    for name in NAMES:
        console.save(name, links[name], key(name) + "-saved")
    found = place.ask("records/lookup", {"records": [{"recordName": name} for name in NAMES]})["records"]
    for name, record in zip(NAMES, found):
        expect(record["fields"]["text"]["value"] == key(name) + "-saved", f"the form of {name!a} saved {record}")
    place.modify("forceUpdate", [
        {"recordName": name, "recordType": TYPE, "fields": {"text": value(name)}} for name in NAMES])
    run("versions", "keep", TYPE, "--count", "5", "--days", "5", "--data", data, "--container", CONTAINER)
    console.restore_all(place)
    place.check("put back")


def check_files(work, port, person, console):
    """The default zone as CSV and JSON Lines, and both as records of zones of their own."""
    environment = client_settings(port, CONTAINER, (person.token, person.web))

    def command(*arguments):
        done = subprocess.run(
            [stratus(), *map(str, arguments)], env=environment, capture_output=True, text=True, timeout=120)
        expect(done.returncode == 0, f"{arguments[:3]}: {done.stdout[-300:]} {done.stderr[-900:]}")
        return done.stdout

    lines = [line for line in command("query", TYPE, "--all", "--json", "--database", "private").split("\n") if line]
    expect_names([json.loads(line)["recordName"] for line in lines], NAMES, "query --json")
    for format in ("csv", "jsonl"):
        query = urllib.parse.urlencode({"db": person.name, "type": TYPE, "format": format})
        file, zone = work.path / f"odd.{format}", f"From {format}"
        file.write_bytes(console.get(f"{console.base}/records-export?{query}").encode())
        person.ask("private", "zones/modify", {"operations": [
            {"operationType": "create", "zone": {"zoneID": {"zoneName": zone}}}]})
        # A line of JSON is a whole record, which keeps its name.
        columns = ["--name-field", "recordName", "--field", "text:STRING", "--field", "next:REFERENCE"]
        command("import", file, "--type", TYPE, "--zone", zone, "--database", "private",
                *(columns if format == "csv" else []))
        Place(person, zone).check(f"imported from {format}")


def check_reasons(data, place):
    """'subscription why' tells of the record that was named, and of no other one."""
    changes = {}
    for name in ("a/b", "\u00e9", "e\u0301", " leading", "../up", "-1"):
        text = run("subscription", "why", "--user", place.person.address, "--zone", ZONE, "--data", data, "--container",
                   CONTAINER, "--json", "--", name).stdout
        changes[name] = [change["change"] for change in json.loads(text)["changes"]]
        expect(changes[name], f"'subscription why' knows no change of {name!a}")
    numbers = [number for some in changes.values() for number in some]
    expect(len(numbers) == len(set(numbers)), f"'subscription why' takes records for each other: {changes}")


def check_copies(work, data, person):
    """An archive of the account, an exported container and a backup have each name, and the copies are the same."""
    run("account", "export", person.address, str(work.path / "ada.zip"), "--data", data)
    archive = zipfile.ZipFile(work.path / "ada.zip")
    lines = [json.loads(line) for name in archive.namelist() if name.endswith("records.jsonl")
             for line in archive.read(name).split(b"\n") if line]
    expect_names([line["record"]["recordName"] for line in lines if line["zone"] == ZONE], NAMES, "the account's archive")
    export, again = work.path / "export", work.path / "again"
    run("container", "export", str(export), "--container", CONTAINER, "--data", data)
    again.mkdir()
    run("container", "import", str(export), "--data", str(again))
    run("container", "export", str(work.path / "second"), "--container", CONTAINER, "--data", str(again))
    files = [(folder / "development/records.jsonl").read_bytes() for folder in (export, work.path / "second")]
    expect(files[0] == files[1], "a container that was exported and imported is another one")
    run("backup", str(work.path / "backups"), "--data", data)
    run("restore", str(work.path / "backups"), "--data", str(work.path / "restored"))
    run("container", "export", str(work.path / "third"), "--container", CONTAINER, "--data", str(work.path / "restored"))
    expect((work.path / "third/development/records.jsonl").read_bytes() == files[0], "a restored backup is another one")


def test():
    with Workplace("odd-names") as work:
        port = free_port()
        server = work.start("serve", "data", port, "--webhook-targets", "any")
        server.wait_until_ready()
        data = str(server.data)
        run("sign-in", "set", "open", "--title", "Odd", "--data", data, "--container", CONTAINER)
        person = Person(port, server, make_token(data, CONTAINER), "ada@example.org")
        person.ask("private", "zones/modify", {
            "operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": ZONE}}}]})
        default, zone = Place(person), Place(person, ZONE)
        for place in (default, zone):
            place.fill()
            place.check("as saved")
        console = Console(port, data, person.name, ZONE)
        check_console(data, zone, console)
        check_files(work, port, person, console)
        check_webhook(data, zone)
        check_script(work, port, person)
        check_reasons(data, zone)
        check_copies(work, data, person)
        check_with_doctor(data)
    print(f"ok: {len(NAMES)} odd names are the same records everywhere")


main(test)
