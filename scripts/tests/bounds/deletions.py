#!/usr/bin/env python3
"""Deleting a zone, a field and a type of very many records, and a reset: gone for readers at once, removed beside writes.

The server is killed in the middle of a removal and goes on with it after its start. A million records with 120 seconds
and more, fewer below.
"""

import contextlib
import json
import re
import sqlite3
import tempfile
import time

from common import CONTAINER, Failure, MemoryWatch, NormalClient, at_most, create, get, idle_client, main, row
from common import run as stratus
from seed import multiply

ALONE = True
CREATE_P99_MILLISECONDS = 50
MEMORY_GROWTH_MIB = 64
REMOVAL_SECONDS = 900
# A server looks once a second at what a command has changed of the schema in its directory; a slow machine takes longer.
LEARN_SECONDS = 5
# What SQL does not do for the rows that it multiplies: they are not counted.
MULTIPLIED = {"usage"}


def left(server):
    """What the server says is left to do."""
    return json.loads(get(server.port, "/readyz")[1]).get("background", {})


def jobs(server):
    """What is left to do as the store has it: a server learns of what a command asked for after a moment."""
    with contextlib.closing(sqlite3.connect(f"file:{server.data / 'stratus.sqlite'}?mode=ro", uri=True)) as store:
        return store.execute("SELECT count(*) FROM job").fetchone()[0]


def wait_until_done(server):
    end = time.monotonic() + REMOVAL_SECONDS
    while left(server) or jobs(server):
        if time.monotonic() > end:
            raise Failure(f"The removal did not come to its end: {left(server)}")
        time.sleep(0.05)


def schema(server, *arguments):
    return stratus("schema", *arguments, "--data", str(server.data), "--container", CONTAINER, seconds=300)


def import_schema(server, change):
    """Imports the schema of development after a change of its text."""
    text = change(schema(server, "export").stdout)
    with tempfile.NamedTemporaryFile("w", suffix=".ckdb") as file:
        file.write(text)
        file.flush()
        schema(server, "import", "--file", file.name, "--yes")


def without_field(text):
    kept = "\n".join(line for line in text.split("\n") if not line.strip().startswith("label "))
    return re.sub(r",(\s*\))", r"\1", kept)


def without_type(text):
    start = text.index("RECORD TYPE Bulk")
    return text[:start] + text[text.index(");", start) + 2:]


def wait_until_gone(check, seconds):
    """Whether readers do not see it any more by then, and after how many seconds."""
    start = time.monotonic()
    while True:
        gone = check()
        after = time.monotonic() - start
        if gone or after >= seconds:
            return gone, after
        time.sleep(0.1)


def measured(server, what, delete, check, kill=False, seconds=0):
    """Deletes beside a normal client, and says how it went; readers may see it for so many seconds more."""
    rows = []
    with NormalClient(server) as normal, MemoryWatch(server) as memory:
        time.sleep(0.5)
        start = time.monotonic()
        delete()
        took = time.monotonic() - start
        gone, after = wait_until_gone(check, seconds)
        work = left(server)
        if not kill:
            wait_until_done(server)
        ended = time.monotonic() - start
    rows.append(row(f"{what}: gone for readers", f"within {seconds} s" if seconds else "at once",
                    f"{'gone' if gone else 'still there'} "
                    f"{after:.2f} s after the {took:.2f} s of asking"
                    + (f", then {ended:.0f} s of removing" if work and not kill else ""), gone, exact=True))
    if kill:
        server.restart()
        still = left(server)
        wait_until_done(server)
        rows.append(row(f"{what}: after kill -9", "gone, and the removal goes on",
                        f"{'gone' if check() else 'back again'}, was left: {still or 'nothing'}", check(),
                        exact=True))
    else:
        rows.append(at_most(f"{what}: create of others, p99", CREATE_P99_MILLISECONDS, normal.create_p99, "ms"))
        rows.append(at_most(f"{what}: create of others, longest (told)", 60_000, normal.create_max, "ms"))
        rows.append(at_most(f"{what}: memory that it takes", MEMORY_GROWTH_MIB, memory.peak - memory.first, "MiB",
                            exact=True))
        rows.append(row(f"{what}: failures of others", "0", str(len(normal.failures)), not normal.failures,
                        exact=True))
    return rows


