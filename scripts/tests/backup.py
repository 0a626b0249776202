#!/usr/bin/env python3
"""A backup of a server that writes at full speed holds all that was acknowledged before it began, and nothing torn.

Clients write over HTTP: records with padding, atomic batches in a custom zone, files. Each client has one request under
way at a time, so what the service holds of it is always its first so many requests, applied whole. In each round
`stratus backup` runs beside them; some are killed with SIGKILL, and sometimes the server is, in the middle. Each backup
is restored and served, and compared:

- for each client there is a number of requests that explains every record that is there, with its value and its change
  tag: at least as many as were acknowledged when the backup began, at most as many as were sent when it ended;
- `stratus doctor` finds nothing wrong, files included, and the old tokens are let in;
- a killed or failed backup leaves the others as they were, and the next one removes what it left;
- on a full disk nothing of a backup stays, and the command says so;
- the log of the server stays within its bounds.

At the end it prints how long writes took with and without a backup beside them.
"""

import argparse
import hashlib
import http.client
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

from support import (
    Client, Failure, Server, Workplace, check_with_doctor, expect, free_port, get, main, make_token, run, start_with_user,
    stratus)

CONTAINER = "iCloud.org.stratus.backup"
TYPE = "Entry"
ZONE = {"zoneName": "Journal"}
MIB = 1 << 20
LOG_BYTES = 64 * MIB
# A disk of its own for each test that fills one.
SMALL_DISK = "STRATUS_TEST_BACKUP_DISK"


