#!/usr/bin/env python3
"""A full disk: reads go on, a server that is killed or stopped then starts again, and writes go on with room.

The data lies on a small file system in memory, in a mount namespace of its own; that needs root. The server that is
given is not used.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from common import CONTAINER, MIB, create, main, page, row
from support import Failure, Server, Client, expect, free_port, get, make_token, run as stratus_run

DISK_MIB, ROOM_MIB = 128, 24

# It restarts servers, and what it measures is its own.
ALONE = True


class Disk:
    """The file system, its data directory, and the file that fills it."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        self.data = self.path / "data"
        self.filler = self.path / "filler"

    def fill(self):
        """Takes every byte that is left."""
        with open(self.filler, "ab", buffering=0) as file:
            for size in (MIB, 4096, 1):
                block = b"\1" * size
                try:
                    while True:
                        if file.write(block) < size:
                            break
                except OSError:
                    pass

    def give(self, count):
        os.truncate(self.filler, max(0, self.filler.stat().st_size - count))

    def files(self):
        return {file.name: file.stat().st_size for file in self.data.iterdir() if file.is_file()}


class Scene:
    """A server on that disk, and what it acknowledged."""

    def __init__(self, disk):
        self.disk, self.port, self.acknowledged = disk, free_port(), []
        self.server = None

    def start(self):
        """Seconds until it answers, ready or not."""
        begin = time.monotonic()
        self.server = Server("serve", self.disk.data, self.port, "--log-level", "warning")
        while time.monotonic() - begin < 60:
            if self.server.process.poll() is not None:
                raise Failure(f"The server does not start: {self.server.text[-1000:]}")
            try:
                get(self.port, "/healthz")
                return time.monotonic() - begin
            except OSError:
                time.sleep(0.02)
        raise Failure("The server does not answer.")

    def stop(self, number):
        self.server.send(number)
        self.server.wait()

    def client(self):
        return Client(self.port, CONTAINER, "public", *self.tokens)

    def write(self, count=1, size=20_000):
        """The names of records that were acknowledged; ends with the first refusal, which is given too."""
        client = self.client()
        for _ in range(count):
            name = f"record-{len(self.acknowledged)}-{time.monotonic_ns()}"
            status, answer = client.post("records/modify", {"operations": [create(name, text="x" * size, rank=1)]})
            if status != 200:
                return status, answer.get("serverErrorCode")
            self.acknowledged.append(name)
        return 200, None

    def read(self):
        status, answer = self.client().post("records/query", page(5))
        return status == 200 and len(answer["records"]) > 0

    def readiness(self):
        status, body = get(self.port, "/readyz")
        return status, json.loads(body).get("reason")

    def lost(self):
        """The acknowledged records that are not there."""
        client, missing = self.client(), []
        for start in range(0, len(self.acknowledged), 100):
            names = self.acknowledged[start:start + 100]
            found = client.ask("records/lookup", {"records": [{"recordName": name} for name in names]})["records"]
            missing += [name for name, one in zip(names, found) if "serverErrorCode" in one]
        return missing


def look(scene):
    """Whether a command that only looks works."""
    return stratus_run("token", "list", "--data", str(scene.disk.data), "--container", CONTAINER, check=False)


def wait_for_writes(scene, seconds=60):
    begin = time.monotonic()
    while time.monotonic() - begin < seconds:
        if scene.write()[0] == 200:
            return time.monotonic() - begin
        time.sleep(0.1)
    return None


def fill_and_check(scene, rows, when):
    """Fills the disk while the server writes, until a write is refused."""
    refused = (200, None)
    for _ in range(50):
        scene.disk.fill()
        refused = scene.write(200)
        if refused[0] != 200:
            break
    rows.append(row(f"{when}: a write on a full disk", "503 TRY_AGAIN_LATER", f"{refused[0]} {refused[1]}",
                    refused == (503, "TRY_AGAIN_LATER"), exact=True))
    # The store looks each second whether there is room again, and tries it: then it is ready for a moment.
    for _ in range(30):
        ready = scene.readiness()
        if ready[0] == 503:
            break
        scene.write(200)
        time.sleep(0.1)
    rows.append(row(f"{when}: /readyz", "503 and the reason", f"{ready[0]} {ready[1]}",
                    ready[0] == 503 and "full" in (ready[1] or ""), exact=True))
    served = scene.read()
    rows.append(row(f"{when}: reads", "served", "served" if served else "not served", served, exact=True))


def attempt(scene, rows, number):
    name = signal.Signals(number).name
    fill_and_check(scene, rows, f"before {name}")
    scene.stop(number)
    scene.disk.fill()
    listed = look(scene)
    rows.append(row(f"'token list' after {name}, without a server", "works",
                    "works" if listed.returncode == 0 else (listed.stdout + listed.stderr)[:300],
                    listed.returncode == 0, exact=True))
    scene.disk.fill()
    seconds = scene.start()
    rows.append(row(f"start after {name}", "< 1 s", f"{seconds:.2f} s", seconds < 3))
    # Moving its log may have given it room: what is left is taken until a write is refused.
    fill_and_check(scene, rows, f"after {name}")
    listed = look(scene)
    rows.append(row(f"'token list' after {name}, beside the server", "works",
                    "works" if listed.returncode == 0 else (listed.stdout + listed.stderr)[:300],
                    listed.returncode == 0, exact=True))
    scene.disk.give(ROOM_MIB * MIB)
    waited = wait_for_writes(scene)
    what = f"writes go on after {name} once there are {ROOM_MIB} MiB"
    rows.append(row(f"{what}, without a restart", "yes", "no" if waited is None else "yes", waited is not None,
                    exact=True))
    if waited is not None:
        rows.append(row(what, "< 5 s", f"{waited:.1f} s; {scene.disk.files()}", waited < 5))
    # What was given is used: some of it for records, with the log moved meanwhile.
    more = scene.write(300)
    rows.append(row(f"300 records of 20 kB in that room after {name}", "all written", f"{more[0]} {more[1]}",
                    more[0] == 200, exact=True))
    missing = scene.lost()
    rows.append(row(f"acknowledged records after {name}", "none lost",
                    f"{len(missing)} of {len(scene.acknowledged)} lost", not missing,
                    exact=True))


def inside(folder):
    """The attack itself, in a mount namespace of its own."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK_MIB}m", "tmpfs", folder], check=True)
    scene, rows = Scene(Disk(folder)), []
    try:
        scene.start()
        stratus_run("user", "add", "ada", "--data", str(scene.disk.data), "--container", CONTAINER)
        scene.tokens = (make_token(scene.disk.data, CONTAINER), make_token(
            scene.disk.data, CONTAINER, "--user", "ada"))
        expect(scene.write(400)[0] == 200, "The first records were not written.")
        for number in (signal.SIGKILL, signal.SIGTERM):
            attempt(scene, rows, number)
    finally:
        if scene.server:
            scene.server.kill()
    return rows


def run(_server, _seconds):
    if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode != 0:
        return [row("a full disk", "reads, starts, goes on", "not measured: this user may not mount a file system", None)]
    folder = tempfile.mkdtemp(prefix="stratus-full-")
    try:
        done = subprocess.run(
            ["unshare", "-m", sys.executable, __file__, "--inside", folder], capture_output=True, text=True,
            timeout=300)
        expect(done.returncode == 0, f"The attack ended with {done.returncode}: {done.stdout}{done.stderr}")
        return json.loads(done.stdout.splitlines()[-1])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--inside"]:
        print(json.dumps(inside(sys.argv[2])))
    else:
        main(run)