def run_all(server, count):
    ada = server.client("private")
    fields = {"label": "x" * 100}

    def make_zone(name):
        ada.ask("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": name}}}]})

    def delete_zone(name):
        ada.ask("zones/modify", {"operations": [{"operationType": "delete", "zone": {"zoneID": {"zoneName": name}}}]})

    def zone_is_gone(name):
        # A connection of its own: the server may have been killed since the last one.
        client = server.client("private")
        status, answer = client.post("records/lookup", {
            "records": [{"recordName": "bulk-1"}], "zoneID": {"zoneName": name}})
        client.close()
        return "ZONE_NOT_FOUND" in json.dumps(answer) or status == 404

    idle = idle_client(server, 2)
    rows = [at_most("create of a client that is alone, p99 (told)", 60_000, idle.create_p99, "ms")]
    for name, kill in (("Big", False), ("Killed", True)):
        ada.close()
        ada = server.client("private")
        make_zone(name)
        multiply(server, count if not kill else max(count // 4, 20_000), "Bulk", name, "private", **fields)
        ada.close()
        ada = server.client("private")
        rows += measured(server, f"zone of {count:,} records" if not kill else "zone, killed",
                         lambda: delete_zone(name), lambda: zone_is_gone(name), kill)
        ada.close()
        ada = server.client("private")
    # A zone of the same name is another one.
    make_zone("Big")
    ada.ask("records/modify", {"operations": [create("bulk-1", "Bulk", rank=5)], "zoneID": {"zoneName": "Big"}})
    answer = ada.ask("records/query", {"query": {"recordType": "Bulk"}, "zoneID": {"zoneName": "Big"}})
    rows.append(row("a new zone of the same name", "its own records alone", f"{len(answer['records'])} records",
                    len(answer["records"]) == 1, exact=True))
    ada.close()

    multiply(server, count, "Bulk", **fields)

    def bulk(name="bulk-1"):
        # A connection of its own: a removal may take longer than the server keeps one that says nothing.
        client = server.client()
        try:
            return client.ask("records/lookup", {"records": [{"recordName": name}]})["records"][0]
        finally:
            client.close()

    rows += measured(server, f"field of {count:,} records", lambda: import_schema(server, without_field),
                     lambda: "label" not in bulk().get("fields", {"label": 1}), seconds=LEARN_SECONDS)
    rows += measured(server, f"type of {count:,} records", lambda: import_schema(server, without_type),
                     lambda: bulk().get("serverErrorCode") == "NOT_FOUND", seconds=LEARN_SECONDS)
    multiply(server, count, "Bulk", **fields)
    rows += measured(server, f"reset with {count:,} records", lambda: schema(server, "reset", "--yes"),
                     lambda: bulk().get("serverErrorCode") == "NOT_FOUND", seconds=LEARN_SECONDS)
    server.process.send(15)
    server.process.wait()
    doctor = json.loads(stratus("doctor", "--json", "--data", str(server.data), check=False, seconds=300).stdout)
    wrong = {item["check"] for item in doctor["findings"] if item["severity"] == "problem"} - MULTIPLIED
    rows.append(row("doctor afterwards", "nothing wrong", ", ".join(sorted(wrong)) or "nothing wrong", not wrong,
                    exact=True))
    server._start()
    return rows


def run(server, seconds):
    return run_all(server, 1_000_000 if seconds >= 100 else 200_000 if seconds >= 30 else 20_000)


if __name__ == "__main__":
    main(run, 10)


