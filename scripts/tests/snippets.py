#!/usr/bin/env python3
"""The code that the console's list of records offers to copy does what the list shows.

For each comparison that the console offers for each type of field, and for texts that are hard to quote: the list of
a live server is read, and its Swift, JavaScript and curl are run against the same server. All of them find the same
records in the same order. Swift is compiled against the modules that were built beside the command.
"""

import html
import http.client
import json
import os
import re
import shutil
import subprocess
import urllib.parse

from support import Client, Workplace, client_settings, expect, free_port, main, run, start_with_user
from swiftmodules import CLOUDKIT, build, typecheck

CONTAINER = "iCloud.snippets"
TYPE = "Note"
ZONE = "Diary-2026.x"
TEXTS = [
    "Ada", "Adam", "it's", 'say "hi"', "back\\slash", "$(touch x) `id` ${y}", "\\(1 + 1)", "日本語 🙂 é", "%@ %d",
    "</script>", "a' OR '1' == '1", "\u202eabc", "tab\tline\nend",
]
# A value for the filter of each type of field; of a list, a value of its elements.
VALUES = {
    "STRING": "Ada", "INT64": "3", "DOUBLE": "2.5", "TIMESTAMP": "2026-01-03T00:00:00.500Z", "REFERENCE": "note-2",
    "LOCATION": "52.5, 13.4, 300000",
}
LISTS = {
    "STRING": "Ada; 日本語 🙂 é", "INT64": "1; 3", "DOUBLE": "0.5; 2.5", "REFERENCE": "note-1; note-2",
    "TIMESTAMP": "2026-01-03T00:00:00.500Z; 2026-01-05T00:00:00.500Z",
}
LIST_COMPARATORS = {"IN", "NOT_IN", "LIST_CONTAINS_ANY", "LIST_CONTAINS_ALL"}


def note(number):
    """A record with a field of every type; the last one has none of them."""
    if number == len(TEXTS):
        return {"recordName": f"note-{number}", "recordType": TYPE, "fields": {"kind": {"value": "empty"}}}
    day = 1_767_225_600_500 + number * 86_400_000
    return {"recordName": f"note-{number}", "recordType": TYPE, "fields": {
        "text": {"value": TEXTS[number]}, "kind": {"value": "full"},
        "count": {"value": number, "type": "INT64"}, "half": {"value": number / 2, "type": "DOUBLE"},
        "at": {"value": day, "type": "TIMESTAMP"},
        "place": {"value": {"latitude": 52.5 + number, "longitude": 13.4}, "type": "LOCATION"},
        "owner": {"value": {"recordName": f"note-{number % 3}", "action": "NONE"}, "type": "REFERENCE"},
        "words": {"value": [TEXTS[number], TEXTS[(number + 7) % len(TEXTS)]], "type": "STRING_LIST"},
        "counts": {"value": [number, number + 1], "type": "INT64_LIST"},
        "halves": {"value": [number / 2], "type": "DOUBLE_LIST"}, "times": {"value": [day], "type": "TIMESTAMP_LIST"},
        "owners": {"value": [{"recordName": f"note-{number % 3}", "action": "NONE"}], "type": "REFERENCE_LIST"}}}


def fill(client, zone):
    records = [{"operationType": "forceReplace", "record": note(number)} for number in range(len(TEXTS) + 1)]
    answer = client.ask("records/modify", {"operations": records} | ({"zoneID": zone} if zone else {}))
    for record in answer["records"]:
        expect("serverErrorCode" not in record, f"A record was not saved: {record}")


class Console:
    """The console as an operator's browser asks for it."""

    def __init__(self, port, secret):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        form = urllib.parse.urlencode({"secret": secret, "to": ""})
        answer, _ = self.send("POST", "/console/sign-in", form, {"Content-Type": "application/x-www-form-urlencoded"})
        expect(answer.status in (302, 303), f"Signing in is answered with {answer.status}")
        self.cookie = "; ".join(cookie.split(";")[0] for cookie in answer.headers.get_all("Set-Cookie"))

    def send(self, method, path, body=None, headers=None):
        self.connection.request(method, path, body, headers or {})
        answer = self.connection.getresponse()
        return answer, answer.read().decode()

    def records(self, items):
        """The list at an address: its names, its code to copy, and the fields it can ask for."""
        path = f"/console/c/{CONTAINER}/development/records?" + urllib.parse.urlencode(items)
        answer, page = self.send("GET", path, headers={"Cookie": self.cookie})
        expect(answer.status == 200, f"{path} is answered with {answer.status}:\n{words(page)[-1500:]}")
        names = [html.unescape(name) for name in re.findall(r'name="name" form="picked" value="([^"]*)"', page)]
        codes = re.findall(r'<code id="snippet-\d">(.*?)</code>', page, re.DOTALL)
        fields = re.search(r'id="query-fields">(.*?)</script>', page, re.DOTALL).group(1)
        return names, [html.unescape(code) for code in codes], json.loads(fields)


