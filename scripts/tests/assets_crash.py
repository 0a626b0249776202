#!/usr/bin/env python3
"""A server that is killed while files are uploaded and saved loses no file that it acknowledged, and leaves no orphan.

Clients upload files of all lengths, save records with them and delete some, until the server is killed with SIGKILL at
a random moment; some uploads are cut off half-way by the clients themselves. After each restart every file of an
acknowledged record is fetched and compared, what was on its way in is gone, and `stratus doctor` finds no fault: no
file that is missing, none that is damaged.

After the last kill `stratus assets sweep` runs with no time of grace, is killed itself some times, and then ends. From
outside, with plain SQL and hashes, the database and the folder then hold the same: every file is whole and referred to
by a record, every row has its file, and nothing else is there.
"""

import hashlib
import http.client
import json
import pathlib
import random
import socket
import sqlite3
import subprocess
import threading
import time
import urllib.parse

from support import (
    Client, Workplace, check_with_doctor, crash_options, expect, free_port, join_all, main, run, start_with_user,
    stratus)

CONTAINER = "iCloud.com.example.assets"
TYPE = "Photo"
LENGTHS = [0, 1, 4_096, 70_000, 262_144, 300_001, 1_500_000]


def content(number):
    """The bytes of a file: the same for the same number, so that some are uploaded more than once."""
    return random.Random(number).randbytes(LENGTHS[number % len(LENGTHS)])


