"""Kinto, a record service on PostgreSQL, as `postgres.py --only kinto` runs it beside ours: on the same cluster, in a database of its own.

As installed (`pip install 'kinto[postgresql]'`), with its own server, `kinto start`. The records are put into its table by SQL,
as it would write them: its own batches take 25 at a time.
"""

import csv
import json
import pathlib
import subprocess
import sys
import urllib.parse

import run as bench

COLLECTION = "/buckets/bench/collections/players"
PERMISSIONS = {"read": ["system.Everyone"]}


class Kinto:
    label = "Kinto"

    def __init__(self, command, work, cluster, count):
        cluster.sql("CREATE DATABASE kinto")
        url = cluster.url.replace("/postgres?", "/kinto?")
        port = bench.free_port()
        settings = work / "kinto.ini"
        # SQLAlchemy knows its driver by this name only.
        address = url.replace("postgres://", "postgresql://", 1)
        settings.write_text(f"""[app:main]
use = egg:kinto
kinto.storage_backend = kinto.core.storage.postgresql
kinto.storage_url = {address}
kinto.permission_backend = kinto.core.permission.postgresql
kinto.permission_url = {address}
kinto.cache_backend = kinto.core.cache.memory
kinto.bucket_create_principals = system.Everyone
kinto.experimental_permissions_endpoint = false
[server:main]
use = egg:waitress#main
host = 127.0.0.1
port = {port}
""")
        subprocess.run([command, "migrate", "--ini", settings], check=True, capture_output=True)
        self.process = bench.Process([command, "start", "--ini", settings, "--port", str(port)], port, "/v1/")
        for path, body in (("/buckets/bench", {"permissions": PERMISSIONS}), (COLLECTION, {})):
            status, data = bench.request(port, "PUT", f"/v1{path}", body)
            if status != 201:
                sys.exit(f"Kinto answered {status}: {data[:300]!r}")
        self.load(work, url, count)

    def load(self, work, url, count):
        """The records, a millisecond apart, in the order in which they are made."""
        rows = work / "kinto.csv"
        with open(rows, "w", newline="") as file:
            writer = csv.writer(file)
            for number, player in enumerate(bench.players(count)):
                writer.writerow((f"p{number:014}", json.dumps(player), number))
        pathlib.Path(rows).chmod(0o644)
        subprocess.run(
            ["psql", url, "-qX", "-v", "ON_ERROR_STOP=1"], check=True, stdout=subprocess.DEVNULL, text=True, input=f"""
            CREATE TABLE loading (id text, data jsonb, number int8);
            \\copy loading FROM '{rows}' CSV
            ALTER TABLE objects DISABLE TRIGGER tgr_objects_last_modified;
            INSERT INTO objects (id, parent_id, resource_name, last_modified, data, deleted)
                SELECT id, '{COLLECTION}', 'record', from_epoch(1700000000000 + number), data, false FROM loading;
            ALTER TABLE objects ENABLE TRIGGER tgr_objects_last_modified;
            DROP TABLE loading;
            VACUUM ANALYZE""")
        rows.unlink()

    def rows(self):
        def page(**filters):
            query = urllib.parse.urlencode({**filters, "_sort": "-rating", "_limit": 50})
            return ("GET", f"/v1{COLLECTION}/records?{query}", None)
        return {"page": [page(city=city) for city in bench.CITIES], "first": [page()]}


def measure(kinto, stratus, records, options, work):
    """Pages of 50 of both, in turn."""
    # The one from loading was idle for long, and may be closed.
    stratus.link = bench.Link(stratus.process.port)
    ours, theirs = stratus.rows(records), kinto.rows()
    print("| work | Stratus, requests/s | Kinto | ratio | p99 ms: Stratus, Kinto | failed |")
    print("|---|---|---|---|---|---|")
    for name in ("page", "first"):
        runs = []
        for system, rows in ((stratus, ours), (kinto, theirs)):
            file = work / f"kinto-{name}.lua"
            file.write_text(bench.lua(rows[name]))
            # One page may take Kinto seconds.
            seconds = options.seconds if system is stratus else max(15, options.seconds)
            runs.append(bench.measure(system.process, file, seconds))
        one, other = runs
        print(f"| {bench.TITLES[name]} | {one['rate']:,.0f} | {other['rate']:,.1f} | {one['rate'] / max(other['rate'], 0.01):,.0f} "
              f"| {one['p99']:.0f}, {other['p99']:.0f} | {one['failed']}, {other['failed']} |", flush=True)
    print()
