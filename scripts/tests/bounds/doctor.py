#!/usr/bin/env python3
"""`stratus doctor` only looks: it changes nothing, finds a damaged log and what lies after the damage, and recovers it.

The server that is given is used for looking beside it; damage is done to copies of its directory after a kill -9.
"""

import contextlib
import hashlib
import json
import pathlib
import random
import shutil
import sqlite3
import struct
import tempfile

from common import CONTAINER, create, main, row
from support import Client, Failure, Server, expect, free_port, make_token, run as stratus_run

RECORDS, FLIPS = 60, 8
FRAME, LOG_HEAD, FRAME_HEAD = 4096 + 24, 32, 24

# It restarts servers, and what it measures is its own.
ALONE = True


def fingerprint(folder):
    """Names, sizes, times and contents of everything in a folder."""
    return {str(path.relative_to(folder)): (path.stat().st_mtime_ns, hashlib.sha256(path.read_bytes()).hexdigest())
            for path in sorted(pathlib.Path(folder).rglob("*")) if path.is_file()}


def doctor(data, *options):
    """Exit status and findings by check."""
    done = stratus_run("doctor", "--data", str(data), "--json", *options, check=False)
    expect(done.returncode in (0, 1), f"doctor ended with {done.returncode}: {done.stderr}")
    return done.returncode, {item["check"]: item for item in json.loads(done.stdout)["findings"]}