def fetch(port, url):
    """The bytes at an address of ours, asked from the server as it is now."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    try:
        path = urllib.parse.urlsplit(url).path.replace("${f}", "photo.bin")
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


class Uploader(threading.Thread):
    """Uploads and saves until the server is gone."""

    def __init__(self, number, seed, port, tokens, saved):
        super().__init__(daemon=True)
        self.number, self.port, self.tokens, self.saved = number, port, tokens, saved
        self.random = random.Random(f"{seed}/{number}/{time.monotonic_ns()}")
        self.acknowledged = 0
        self.failure = None

    def run(self):
        client = Client(self.port, CONTAINER, "private", *self.tokens)
        try:
            while True:
                self.step(client)
        except (OSError, http.client.HTTPException, json.JSONDecodeError):
            pass  # The server is gone.
        except Exception as error:  # noqa: BLE001 — told by the main thread
            self.failure = error
        finally:
            client.close()

    def step(self, client):
        name = f"c{self.number}-{self.random.randrange(40)}"
        if self.random.random() < 0.15:
            return self.delete(client, name)
        number = self.random.randrange(60)
        bytes_ = content(number)
        answer = client.ask("assets/upload", {"tokens": [{"recordName": name, "recordType": TYPE, "fieldName": "file"}]})
        path = urllib.parse.urlsplit(answer["tokens"][0]["url"]).path
        if self.random.random() < 0.1 and len(bytes_) > 1:
            return self.cut_off(path, bytes_)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        try:
            connection.request("POST", path, body=bytes_)
            reply = connection.getresponse()
            body = reply.read()
        finally:
            connection.close()
        expect(reply.status == 200, f"An upload was answered with {reply.status}: {body[:300]}")
        file = json.loads(body)["singleFile"]
        # Of a record whose save is open nothing is known until its answer is there.
        before = self.saved.pop(name, None)
        self.saved[name] = {"open": {number, None if before is None else before.get("number")}}
        answer = client.ask("records/modify", {"operations": [{"operationType": "forceUpdate", "record": {
            "recordName": name, "recordType": TYPE,
            "fields": {"file": {"value": file}, "number": {"value": number, "type": "INT64"}}}}]})
        record = answer["records"][0]
        expect("serverErrorCode" not in record, f"A save failed: {json.dumps(record)[:300]}")
        self.saved[name] = {"number": number}
        self.acknowledged += 1

    def delete(self, client, name):
        before = self.saved.pop(name, None)
        if before is None:
            return
        self.saved[name] = {"open": {None, before["number"]}}
        answer = client.ask("records/modify", {"operations": [
            {"operationType": "forceDelete", "record": {"recordName": name}}]})
        expect("serverErrorCode" not in answer["records"][0], f"A deletion failed: {json.dumps(answer)[:300]}")
        del self.saved[name]

    def cut_off(self, path, bytes_):
        with socket.create_connection(("127.0.0.1", self.port), timeout=20) as line:
            head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {len(bytes_)}\r\n\r\n"
            line.sendall(head.encode() + bytes_[:self.random.randrange(len(bytes_))])


def compare(port, tokens, saved):
    """Every acknowledged record has its file, byte for byte."""
    client = Client(port, CONTAINER, "private", *tokens)
    compared = 0
    names = sorted(saved)
    for start in range(0, len(names), 200):
        part = names[start:start + 200]
        answer = client.ask("records/lookup", {"records": [{"recordName": name} for name in part]})
        for name, record in zip(part, answer["records"], strict=True):
            state = saved[name]
            if record.get("serverErrorCode") == "NOT_FOUND":
                expect("open" in state, f"{name} was acknowledged and is gone")
                expect(None in state["open"], f"{name} was acknowledged before and is gone")
                del saved[name]
                continue
            number = record["fields"]["number"]["value"]
            allowed = state.get("open") or {state["number"]}
            expect(number in allowed, f"{name} holds {number}; it may hold {allowed}")
            file = record["fields"]["file"]["value"]
            status, bytes_ = fetch(port, file["downloadURL"])
            expect(status == 200, f"The file of {name} is answered with {status}: {bytes_[:200]}")
            expect(bytes_ == content(number), f"The file of {name} has other bytes")
            expect(file["size"] == len(bytes_), f"{name} tells another length")
            saved[name] = {"number": number}
            compared += 1
    client.close()
    return compared


def sweep(data, *more):
    """Runs a sweep without grace to its end, and gives what it tells."""
    done = run("assets", "sweep", "--grace", "0", "--foreign", "--json", "--data", str(data), *more)
    return json.loads(done.stdout)


def kill_sweeps(data, chance, times):
    """Starts sweeps and kills each when some files went; gives how many were killed on the way."""
    killed = 0
    for _ in range(times):
        goal = len(files_of(data)) - chance.randrange(1, 25)
        process = subprocess.Popen(
            [stratus(), "assets", "sweep", "--grace", "0", "--foreign", "--data", str(data)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and len(files_of(data)) > goal:
            time.sleep(0.001)
        killed += process.poll() is None
        process.kill()
        process.wait()
    return killed


def litter(port, tokens, count):
    """Uploads files that no record takes."""
    client = Client(port, CONTAINER, "private", *tokens)
    wish = {"recordName": "litter", "recordType": TYPE, "fieldName": "file"}
    for number in range(count):
        path = urllib.parse.urlsplit(client.ask("assets/upload", {"tokens": [wish]})["tokens"][0]["url"]).path
        client.connection.request("POST", path, body=b"litter %d" % number)
        reply = client.connection.getresponse()
        expect(reply.status == 200, f"An upload was answered with {reply.status}: {reply.read()[:300]}")
        reply.read()
    client.close()


def prove_clean(data):
    """The database and the folder hold the same files, each of them whole and held by a record; gives their number."""
    database = sqlite3.connect(pathlib.Path(data, "stratus.sqlite"))
    rows = {digest.hex(): (size, unused) for digest, size, unused in
            database.execute("SELECT digest, size, unused_since FROM asset")}
    uses = {digest.hex() for digest, in database.execute("SELECT digest FROM asset_use")}
    strays = database.execute(
        "SELECT count(*) FROM asset_use WHERE NOT EXISTS (SELECT 1 FROM directory WHERE directory.zone = asset_use.zone "
        "AND directory.name = asset_use.owner AND directory.deleted = 0)").fetchone()[0]
    database.close()
    files = {path.name: path for path in files_of(data)}
    expect(strays == 0, f"{strays} uses are of records that are not there")
    expect(set(rows) == uses, f"Rows without a use, or uses without a row: {sorted(set(rows) ^ uses)[:5]}")
    expect(set(files) == uses, f"Files without a use, or uses without a file: {sorted(set(files) ^ uses)[:5]}")
    for name, path in files.items():
        bytes_ = path.read_bytes()
        expect(hashlib.sha256(bytes_).hexdigest() == name, f"{path} holds something else")
        expect(rows[name] == (len(bytes_), None), f"The row of {name} is {rows[name]}")
    return len(files)


def files_of(data):
    # Not those that are only locked.
    return [path for path in pathlib.Path(data, "assets").rglob("*") if path.is_file() and path.parent.name != "locks"]


def test():
    options = crash_options(__doc__, rounds=6, clients=4)
    chance = random.Random(options.seed)
    port = free_port()
    with Workplace("assets-crash") as workplace:
        data = workplace.path / "data"
        server, tokens = start_with_user(workplace, CONTAINER, port)
        saved = [{} for _ in range(options.clients)]
        total = 0
        for number in range(1, options.rounds + 1):
            uploaders = [Uploader(n, options.seed, port, tokens, saved[n]) for n in range(options.clients)]
            for uploader in uploaders:
                uploader.start()
            moment = chance.uniform(0.3, 1.5)
            time.sleep(moment)
            server.kill()
            join_all(uploaders)
            for uploader in uploaders:
                if uploader.failure:
                    raise uploader.failure
            half = list((data / "assets" / "uploads").iterdir())
            server = workplace.start("serve", "data", port)
            server.wait_until_ready()
            expect(not list((data / "assets" / "uploads").iterdir()), "What was on its way in is still there")
            compared = sum(compare(port, tokens, part) for part in saved)
            check_with_doctor(data, "--thorough")
            done = sum(uploader.acknowledged for uploader in uploaders)
            total += done
            print(
                f"round {number}: killed after {moment:.2f} s, {done} saves acknowledged, {len(half)} files cut off, "
                f"{compared} files compared, {len(files_of(data))} kept", flush=True)
            expect(done > 0, "Nothing was acknowledged, so nothing was tested")
        litter(port, tokens, 300)
        uploaders = [Uploader(n, options.seed, port, tokens, saved[n]) for n in range(options.clients)]
        for uploader in uploaders:
            uploader.start()
        time.sleep(1)
        refused = run("assets", "sweep", "--data", str(data), check=False)
        expect(refused.returncode == 1 and "A server is running" in refused.stderr, f"A sweep beside a server: {refused}")
        server.kill()
        for uploader in uploaders:
            uploader.join(40)
            if uploader.failure:
                raise uploader.failure
        before = sorted(files_of(data))
        plan = sweep(data, "--dry-run")
        expect(sorted(files_of(data)) == before, "A dry run changed something")
        due = sum(plan[part]["files"] for part in ("unused", "unknown", "foreign", "unfinished"))
        expect(due > 0, "There is nothing to sweep, so nothing was tested")
        killed = kill_sweeps(data, chance, 5)
        expect(killed > 0, "Every sweep was done before it was killed, so nothing was tested")
        sweep(data)
        kept = prove_clean(data)
        expect(len(before) - kept == due, f"{due} files were to go, {len(before) - kept} went")
        again = sweep(data)
        left = sum(again[part]["files"] for part in ("unused", "unknown", "foreign", "unfinished"))
        expect(left == 0, f"A second sweep finds {again}")
        run("assets", "verify", "--data", str(data))
        server = workplace.start("serve", "data", port)
        server.wait_until_ready()
        compared = sum(compare(port, tokens, part) for part in saved)
        print(
            f"sweep: {killed} of 5 killed on the way, {due} of {len(before)} files went, {kept} kept and whole, "
            f"{compared} records compared")
        print(f"{options.rounds} rounds, {total} acknowledged saves: all of their files are there")


if __name__ == "__main__":
    main(test)
