#!/usr/bin/env python3
"""Measures Stratus on PostgreSQL beside a raw probe of the same database: pgbench with prepared statements.

    make bench-postgres                          1,000,000 records
    make bench-postgres ARGS='--quick'           50,000, one round
    make bench-postgres ARGS='--only waits,hot'  some parts: rows, waits, hot, kinto

The cluster is the script's own, in a temporary folder, with fsync on. Its parts:

- rows: pages, one record by name, creates and batches over HTTP, each beside the plain SQL that reads or writes the same
  rows, at 16 connections; with the processor time that PostgreSQL spent on a request.
- waits: how long creates wait while a field is added and an index is made, behind a transaction that reads for ten
  seconds.
- kinto: pages, beside Kinto on the same cluster, where KINTO_BIN names its program (`pip install 'kinto[postgresql]'`).
- hot: creates in one private database, with a synchronous standby.

Benchmarks/README.md has the results. Standard library, wrk, pgbench and PostgreSQL only.
"""

import argparse
import http.client
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

import kinto
import run as bench
from clusters import Cluster
from run import CONNECTIONS, ROOT, Stratus, say

OPTIONS = "-c shared_buffers=1GB -c max_wal_size=4GB"
READER_SECONDS = 10


class MeasuredCluster(Cluster):
    """A PostgreSQL in a folder, and perhaps a standby."""

    def __init__(self, folder):
        self.standby = None
        super().__init__(folder, OPTIONS)

    def sql(self, text):
        done = subprocess.run(["psql", self.url, "-qAtX", "-v", "ON_ERROR_STOP=1", "-c", text],
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{text}: {done.stderr}")
        return done.stdout.strip()

    def cpu_seconds(self):
        """Processor time of the server with all its processes, of those that ended as well."""
        pid = (self.folder / "data/postmaster.pid").read_text().split()[0]
        total = 0
        for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
            try:
                number, _, rest = stat.read_text().partition(" (")
            except OSError:
                continue
            values = rest.rpartition(")")[2].split()
            if number == pid:
                total += sum(map(int, values[11:15]))
            elif values[1] == pid:
                total += int(values[11]) + int(values[12])
        return total / os.sysconf("SC_CLK_TCK")

    def add_standby(self):
        """A copy that has each commit on its disk before it is acknowledged."""
        folder = self.folder.with_name("standby")
        folder.mkdir()
        folder.chmod(0o755)
        (folder / "socket").mkdir()
        run_as_server(["pg_basebackup", "-d", self.url, "-D", folder / "data", "-R", "-X", "stream", "-c", "fast"],
                      folder)
        self.standby = Cluster(folder, OPTIONS)
        self.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.sql("SELECT pg_reload_conf()")
        deadline = time.monotonic() + 60
        while self.sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") != "1":
            if time.monotonic() > deadline:
                sys.exit("The standby does not follow.")
            time.sleep(0.1)

    def stop(self):
        super().stop()
        if self.standby:
            self.standby.stop()


def run_as_server(arguments, folder):
    prefix = []
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
        shutil.chown(folder / "socket", "postgres", "postgres")
        prefix = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]
    subprocess.run([*prefix, *arguments], check=True, cwd="/")


class OnPostgres(Stratus):
    label = "Stratus"
    greatest_depth = 500_000

    def __init__(self, binary, work, count, cluster):
        self.environment = Stratus.environment | {"STRATUS_STORE": cluster.url}
        super().__init__(binary, work, count)


class Private(OnPostgres):
    """Another node, with one user's private database."""

    folder = "private"
    database = "private"
    user = "hot"

    def load(self, count):
        pass


# The probe