class Workshop:
    """A directory whose server was killed with its log full of single commits, and copies of it."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.data = self.folder / "data"
        server = Server("serve", self.data, free_port(), "--log-level", "warning")
        server.wait_until_ready()
        stratus_run("user", "add", "ada", "--data", str(self.data), "--container", CONTAINER)
        self.tokens = (make_token(self.data, CONTAINER), make_token(self.data, CONTAINER, "--user", "ada"))
        client = Client(server.port, CONTAINER, "public", *self.tokens)
        self.names = [f"record-{number}" for number in range(RECORDS)]
        for number, name in enumerate(self.names):
            client.ask("records/modify", {"operations": [create(name, text=name * 40, rank=number)]})
        server.kill()
        self.log = (self.data / "stratus.sqlite-wal").read_bytes()

    def copy(self, name):
        target = self.folder / name
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(self.data, target)
        return target

    def frames(self):
        """How many frames of the log are of this one: the file may be longer than what is in it."""
        salts = self.log[16:24]
        count = 0
        while self.log[LOG_HEAD + count * FRAME + 8:LOG_HEAD + count * FRAME + 16] == salts:
            count += 1
        return count

    def found(self, data):
        """The records that a server on the directory has, and whether their texts are whole."""
        server = Server("serve", data, free_port(), "--log-level", "warning")
        try:
            server.wait_until_ready()
            client = Client(server.port, CONTAINER, "public", *self.tokens)
            status, answer = client.post(
                "records/lookup", {"records": [{"recordName": name} for name in self.names]})
            if status == 401:
                return []  # The token was in the part of the log that is not seen.
            expect(status == 200, f"records/lookup answered {status}: {answer}")
            return [one["recordName"] for one in answer["records"]
                    if "serverErrorCode" not in one and one["fields"]["text"]["value"] == one["recordName"] * 40]
        finally:
            server.kill()


def seen_by_sqlite(data):
    """How many of the records SQLite has when it opens the files: it moves the log, up to the damage."""
    with contextlib.closing(sqlite3.connect(data / "stratus.sqlite")) as database:
        found = database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'directory'").fetchone()[0]
        return found and database.execute("SELECT count(*) FROM directory WHERE name LIKE 'record-%'").fetchone()[0]


def refuses(data):
    """Whether a server does not start, names the recovery, and leaves the files as they are."""
    before = fingerprint(data)
    done = stratus_run("serve", "--data", str(data), "--port", str(free_port()), check=False)
    # The lock is a file that any start makes.
    left = {name: value for name, value in fingerprint(data).items() if name in before}
    return done.returncode != 0 and "--recover DIRECTORY" in done.stderr and left == before


def flip(workshop, name, offset, rows, must_find=True):
    """One bit of the log is another: the doctor sees it, changes nothing, and recovers at least what SQLite sees; no server starts,
    since with its first write there would be nothing to recover."""
    data = workshop.copy(name)
    log = bytearray(workshop.log)
    log[offset] ^= 0x10
    (data / "stratus.sqlite-wal").write_bytes(log)
    before = fingerprint(data)
    status, findings = doctor(data, "--thorough")
    unchanged = fingerprint(data) == before
    target = workshop.folder / f"{name}-recovered"
    shutil.rmtree(target, ignore_errors=True)
    done = stratus_run("doctor", "--data", str(data), "--recover", str(target), "--json", check=False)
    still = fingerprint(data) == before
    report = json.loads(done.stdout) if done.stdout.startswith("{") else {"notes": [done.stderr]}
    have = workshop.found(target)
    is_refused = refuses(data)
    with_sqlite = seen_by_sqlite(data)
    frame = (offset - LOG_HEAD) // FRAME
    rows.append(row(f"a bit of frame {frame} of the log", "found, nothing changed, recovered, no server starts",
                    f"exit {status}; {findings['log']['severity']}: {findings['log']['message']} "
                    f"Recovered {len(have)}, SQLite sees {with_sqlite} of {len(workshop.names)}; started: {not is_refused}; "
                    f"complete: {report.get('isComplete')}",
                    unchanged and still and (status == 1 or not must_find) and len(have) >= with_sqlite and is_refused
                    and (len(have) == len(workshop.names) or not report.get("isComplete")), exact=True))
    return len(have), with_sqlite


def damaged_page(workshop, rows):
    """A page of the database is other bytes: what stands on others is recovered."""
    data = workshop.copy("page")
    workshop.found(data)
    server = Server("serve", data, free_port(), "--log-level", "warning")
    server.wait_until_ready()
    server.send(15)
    server.wait()
    database = bytearray((data / "stratus.sqlite").read_bytes())
    # A leaf of a table with many rows: the last one in the file.
    leaves = [start for start in range(4096, len(database), 4096)
              if database[start] == 0x0D and struct.unpack(">H", database[start + 3:start + 5])[0] > 3]
    database[leaves[-1]:leaves[-1] + 4096] = random.Random(7).randbytes(4096)
    (data / "stratus.sqlite").write_bytes(database)
    before = fingerprint(data)
    status, findings = doctor(data)
    target = workshop.folder / "page-recovered"
    done = stratus_run("doctor", "--data", str(data), "--recover", str(target), "--json", check=False)
    report = json.loads(done.stdout) if done.stdout.startswith("{") else {"notes": [done.stderr]}
    after, _ = doctor(target, "--thorough")
    have = workshop.found(target) if target.exists() else []
    rows.append(row("a page of the database is damaged", "found, nothing changed, the rest recovered",
                    f"exit {status}, {findings['integrity']['severity']}; {len(have)} of {len(workshop.names)}; "
                    f"doctor on what was made: exit {after}; {report['notes']}",
                    status == 1 and fingerprint(data) == before and len(have) > len(workshop.names) // 2
                    and after == 0, exact=True))


def secrets(workshop, rows):
    for size in (0, 7):
        data = workshop.copy("secret")
        (data / "stratus.secret").write_bytes(b"x" * size)
        status, findings = doctor(data)
        rows.append(row(f"a secret of {size} bytes", "a problem", f"exit {status}, {findings['secret']['severity']}",
                        status == 1 and findings["secret"]["severity"] == "problem" and "integrity" in findings,
                        exact=True))


def run(server, _seconds):
    rows = []
    status, findings = doctor(server.data)
    rows.append(row("doctor beside a running server", "exit 0, and it says so",
                    f"exit {status}; {findings['lock']['message']}",
                    status == 0 and "running" in findings["lock"]["message"]
                    and "No " not in findings["lock"]["message"], exact=True))
    with tempfile.TemporaryDirectory(prefix="stratus-doctor-") as folder:
        workshop = Workshop(folder)
        before = fingerprint(workshop.data)
        status, findings = doctor(workshop.data, "--thorough")
        rows.append(row("doctor after kill -9", "exit 0, nothing changed",
                        f"exit {status}; {findings['log']['message']}",
                        status == 0 and fingerprint(workshop.data) == before, exact=True))
        frames, chance = workshop.frames(), random.Random(1)
        places = [chance.randrange(frames // 8, frames * 7 // 8) for _ in range(FLIPS)]
        gains = [flip(workshop, f"flip-{number}", LOG_HEAD + frame * FRAME + FRAME_HEAD + chance.randrange(4096), rows)
                 for number, frame in enumerate(places)]
        flip(workshop, "flip-sum", LOG_HEAD + frames // 2 * FRAME + 17, rows)
        flip(workshop, "flip-head", 9, rows)
        seen, sqlite = (sum(gain[index] for gain in gains) for index in (0, 1))
        rows.append(row("records that recovery has over SQLite, in all", "> 0", f"{seen} against {sqlite}",
                        seen > sqlite, exact=True))
        damaged_page(workshop, rows)
        secrets(workshop, rows)
    return rows


if __name__ == "__main__":
    try:
        main(run)
    except Failure as failure:
        raise SystemExit(f"FAILED: {failure}")