def padding(number, size=1_500):
    """Text that belongs to a number, so that a torn record would be seen."""
    return (f"{number}:" + "abcdefghij" * (size // 10))[:size]


class Writer:
    """A client that writes one request after the other until it is told to stop."""

    def __init__(self, number, seed):
        self.number = number
        self.random = random.Random(f"{seed}/{number}")
        # What each request changes, in the order in which they were sent: names to values. Appended before it is sent.
        self.requests = []
        self.acknowledged = 0
        self.tags = {}
        self.names = []
        self.entries = []
        self.counter = 0
        self.times = []
        self.failure = None
        self.stopping = threading.Event()
        self.thread = None

    def begin(self, port, tokens):
        self.stopping.clear()
        self.clients = {scope: Client(port, CONTAINER, scope, *tokens) for scope in ("public", "private")}
        self.port = port
        self.thread = threading.Thread(target=self.work, daemon=True)
        self.thread.start()

    def end(self):
        self.stopping.set()
        self.thread.join(60)
        expect(not self.thread.is_alive(), "A client still waits after 60 s")
        if self.failure:
            raise self.failure

    def work(self):
        try:
            while not self.stopping.is_set():
                self.step()
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            pass  # The server is gone: the last request may or may not have come through.
        except Exception as error:  # noqa: BLE001 — told by the main thread
            self.failure = error
        finally:
            for client in self.clients.values():
                client.close()

    def step(self):
        choice = self.random.random()
        if choice < 0.02:
            self.save_file()
        elif choice < 0.25 or len(self.names) < 20:
            changes = {change[0]: change for change in [
                self.creation(self.names) for _ in range(self.random.choice([1, 1, 1, 8]))]}
            self.send("public", list(changes.values()))
        elif choice < 0.8:
            name = self.random.choice(self.names)
            self.send("public", [(name, "forceUpdate", self.random.randrange(1_000))])
        elif choice < 0.85:
            name = self.names.pop(self.random.randrange(len(self.names)))
            self.send("public", [(name, "forceDelete", None)])
        else:
            # Atomic, in a custom zone.
            batch = [self.creation(self.entries)]
            others = [name for name in self.entries if name != batch[0][0]]
            batch += [(name, "forceUpdate", self.random.randrange(1_000))
                      for name in self.random.sample(others, min(3, len(others)))]
            self.send("private", batch, ZONE)

    def creation(self, names):
        self.counter += 1
        # Names are not made without end: what is old is written over.
        name = f"c{self.number}-{self.counter}" if len(names) < 300 else self.random.choice(names)
        if name not in names:
            names.append(name)
        return name, "forceReplace", self.random.randrange(1_000)

    def send(self, scope, changes, zone=None, more=None):
        operations = []
        for name, kind, number in changes:
            record = {"recordName": name, "recordType": TYPE}
            if number is not None:
                record["fields"] = {
                    "number": {"value": number, "type": "INT64"},
                    "padding": {"value": padding(number), "type": "STRING"}, **(more or {})}
            operations.append({"operationType": kind, "record": record})
        request = {f"{scope}/{name}": number for name, _, number in changes}
        self.requests.append(request)
        body = {"operations": operations} | ({"zoneID": zone, "atomic": True} if zone else {})
        start = time.monotonic()
        status, answer = self.clients[scope].post("records/modify", body)
        end = time.monotonic()
        if status == 503:
            raise OSError("The server is stopping.")
        expect(status == 200, f"records/modify answered {status}: {json.dumps(answer)[:500]}")
        for (name, kind, _), record in zip(changes, answer["records"], strict=True):
            expect("serverErrorCode" not in record, f"{kind} of {name} failed: {json.dumps(record)[:500]}")
            self.tags[len(self.requests), f"{scope}/{name}"] = record.get("recordChangeTag")
        self.times.append((start, end - start))
        self.acknowledged = len(self.requests)

    def save_file(self):
        self.counter += 1
        name = f"f{self.number}-{self.counter}"
        bytes_ = self.random.randbytes(self.random.randrange(1, 60_000))
        wish = {"recordName": name, "recordType": TYPE, "fieldName": "file"}
        answer = self.clients["public"].ask("assets/upload", {"tokens": [wish]})
        path = urllib.parse.urlsplit(answer["tokens"][0]["url"])
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("POST", path.path + (f"?{path.query}" if path.query else ""), body=bytes_)
            reply = connection.getresponse()
            receipt = json.loads(reply.read())
            if reply.status == 503:
                raise OSError("The server is stopping.")
            expect(reply.status == 200, f"An upload was answered with {reply.status}: {receipt}")
        finally:
            connection.close()
        number = int.from_bytes(hashlib.sha256(bytes_).digest()[:4], "big")
        self.send(
            "public", [(name, "forceReplace", number)],
            more={"file": {"value": receipt["singleFile"], "type": "ASSETID"}})

    def settle(self, found):
        """Takes over what is there of a request that was never answered."""
        if len(self.requests) > self.acknowledged:
            names = self.requests[-1]
            came = all(found.get(name, (None,))[0] == number for name, number in names.items())
            if not came:
                self.requests.pop()
            self.acknowledged = len(self.requests)
        values = {}
        for request in self.requests:
            values |= request
        # What was deleted is not chosen again; what was lost is created again.
        self.names = [name.split("/")[1] for name, value in values.items()
                      if name.startswith("public/c") and value is not None]
        self.entries = [name.split("/")[1] for name, value in values.items()
                        if name.startswith("private/c") and value is not None]


def everything(port, tokens):
    """All records of the writers: the name, with its database, to value and change tag; files are read, too."""
    found = {}
    for scope, more in (("public", {}), ("private", {"zoneID": ZONE})):
        client = Client(port, CONTAINER, scope, *tokens)
        body = {"query": {"recordType": TYPE}, "resultsLimit": 200, **more}
        while True:
            answer = client.ask("records/query", body)
            for record in answer["records"]:
                fields = record["fields"]
                number = fields["number"]["value"]
                name = record["recordName"]
                if name.startswith("base-"):
                    continue
                expect(fields["padding"]["value"] == padding(number), f"{name} is torn: {json.dumps(record)[:300]}")
                found[f"{scope}/{name}"] = (number, record["recordChangeTag"])
                if "file" in fields and number % 10 == 0:
                    check_file(port, fields["file"]["value"], number)
            if "continuationMarker" not in answer:
                break
            body["continuationMarker"] = answer["continuationMarker"]
        client.close()
    return found


def check_file(port, value, number):
    url = urllib.parse.urlsplit(value["downloadURL"])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("GET", url.path + (f"?{url.query}" if url.query else ""))
        bytes_ = connection.getresponse().read()
    finally:
        connection.close()
    expect(
        int.from_bytes(hashlib.sha256(bytes_).digest()[:4], "big") == number, "A file has other bytes than were sent")


def explain(writer, found, least, most):
    """The number of requests after which the client's records were what was found; there has to be one."""
    prefixes = tuple(f"{scope}/{kind}{writer.number}-" for scope in ("public", "private") for kind in "cf")
    mine = {name: state for name, state in found.items() if name.startswith(prefixes)}
    expected, last = {}, {}
    wrong = set(mine)
    for count, request in enumerate([{}] + writer.requests[:most]):
        for name, number in request.items():
            expected[name], last[name] = number, count
            there = mine.get(name, (None, None))
            tag = writer.tags.get((count, name))
            is_right = there[0] == number and (number is None or tag is None or there[1] == tag)
            wrong.discard(name) if is_right else wrong.add(name)
        if count >= least and not wrong:
            return count
    raise Failure(
        f"No number of requests of client {writer.number} from {least} to {most} explains what is there: "
        f"{sorted(wrong)[:5]} of {len(mine)}")


class Scene:
    """A server with writers, and the backups of it."""

    def __init__(self, workplace, options):
        self.workplace, self.options = workplace, options
        self.random = random.Random(options.seed)
        self.port = free_port()
        self.data = workplace.path / "data"
        self.backups = workplace.path / "backups"
        self.writers = [Writer(number, options.seed) for number in range(options.clients)]
        self.during, self.seconds, self.log_bytes = [], [], 0

    def start(self):
        self.server = self.workplace.start("serve", "data", self.port, "--log-level", "warning")
        self.server.wait_until_ready()

    def begin(self):
        for writer in self.writers:
            writer.begin(self.port, self.tokens)

    def end(self):
        for writer in self.writers:
            writer.end()

    def fill(self, megabytes):
        """Records that make the database large enough for a backup to take a while."""
        client = Client(self.port, CONTAINER, "public", *self.tokens)
        for start in range(0, megabytes * 64, 100):
            client.ask("records/modify", {"operations": [
                {"operationType": "forceReplace", "record": {
                    "recordName": f"base-{number}", "recordType": "Base", "fields": {
                        "text": {"value": padding(number, 16_000), "type": "STRING"}}}}
                for number in range(start, min(start + 100, megabytes * 64))]})
        client.close()

    def command(self, *more):
        return [stratus(), "backup", str(self.backups), "--data", str(self.data), "--json", *more]

    def names(self):
        return sorted(path.name for path in self.backups.glob("stratus-*"))

    def partial(self):
        return [path.name for path in self.backups.glob(".partial-*")] if self.backups.exists() else []

    def back_up(self):
        """A backup beside the writers, compared with what it must hold."""
        least = [writer.acknowledged for writer in self.writers]
        begin = time.monotonic()
        process = subprocess.Popen(
            self.command("--keep", "4"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while process.poll() is None:
            # The file keeps some of its room; what counts is that it never becomes larger than the bound.
            self.log_bytes = max(self.log_bytes, (self.data / "stratus.sqlite-wal").stat().st_size)
            time.sleep(0.02)
        output, errors = process.communicate()
        for writer in self.writers:
            if writer.failure:
                raise writer.failure
        expect(process.returncode == 0, f"The backup ended with {process.returncode}: {errors}")
        self.during.append((begin, time.monotonic()))
        most = [len(writer.requests) for writer in self.writers]
        answer = json.loads(output)
        expect(answer["verified"] and not answer["missing"], f"The backup says {output}")
        expect(not self.partial(), f"An interrupted backup was not removed: {self.partial()}")
        self.seconds.append(time.monotonic() - begin)
        return answer, least, most

    def compare(self, answer, least, most):
        """Restores a backup, serves it, and compares all that is there."""
        again = self.workplace.path / "again"
        run("restore", answer["path"], "--data", str(again))
        check_with_doctor(again)
        port = free_port()
        server = self.workplace.start("serve", "again", port, "--log-level", "warning")
        server.wait_until_ready()
        found = everything(port, self.tokens)
        client = Client(port, CONTAINER, "public", *self.tokens)
        written = client.ask("records/modify", {"operations": [{"operationType": "forceReplace", "record": {
            "recordName": "after", "recordType": "After", "fields": {"number": {"value": 1}}}}]})
        client.close()
        # A tag that was given before would be a short one of the old numbers.
        expect(
            int(written["records"][0]["recordChangeTag"], 36) > answer["sequence"] + (1 << 29),
            "Change tags of after the backup are given again")
        server.kill()
        self.workplace.servers.remove(server)
        counts = [explain(writer, found, low, high) for writer, low, high in zip(self.writers, least, most)]
        shutil.rmtree(again)
        (self.workplace.path / "again.log").unlink()
        return len(found), sum(counts) - sum(least)

    def kill_backup(self):
        """A backup that is killed leaves the others as they were."""
        before = self.names()
        process = subprocess.Popen(self.command(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(self.random.uniform(0.02, max(self.seconds[-1], 0.1)))
        process.kill()
        process.wait()
        new = [name for name in self.names() if name not in before]
        # Either there is none of it, or it was killed after all was done.
        for name in new:
            run("restore", str(self.backups / name), "--check")
        expect(set(before) <= set(self.names()), "A killed backup took an earlier one away")

    def kill_server(self):
        """The server is killed while it copies: the command says so or is done, and the next one works."""
        process = subprocess.Popen(self.command(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(self.random.uniform(0.02, max(self.seconds[-1], 0.1)))
        self.server.kill()
        self.workplace.servers.remove(self.server)
        _, errors = process.communicate(timeout=60)
        expect(process.returncode == 0 or "error: " in errors, f"The backup ended with {process.returncode}: {errors}")
        for writer in self.writers:
            writer.thread.join(60)
            if writer.failure:
                raise writer.failure
        check_with_doctor(self.data)
        self.start()
        found = everything(self.port, self.tokens)
        for writer in self.writers:
            writer.settle(found)
            explain(writer, found, writer.acknowledged, len(writer.requests))
        self.begin()


def percentile(times, share):
    times = sorted(times)
    return times[min(len(times) - 1, int(len(times) * share))] * 1_000 if times else 0.0


def latency(scene):
    """The times of single writes with a backup beside them, and without, in milliseconds."""
    beside, alone = [], []
    for writer in scene.writers:
        for start, seconds in writer.times:
            is_beside = any(begin <= start + seconds and start <= end for begin, end in scene.during)
            (beside if is_beside else alone).append(seconds)
    return beside, alone


def rounds(options):
    with Workplace("backup") as workplace:
        scene = Scene(workplace, options)
        scene.server, scene.tokens = start_with_user(workplace, CONTAINER, scene.port)
        client = Client(scene.port, CONTAINER, "private", *scene.tokens)
        client.ask("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
        client.close()
        scene.fill(options.megabytes)
        compared = 0
        for number in range(1, options.rounds + 1):
            scene.begin()
            time.sleep(0.7)
            answer, least, most = scene.back_up()
            if number % 3 == 1:
                scene.kill_backup()
            if number % 4 == 2:
                scene.kill_server()
            scene.end()
            records, later = scene.compare(answer, least, most)
            compared += records
            print(
                f"round {number}: {answer['bytes'] / MIB:.0f} MiB in {scene.seconds[-1]:.2f} s, {records} records and "
                f"{answer['files']} files compared, {later} requests more than were acknowledged before", flush=True)
        expect(
            scene.log_bytes <= LOG_BYTES, f"The log grew to {scene.log_bytes / MIB:.0f} MiB beside a backup")
        run("restore", str(scene.backups), "--check")
        expect(len(scene.names()) >= 1, "Nothing was kept")
        done = sum(writer.acknowledged for writer in scene.writers)
        beside, alone = latency(scene)
        print(f"{options.rounds} backups beside {done} requests of {options.clients} clients, {compared} records "
              f"compared: all of them right; the log had at most {scene.log_bytes / MIB:.0f} MiB")
        print(f"a write without a backup: median {percentile(alone, 0.5):.1f} ms, p99 {percentile(alone, 0.99):.1f} ms "
              f"({len(alone)}); beside one: {percentile(beside, 0.5):.1f} ms, p99 {percentile(beside, 0.99):.1f} ms "
              f"({len(beside)})")
        if options.bound:
            expect(
                percentile(beside, 0.99) <= options.bound * percentile(alone, 0.99),
                f"Beside a backup the p99 of writes is more than {options.bound} times as long")


def full_disk():
    """The folder of backups lies on a small file system: nothing of a backup that does not fit stays there."""
    home = pathlib.Path(os.environ[SMALL_DISK])
    small = home / "small"
    small.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(small)], check=False)
    expect(mounted.returncode == 0, "A small file system could not be mounted")
    data, port = home / "data", free_port()

    class Disk:
        """Where the server is started, in the manner of a workplace."""

        path = home

        @staticmethod
        def start(verb, name, port):
            return Server(verb, home / name, port)

    server, tokens = start_with_user(Disk, CONTAINER, port)
    try:
        client = Client(port, CONTAINER, "public", *tokens)
        run("backup", str(small), "--data", str(data))
        kept = sorted(path.name for path in small.glob("stratus-*"))
        for number in range(8):
            client.ask("records/modify", {"operations": [{"operationType": "forceReplace", "record": {
                "recordName": f"large-{number}", "recordType": "Large", "fields": {
                    "text": {"value": "x" * 900_000, "type": "STRING"}}}}]})
        done = run("backup", str(small), "--data", str(data), check=False)
        expect(done.returncode == 1, f"A backup that does not fit ended with {done.returncode}")
        expect("is full" in done.stderr and "help: " in done.stderr, f"It said {done.stderr!r}")
        left = sorted(path.name for path in small.iterdir() if path.name != ".stratus-lock")
        expect(left == kept, f"{left} lie on the disk, of which only {kept} may")
        run("restore", str(small), "--check")
        expect(get(port, "/readyz")[0] == 200, "The server is not ready after the disk of its backups was full")
        # A restore onto a disk that has no room leaves nothing either.
        run("backup", str(home / "backups"), "--data", str(data))
        again = small / "again"
        done = run("restore", str(home / "backups"), "--data", str(again), check=False)
        expect(done.returncode == 1 and "is full" in done.stderr, f"The restore said {done.stderr!r}")
        expect(not again.exists(), f"{list(again.rglob('*')) if again.exists() else ''} lie on the disk")
    finally:
        server.kill()
    print("a full disk: no part of a backup and no part of a restore stays, and both say why")


def refusals():
    """What is refused, and with which words."""
    with Workplace("refusals") as workplace:
        port = free_port()
        server, _ = start_with_user(workplace, CONTAINER, port)
        data, backups = workplace.path / "data", workplace.path / "backups"
        run("backup", str(backups), "--data", str(data))
        served = run("restore", str(backups), "--data", str(data), check=False)
        expect(served.returncode == 1 and "is using" in served.stderr, f"A served directory: {served.stderr!r}")
        backup = next(backups.glob("stratus-*"))
        modes = {path.name: path.stat().st_mode & 0o077 for path in [backups, backup, *backup.rglob("*")]}
        expect(not any(modes.values()), f"Others may read {modes}")
        manifest = json.loads((backup / "manifest.json").read_text())
        (backup / "manifest.json").write_text(json.dumps(manifest | {"format": 2, "version": "9.0.0"}))
        newer = run("restore", str(backups), "--check", check=False)
        expect("Install Stratus 9.0.0 or newer" in newer.stderr, f"A newer backup: {newer.stderr!r}")
        (backup / "manifest.json").write_text(json.dumps(manifest))
        with open(backup / "stratus.sqlite", "r+b") as file:
            file.seek(9_000)
            byte = file.read(1)
            file.seek(9_000)
            file.write(bytes([byte[0] ^ 1]))
        damaged = run("restore", str(backups), "--data", str(workplace.path / "new"), check=False)
        expect(damaged.returncode == 1 and "does not have the bytes" in damaged.stderr, f"A damaged one: {damaged.stderr!r}")
        expect(not (workplace.path / "new").exists(), "A damaged backup was restored in part")
        server.send(signal.SIGTERM)
        server.wait()
        full = run("restore", str(backups), "--data", str(data), check=False)
        expect("is not empty" in full.stderr, f"A directory with data: {full.stderr!r}")
        (workplace.path / "half" / ".restoring").mkdir(parents=True)
        half = run("serve", "--data", str(workplace.path / "half"), "--port", str(port), check=False)
        expect("was not finished" in half.stderr, f"A half restored directory was served: {half.stderr!r}")
        # The file alone, copied beside a server, is recognised; so is that a backup is none of that kind.
        plain = workplace.path / "plain"
        plain.mkdir()
        shutil.copy(data / "stratus.sqlite", plain)
        found = json.loads(run("doctor", "--json", "--data", str(plain), check=False).stdout)["findings"]
        expect(any(one["check"] == "origin" for one in found), f"A plain copy was not recognised: {found}")
        found = json.loads(run("doctor", "--json", "--data", str(backup), check=False).stdout)["findings"]
        expect(not any(one["check"] == "origin" for one in found), f"A backup was taken for a plain copy: {found}")
        # Without a server the command does it alone, and an interrupted restore starts over.
        run("backup", str(backups), "--data", str(data))
        run("restore", str(backups), "--data", str(workplace.path / "half"))
        check_with_doctor(workplace.path / "half")
    print("refused: a served directory, one with data, a damaged backup, a newer one")


def in_a_namespace():
    """Runs the tests of full disks where file systems can be mounted."""
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode != 0:
        print("full disks were not tried: this user may not mount a file system")
        return
    home = tempfile.mkdtemp(prefix="stratus-backup-disk-")
    try:
        done = subprocess.run(
            ["unshare", "-m", sys.executable, __file__], env=os.environ | {SMALL_DISK: home}, check=False, timeout=300)
        expect(done.returncode == 0, "The tests of full disks failed")
    finally:
        shutil.rmtree(home, ignore_errors=True)


def test():
    if SMALL_DISK in os.environ:
        return full_disk()
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--clients", type=int, default=3)
    parser.add_argument("--megabytes", type=int, default=6, help="how large the database is before it begins")
    parser.add_argument("--bound", type=float, help="the most that the p99 of writes may grow beside a backup")
    seed = random.SystemRandom().randrange(1 << 32) if "STRATUS_SOAK" in os.environ else 1
    parser.add_argument("--seed", type=int, default=int(os.environ.get("STRATUS_SEED", seed)))
    options = parser.parse_args()
    print(f"seed {options.seed}, {options.rounds} rounds, {options.clients} clients")
    refusals()
    in_a_namespace()
    rounds(options)


if __name__ == "__main__":
    main(test)
