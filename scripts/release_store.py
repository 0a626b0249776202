#!/usr/bin/env python3
"""Writes the data directory of a release for the tests: STRATUS=…/stratus scripts/release_store.py Tests/Releases/VERSION

Run once with the release's own command; the folder is then committed and never changes. scripts/tests/releases.py opens it
with the newest command and compares what it answers with what the release answered, which is kept beside the data.
"""

import json
import pathlib
import shutil
import sys
import tempfile
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).with_name("tests")))
from support import Client, Workplace, expect, free_port, make_token, run  # noqa: E402

CONTAINER = "iCloud.com.example.releases"
NOTES = [("a", "Grüße", 1), ("b", "Ünïcode 🌍", 2), ("c", "quotes ' \" \\", 3), ("d", "", 4), ("e", "last", 5)]
KEPT = ("stratus.sqlite", "stratus.secret", "assets")
FIRST_PAGE = {"query": {"recordType": "Note", "sortBy": [{"fieldName": "rank", "ascending": True}]}, "resultsLimit": 2}
ZONE = {"zoneName": "Notebook"}


def saving(records, zone=None):
    body = {"operations": [{"operationType": "create", "record": record} for record in records]}
    return body | ({"zoneID": zone} if zone else {})


def note(name, text, rank, **more):
    fields = {
        "text": {"value": text}, "rank": {"value": rank}, "height": {"value": rank / 8},
        "when": {"value": 1_700_000_000_000 + rank, "type": "TIMESTAMP"}, "bytes": {"value": "AAEC", "type": "BYTES"},
        "where": {"value": {"latitude": 52.5, "longitude": 13.4}, "type": "LOCATION"},
        "words": {"value": ["x", "y"], "type": "STRING_LIST"}}
    return {"recordName": name, "recordType": "Note", "fields": fields | more}


def upload(public):
    wish = {"tokens": [{"recordName": "photo", "recordType": "Photo", "fieldName": "file"}]}
    url = public.ask("assets/upload", wish)["tokens"][0]["url"]
    with urllib.request.urlopen(url, data=b"the bytes of a file", timeout=10) as answer:
        return json.loads(answer.read())["singleFile"]


def fill(public, private):
    """Records of every kind of field and of both databases, with references, a file, and deleted ones."""
    public.ask("records/modify", saving([note(*values) for values in NOTES]))
    parent = {"recordName": "a", "action": "DELETE_SELF"}
    public.ask("records/modify", saving([note("child", "of a", 9, owner={"value": parent, "type": "REFERENCE"})]))
    public.ask("records/modify", saving([
        {"recordName": "photo", "recordType": "Photo", "fields": {"file": {"value": upload(public)}}}]))
    private.ask("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
    private.ask("records/modify", saving([note(*values) for values in NOTES], ZONE))
    private.ask("records/modify", {
        "zoneID": ZONE, "operations": [{"operationType": "forceDelete", "record": {"recordName": "b"}}]})


def changes(private, token=None):
    zone = {"zoneID": ZONE} | ({"syncToken": token} if token else {})
    return private.ask("changes/zone", {"zones": [zone]})["zones"][0]


def answers(public, private, marker, token):
    """What a newer command has to answer as well."""
    file = public.ask("records/lookup", {"records": [{"recordName": "photo"}]})["records"][0]["fields"]["file"]["value"]
    return {
        "first page": public.ask("records/query", FIRST_PAGE)["records"],
        "page after the marker": public.ask("records/query", FIRST_PAGE | {"continuationMarker": marker})["records"],
        "lookup": public.ask("records/lookup", {"records": [{"recordName": name} for name in ("child", "e")]})["records"],
        "file": [file["fileChecksum"], file["size"]],
        "all changes": changes(private)["records"],
        "changes since the token": changes(private, token)["records"],
    }


def main():
    target = pathlib.Path(sys.argv[1])
    with Workplace("release") as work:
        port = free_port()
        server = work.start("serve", "data", port)
        server.wait_until_ready()
        run("user", "add", "ada", "--data", str(server.data), "--container", CONTAINER)
        tokens = [make_token(server.data, CONTAINER), make_token(server.data, CONTAINER, "--user", "ada")]
        secret = run("operator", "add", "ada", "--data", str(server.data)).stdout.split()[0]
        public, private = (Client(port, CONTAINER, name, *tokens) for name in ("public", "private"))
        fill(public, private)
        marker = public.ask("records/query", FIRST_PAGE)["continuationMarker"]
        token = changes(private)["syncToken"]
        private.ask("records/modify", saving([note("f", "after the token", 6)], ZONE))
        expected = {
            "version": run("version").stdout.strip(), "tokens": tokens, "operator": secret, "marker": marker,
            "syncToken": token, "answers": answers(public, private, marker, token)}
        server.send(15)
        expect(server.wait() == 0, "the server did not stop well")
        shutil.rmtree(target, ignore_errors=True)
        (target / "data").mkdir(parents=True)
        for name in KEPT:
            source = server.data / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, target / "data" / name)
        (target / "expected.json").write_text(json.dumps(expected, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