def words(page):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", page))


class Query:
    """A query of the console, what it found, and the code for it."""

    def __init__(self, title, items):
        self.title = title
        self.items = items
        self.names = []
        self.swift = self.javascript = self.curl = ""

    def look(self, console):
        self.names, (self.swift, self.javascript, self.curl), _ = console.records(self.items)


def filtered(title, *filters, more=()):
    items = [("type", TYPE), *more]
    for field, comparator, value in filters:
        items += [("f", field), ("c", comparator), ("v", value)]
    return Query(title, items)


def every_comparison(fields):
    """One query for each comparison of each field that the console offers."""
    for field in fields:
        scalar = re.match(r"(?:LIST<)?(\w+)>?$", field["type"]).group(1)
        for comparator in field["comparators"]:
            word = comparator["value"]
            value = LISTS[scalar] if word in LIST_COMPARATORS else VALUES[scalar]
            if field["name"] == "___recordName":
                value = "note-1; note-2" if word in LIST_COMPARATORS else "note-1"
            yield filtered(f"{field['name']} {word}", (field["name"], word, value))


def queries(fields, owner):
    yield filtered("all of them")
    yield from every_comparison(fields)
    for text in TEXTS:
        yield filtered(f"text EQUALS {text!r}", ("text", "EQUALS", text))
    yield filtered("several", ("kind", "EQUALS", "full"), ("count", "GREATER_THAN", "2"), ("text", "IS_THERE", ""))
    yield filtered("a place without a distance", ("place", "NEAR", "52.5, 13.4"))
    sorts = [("s", "kind"), ("d", "desc"), ("s", "count"), ("d", "desc"), ("s", "___recordName"), ("d", "asc")]
    yield filtered("sorted", more=sorts)
    yield filtered("a page", more=[("s", "count"), ("d", "asc"), ("limit", "50")])
    predicate = ("predicate", "count < 3 OR text BEGINSWITH 'say \"'")
    yield filtered("a predicate", more=[predicate])
    yield filtered("a predicate and a filter", ("kind", "EQUALS", "full"), more=[predicate])
    private = [("db", owner)]
    yield filtered("private", ("count", "LESS_THAN", "5"), more=private)
    yield filtered("private zone", ("text", "EQUALS", "it's"), more=private + [("zone", ZONE)])
    yield filtered("private zone, sorted", more=private + [("zone", ZONE), ("s", "count"), ("d", "desc")])


def compare(language, found, checked):
    """Compares what code found with what the console showed, for all queries before it fails."""
    faults = [
        f"  {query.title}: the console shows {query.names}, {language} finds {names}"
        for query, names in zip(checked, found, strict=True) if names != query.names]
    expect(not faults, f"{language} finds other records:\n" + "\n".join(faults[:20]))
    print(f"  {language}: {len(checked)} queries find what the console shows")


def run_curl(checked, tokens):
    for query in checked:
        done = subprocess.run(
            ["bash", "-c", query.curl], capture_output=True, text=True, timeout=60,
            env=os.environ | {"API_TOKEN": tokens[0], "WEB_AUTH_TOKEN": tokens[1]})
        expect(done.returncode == 0, f"curl of '{query.title}' fails: {done.stderr}")
        answer = json.loads(done.stdout)
        expect("records" in answer, f"curl of '{query.title}' is answered with {done.stdout[:500]}\n{query.curl}")
        yield [record["recordName"] for record in answer["records"]]