def probe_scripts(cluster, records):
    """What pgbench does for each row: the same rows of the same tables, by their indexes."""
    zone, type_id = cluster.sql(
        "SELECT zone, type FROM directory JOIN record_type t ON t.id = type WHERE t.name = 'Player' LIMIT 1").split("|")
    table = f"r{type_id}"
    column = dict(
        line.split("|") for line in cluster.sql(f"SELECT name, 'c' || number FROM field WHERE type = {type_id}").split("\n"))
    city, rating = column["city"], column["rating"]
    page = f"SELECT body FROM {table} WHERE zone = {zone}"
    order = f"ORDER BY {rating} DESC NULLS LAST, id DESC LIMIT 50"
    cluster.sql(f"CREATE TABLE probe (LIKE {table} INCLUDING ALL); CREATE SEQUENCE probe_id")
    columns = cluster.sql(
        "SELECT string_agg(attname, ', ' ORDER BY attnum) FROM pg_attribute "
        f"WHERE attrelid = '{table}'::regclass AND attnum > 1 AND NOT attisdropped")
    depth = min(OnPostgres.greatest_depth, records // 2)
    place = cluster.sql(f"SELECT {rating}, id {page[11:]} {order.replace('LIMIT 50', f'LIMIT 1 OFFSET {depth}')}")
    deep_rating, deep_id = place.split("|")
    # One row of the table, so that the written rows are as large; read once, outside of what is measured.
    cluster.sql(f"CREATE TABLE pattern AS SELECT * FROM {table} LIMIT 1; ANALYZE pattern")
    return {
        "page": "\\set city random(0, 99)\n"
                f"{page} AND {city} = 'City ' || lpad(:city::text, 2, '0') {order};\n",
        "first": f"{page} {order};\n",
        "deep": f"{page} AND {rating} <= {deep_rating} AND ({rating}, id) < ({deep_rating}, {deep_id}) {order};\n",
        "one": f"\\set n random(0, {records - 1})\n"
               f"SELECT body FROM directory d JOIN {table} r ON r.id = d.id "
               f"WHERE d.zone = {zone} AND d.name = 'p' || lpad(:n::text, 14, '0') AND NOT d.deleted;\n",
        "create": f"INSERT INTO probe (id, {columns}) SELECT nextval('probe_id'), {columns} FROM pattern;\n",
    }


def run_probe(cluster, file, seconds):
    start = cluster.cpu_seconds()
    done = subprocess.run(
        ["pgbench", "-n", "-M", "prepared", "-c", str(CONNECTIONS), "-j", "2", "-T", str(seconds), "-f", file, cluster.url],
        capture_output=True, text=True)
    transactions = re.search(r"transactions actually processed: (\d+)", done.stdout)
    rate = re.search(r"^tps = ([\d.]+)", done.stdout, re.M)
    if done.returncode or not rate:
        sys.exit(f"pgbench failed: {done.stdout}{done.stderr}")
    return {"rate": float(rate.group(1)), "cpu": (cluster.cpu_seconds() - start) / int(transactions.group(1)) * 1e6}


def measure_rows(stratus, cluster, options, work):
    probes = {name: work / f"{name}.sql" for name in ("page", "first", "deep", "one", "create")}
    for name, text in probe_scripts(cluster, options.records).items():
        probes[name].write_text(text)
        probes[name].chmod(0o644)
    rows = stratus.rows(options.records)
    cluster.sql("VACUUM ANALYZE")
    runs = {}
    for number in range(options.rounds):
        for name in ("page", "first", "deep", "one", "create", "batch"):
            file = work / f"{name}.lua"
            file.write_text(bench.lua(rows[name]))
            for system in ("Stratus", "probe") if number % 2 == 0 else ("probe", "Stratus"):
                if system == "Stratus":
                    start = cluster.cpu_seconds()
                    run = bench.measure(stratus.process, file, options.seconds)
                    run["node"] = run["cpu"]
                    run["cpu"] = (cluster.cpu_seconds() - start) / max(run["rate"] * options.seconds, 1) * 1e6
                elif name in probes:
                    run = run_probe(cluster, probes[name], options.seconds)
                else:
                    continue
                runs.setdefault((name, system), []).append(run)
        say(f"  round {number + 1} of {options.rounds} done")
    return runs


def print_rows(runs):
    print("| work | Stratus, requests/s | probe, transactions/s | of the probe | PostgreSQL µs a request: Stratus, probe "
          "| node µs | p99 ms |")
    print("|---|---|---|---|---|---|---|")
    median = lambda key, name, system: statistics.median(run[key] for run in runs[(name, system)])
    for name in ("page", "first", "deep", "one", "create", "batch"):
        ours = runs[(name, "Stratus")]
        failed = sum(run["failed"] for run in ours)
        line = f"| {bench.TITLES[name]} | {median('rate', name, 'Stratus'):,.0f}"
        if (name, "probe") in runs:
            ratio = statistics.median(
                one["rate"] / other["rate"] for one, other in zip(ours, runs[(name, "probe")]))
            line += (f" | {median('rate', name, 'probe'):,.0f} | {ratio:.2f} | {median('cpu', name, 'Stratus'):,.0f}, "
                     f"{median('cpu', name, 'probe'):,.0f}")
        else:
            line += f" | | {50 * median('rate', name, 'Stratus'):,.0f} records/s | {median('cpu', name, 'Stratus'):,.0f}"
        print(f"{line} | {median('node', name, 'Stratus'):,.0f} | {median('p99', name, 'Stratus'):.1f} |"
              + (f" **{failed} failed**" if failed else ""))
    deep = median("cpu", "deep", "Stratus") / median("cpu", "first", "Stratus")
    print(f"\nPostgreSQL's time for a page at depth: {deep:.2f} of the first one's.\n")


# Waiting


class Writer(threading.Thread):
    """Creates records one after the other and keeps when each began and how long it waited."""

    def __init__(self, system, stopping):
        super().__init__(daemon=True)
        self.system, self.stopping, self.waits, self.failures = system, stopping, [], []
        self.connection = http.client.HTTPConnection("127.0.0.1", system.process.port, timeout=60)

    def create(self, fields):
        body = {"operations": [{"operationType": "create", "record": {"recordType": "Player", "fields": fields}}]}
        start = time.monotonic()
        self.connection.request("POST", self.system.path("records/modify"), json.dumps(body),
                                {"Content-Type": "application/json"})
        answer = self.connection.getresponse()
        data = answer.read()
        self.waits.append((start, time.monotonic() - start))
        if answer.status != 200 or b"serverErrorCode" in data:
            self.failures.append(data[:300])

    def run(self):
        players = bench.players(10_000)
        while not self.stopping.is_set():
            self.create(bench.fields(next(players)))


def writers_beside(stratus, cluster, action, count=16):
    """The longest and the 99th of 100 waits of writers while something is done; and how many creates there were."""
    stopping = threading.Event()
    writers = [Writer(stratus, stopping) for _ in range(count)]
    for writer in writers:
        writer.start()
    time.sleep(1)
    reader = subprocess.Popen(
        ["psql", cluster.url, "-qAtX", "-c",
         f"BEGIN; SELECT name FROM probe_of_types; SELECT pg_sleep({READER_SECONDS}); COMMIT"], stdout=subprocess.DEVNULL)
    time.sleep(0.5)
    done = action()
    reader.wait()
    time.sleep(1)
    stopping.set()
    for writer in writers:
        writer.join()
    waits = sorted(wait for writer in writers for _, wait in writer.waits)
    failures = [failure for writer in writers for failure in writer.failures]
    if failures:
        sys.exit(f"{len(failures)} creates failed, the first with {failures[0]!r}")
    return f"{1_000 * waits[-1]:,.0f} | {1_000 * waits[int(len(waits) * 0.99)]:,.0f} | {len(waits):,} | {done or ''}"


def measure_waits(stratus, cluster):
    table = cluster.sql("SELECT 'r' || id FROM record_type WHERE name = 'Player'")
    # The reader holds the lock on the table that every reading transaction holds.
    cluster.sql(f"CREATE OR REPLACE VIEW probe_of_types AS SELECT name FROM {table} LIMIT 1")
    indexes = lambda: set(cluster.sql(f"SELECT indexname FROM pg_indexes WHERE tablename = '{table}'").split("\n"))

    def add_field():
        start = time.monotonic()
        writer = Writer(stratus, threading.Event())
        writer.create(bench.fields({**next(bench.players(1)), f"extra{time.time_ns()}": 1}))
        if writer.failures:
            return f"refused: {writer.failures[0].decode(errors='replace')[:200]}"
        return f"its own create took {time.monotonic() - start:.1f} s"

    def make_index():
        before, start = indexes(), time.monotonic()
        # The one from loading was idle for long, and may be closed.
        stratus.link = bench.Link(stratus.process.port)
        query = {"query": {"recordType": "Player", "sortBy": [{"fieldName": "level"}, {"fieldName": "name"}]},
                 "resultsLimit": 50}
        stratus.post("records/query", query)
        while indexes() == before or cluster.sql(
                f"SELECT count(*) FROM pg_index WHERE indrelid = '{table}'::regclass AND NOT indisvalid") != "0":
            if time.monotonic() - start > 120:
                return "no index within 120 s"
            time.sleep(0.2)
        return f"index there after {time.monotonic() - start:.1f} s"

    print(f"| beside a transaction that reads for {READER_SECONDS} s, 16 writers | longest wait ms | p99 ms | creates | |")
    print("|---|---|---|---|---|")
    for name, action in (("nothing else", lambda: None), ("a field is added", add_field), ("an index is made", make_index)):
        print(f"| {name} | {writers_beside(stratus, cluster, action)} |", flush=True)
    print()


def measure_hot(binary, work, cluster, options):
    cluster.add_standby()
    system = Private(binary, work, 0, cluster)
    try:
        creates = [("POST", system.path("records/modify"), {"operations": [
            {"operationType": "create", "record": {"recordType": "Player", "fields": bench.fields(player)}}]})
            for player in bench.players(1_000)]
        file = work / "hot.lua"
        file.write_text(bench.lua(creates))
        bench.measure(system.process, file, 1)
        print("| creates in one private database, synchronous standby | records/s | p50 ms | p99 ms | failed |")
        print("|---|---|---|---|---|")
        for connections in (16, 64, 256):
            run = bench.measure(system.process, file, 2 * options.seconds, connections)
            print(f"| {connections} connections | {run['rate']:,.0f} | {run['p50']:.1f} | {run['p99']:.1f} "
                  f"| {run['failed']} |", flush=True)
        print()
    finally:
        system.process.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--records", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=int, default=4, help="of each run")
    parser.add_argument("--only", default="rows,waits,kinto,hot", help="which parts")
    parser.add_argument("--quick", action="store_true", help="50,000 records, one round of two seconds")
    options = parser.parse_args()
    if options.quick:
        options.records, options.rounds, options.seconds = 50_000, 1, 2
    for program in ("wrk", "psql"):
        if not shutil.which(program):
            sys.exit(f"{program} is missing: scripts/setup.sh bench postgres installs it.")
    programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))
    os.environ["PATH"] += "".join(f":{folder}" for folder in programs)
    bench.TITLES["deep"] = f"the same, {min(OnPostgres.greatest_depth, options.records // 2):,} rows deep"
    binary = os.environ.get("STRATUS") or bench.build(ROOT, "stratus")
    work = pathlib.Path(tempfile.mkdtemp(prefix="pgbench-"))
    work.chmod(0o711)
    cluster = stratus = None
    try:
        cluster = MeasuredCluster(work / "pg")
        say("Loading")
        stratus = OnPostgres(binary, work, options.records, cluster)
        print(f"{options.records:,} records, loaded by one client in batches of 200 at "
              f"{options.records / stratus.load_seconds:,.0f} a second; PostgreSQL with {OPTIONS}; {bench.machine()}\n")
        stratus.warm()
        parts = options.only.split(",")
        if "rows" in parts:
            print_rows(measure_rows(stratus, cluster, options, work))
        if "waits" in parts:
            measure_waits(stratus, cluster)
        if "kinto" in parts and "KINTO_BIN" in os.environ:
            other = kinto.Kinto(os.environ["KINTO_BIN"], work, cluster, options.records)
            try:
                kinto.measure(other, stratus, options.records, options, work)
            finally:
                other.process.stop()
        if "hot" in parts:
            measure_hot(binary, work, cluster, options)
    finally:
        if stratus:
            stratus.process.stop()
        if cluster:
            cluster.stop()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