def run_javascript(folder, checked, tokens, port):
    """All of them in one program: each as a module of its own, over the server's own client."""
    node = shutil.which("node")
    expect(node is not None, "Node is missing; 'scripts/setup.sh test' installs it.")
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.request("GET", "/cloudkit.js")
    (folder / "cloudkit.mjs").write_bytes(connection.getresponse().read())
    connection.close()
    address = f'"http://127.0.0.1:{port}/cloudkit.js"'
    for number, query in enumerate(checked):
        code = query.javascript
        expect(code.count(address) == 1, f"The JavaScript of '{query.title}' does not import {address}:\n{code}")
        # Node imports no addresses of servers; a module from a file gets the address of the server.
        code = code.replace(address, '"./cloudkit.mjs"').replace(
            "CloudKit.configure({", f'CloudKit.configure({{ url: "http://127.0.0.1:{port}",')
        code = code.replace('"API_TOKEN"', json.dumps(tokens[0])).replace('"WEB_AUTH_TOKEN"', json.dumps(tokens[1]))
        (folder / f"snippet{number}.mjs").write_text(code)
    (folder / "all.mjs").write_text(f"""
        const lines = [];
        const print = console.log;
        console.log = (records) => lines.push(records.map((record) => record.recordName));
        for (let number = 0; number < {len(checked)}; number += 1) await import(`./snippet${{number}}.mjs`);
        print(JSON.stringify(lines));
    """)
    done = subprocess.run([node, str(folder / "all.mjs")], capture_output=True, text=True, timeout=300)
    expect(done.returncode == 0, f"The JavaScript fails:\n{done.stderr[:3000]}")
    return json.loads(done.stdout)


SWIFT_HEAD = """\
import CloudKit
import Foundation
import Synchronization

/// What the code of one query prints, in the place of the function that it calls.
let found = Mutex<[String]>([])
let finished = DispatchSemaphore(value: 0)

func print(_ name: String, _ result: Result<CKRecord, any Error>) {
    found.withLock { $0.append((try? result.get()) == nil ? "failed: \\(result)" : name) }
}

func print(_ result: Result<CKQueryOperation.Cursor?, any Error>) {
    if case .failure(let error) = result { found.withLock { $0.append("failed: \\(error)") } }
    finished.signal()
}

@main
enum Program {
    static func main() throws {
        var all: [[String]] = []
        for snippet in snippets {
            found.withLock { $0 = [] }
            snippet()
            finished.wait()
            all.append(found.withLock { $0 })
        }
        try FileHandle.standardOutput.write(contentsOf: JSONEncoder().encode(all))
    }
}
"""


def run_swift(folder, checked, tokens, port):
    (folder / "main.swift").write_text(checked[-1].swift)
    typecheck([folder / "main.swift"])
    functions = []
    for number, query in enumerate(checked):
        lines = query.swift.splitlines()
        expect(lines[:2] == ["import CloudKit", "import Foundation"], f"The imports of '{query.title}':\n{query.swift}")
        functions.append(f"func snippet{number}() {{\n" + "\n".join(lines[2:]) + "\n}\n")
    names = ", ".join(f"snippet{number}" for number in range(len(checked)))
    source = folder / "Snippets.swift"
    source.write_text(f"{SWIFT_HEAD}\nlet snippets: [@Sendable () -> Void] = [{names}]\n\n" + "\n".join(functions))
    program = folder / "snippets"
    build([source], program, "-parse-as-library", modules=CLOUDKIT)
    done = subprocess.run(
        [str(program)], capture_output=True, text=True, timeout=300, cwd=folder,
        env=client_settings(port, CONTAINER, tokens))
    expect(done.returncode == 0, f"The Swift program ends with {done.returncode}:\n{done.stderr[-3000:]}")
    return json.loads(done.stdout)


def test():
    with Workplace("snippets") as work:
        data = str(work.path / "data")
        port = free_port()
        _, tokens = start_with_user(work, CONTAINER, port)
        listed = run("user", "list", "--json", "--data", data, "--container", CONTAINER).stdout
        zone = {"zoneName": ZONE}
        private = Client(port, CONTAINER, "private", *tokens)
        private.ask("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": zone}}]})
        fill(private, None)
        fill(private, zone)
        fill(Client(port, CONTAINER, "public", *tokens), None)

        console = Console(port, run("operator", "add", "ada", "--data", data).stdout.split()[0])
        _, _, fields = console.records([("type", TYPE)])
        checked = list(queries(fields, owner=json.loads(listed)[0]["userRecordName"]))
        for query in checked:
            query.look(console)
        hits = sum(1 for query in checked if query.names)
        print(f"  {len(checked)} queries of the console, {hits} of which find something")
        expect(hits > len(checked) / 2, "Too few queries find something to compare")
        expect(any(len(query.names) > 5 for query in checked), "No query finds more than five records")

        compare("curl", list(run_curl(checked, tokens)), checked)
        folder = work.path / "code"
        folder.mkdir()
        compare("JavaScript", run_javascript(folder, checked, tokens, port), checked)
        compare("Swift", run_swift(folder, checked, tokens, port), checked)


if __name__ == "__main__":
    main(test)
