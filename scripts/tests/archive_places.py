#!/usr/bin/env python3
"""An archive in an S3-compatible store, and one whose disks fill up.

- the log goes to moto through a proxy that checks signatures, answers 503, cuts connections and is slow; the server is killed, the
  store is off for a while, the data directory is burnt: moments are restored and compared as in archive.py, and no secret is in any log;
- the archive's disk is full: writes go on, /readyz says so, and with room again it catches up in the same chain;
- the data directory's disk is full: writes are refused, and with room again moments before and after are restored.

What is kept for how long is tested with a clock that a test moves (Tests/RecordBackupTests).
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from archive import CONTAINER, Scene, expect_loss
from s3 import BUCKET, Proxy, Store
from support import Client, Workplace, expect, get, main, run

DISKS = "STRATUS_TEST_ARCHIVE_DISKS"


def in_a_store(options):
    """The same as in a folder, through a proxy that misbehaves."""
    for name in list(os.environ):
        if name.startswith("AWS_"):
            del os.environ[name]
    store = Store()
    os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"] = store.key
    with Workplace("archive-s3") as workplace:
        scene = Scene(workplace, options)
        proxy = Proxy(store.port, options.seed)
        scene.place = f"s3://{BUCKET}/log?endpoint=http://127.0.0.1:{proxy.port}"
        try:
            first = scene.start_with_tokens()
            proxy.misbehave(busy=0.05, cut=0.05, slow=0.05)
            scene.begin()
            time.sleep(3)
            scene.kill()
            scene.start()
            scene.settle()
            scene.begin()
            # The store answers nothing but 503 for a while.
            proxy.misbehave(busy=1)
            scene.wait("/readyz did not say that nothing is archived", lambda: b"not archived" in get(scene.port, "/readyz")[1])
            proxy.misbehave(busy=0.05, cut=0.05)
            scene.wait("The archive did not catch up", scene.is_caught_up)
            scene.write_on_until(first + 14)
            scene.wait("The archive is behind", scene.is_caught_up)
            burnt = int(time.time())
            scene.kill()
            expect(store.key[1] not in scene.server.text, "A secret is in the log")
            shutil.rmtree(scene.data)
            expect_loss(scene, burnt)
            killed = int(scene.ends[0])
            for second in (killed + 1, scene.random.randint(first, burnt - 11)):
                scene.compare(second)
            print(f"S3: {scene.restored} moments restored through {proxy.counts}")
        finally:
            scene.server.kill()
            store.stop()


class Disk:
    """A small file system that can be filled and emptied."""

    def __init__(self, path, mebibytes):
        self.path = path
        path.mkdir()
        done = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={mebibytes}m", "tmpfs", str(path)], check=False)
        expect(done.returncode == 0, "A small file system could not be mounted")

    def fill(self):
        with open(self.path / "filler", "ab", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass

    def empty(self):
        (self.path / "filler").unlink()


def save(scene, name):
    """Whether a record is saved."""
    client = Client(scene.port, CONTAINER, "public", *scene.tokens)
    status, _ = client.post("records/modify", {"operations": [{"operationType": "forceReplace", "record": {
        "recordName": name, "recordType": "Mark", "fields": {"number": {"value": 1}}}}]})
    client.close()
    return status == 200


def has(scene, second, name):
    """Whether a restored moment has a record."""
    again = scene.restore(second)
    files = scene.workplace.path / "files"
    run("container", "export", str(files), "--data", str(again), "--container", CONTAINER)
    found = (files / "development/records.jsonl").read_text()
    shutil.rmtree(again)
    shutil.rmtree(files)
    return f'"recordName":"{name}"' in found


def full_disks(options):
    """The archive's disk, then the data directory's."""
    home = pathlib.Path(os.environ[DISKS])
    archive, data = Disk(home / "small", 48), Disk(home / "disk", 96)

    class Place(Workplace):
        def __init__(self):
            self.path, self.servers = home, []

        def __exit__(self, *arguments):
            for server in self.servers:
                server.kill()

    with Place() as workplace:
        options.clients = 0
        scene = Scene(workplace, options)
        scene.data = data.path / "data"
        scene.place = str(archive.path / "log")
        # A server of its own kind: its output lies beside the disk.
        start, workplace.start = workplace.start, lambda verb, name, port, *more: start(
            verb, scene.data if name == "data" else name, port, *more)
        scene.start_with_tokens()

        def marked(name):
            """The first moment at which a record is there."""
            expect(save(scene, name), f"{name} could not be saved")
            second = int(time.time()) + 1
            scene.wait(f"{name} is not archived", lambda: scene.metric("archive_failed") == 0 and (
                scene.metric("archive_latest_seconds") or 0) > second)
            return second

        before = marked("before")
        archive.fill()
        scene.wait("/readyz did not say that nothing is archived", lambda: save(scene, "beside") and (
            b"not archived" in get(scene.port, "/readyz")[1]))
        beside = int(time.time()) + 1
        expect(save(scene, "meanwhile"), "Writes stopped for a full disk of the archive")
        archive.empty()
        after = marked("after")
        chains = list(archive.path.glob("log/*/archive/*T*"))
        expect(len(chains) == 1, f"The log was not archived in one chain: {chains}")
        expect(has(scene, before, "before") and not has(scene, before, "after"), "A moment before the full disk")
        expect(has(scene, beside, "beside"), "A moment while the archive's disk was full")
        expect(has(scene, after, "meanwhile") and has(scene, after, "after"), "A moment after the full disk")
        data.fill()
        refused = 0
        for number in range(200):
            refused += not save(scene, f"full-{number % 7}")
        expect(refused, "The data directory's disk was not full")
        data.empty()
        scene.wait("Writes were not taken again", lambda: save(scene, "again"))
        # A new chain has moments from its copy of the database on; those before it are refused. It may begin late on a busy
        # machine, so the last moment is marked again until no base came after it.
        def has_all_bases():
            return all(list(chain.glob("base/*/manifest.json")) for chain in archive.path.glob("log/*/archive/*T*"))

        def newest_base():
            return max(manifest.stat().st_mtime for manifest in archive.path.glob("log/*/archive/*T*/base/*/manifest.json"))

        scene.wait("A new chain got no base", has_all_bases)
        later = marked("later")
        while not has_all_bases() or newest_base() > later:
            scene.wait("A new chain got no base", has_all_bases)
            later = marked("later")
        expect(has(scene, before, "before") and not has(scene, before, "later"), "A moment before the data's disk was full")
        expect(has(scene, later, "later") and has(scene, later, "again"), "A moment after the data's disk was full")
        print(f"full disks: of the archive and of the data ({refused} writes refused), moments before, beside and after are right")


def in_a_namespace():
    """Runs the test of full disks where file systems can be mounted."""
    if subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode != 0:
        print("full disks were not tried: this user may not mount a file system")
        return
    home = tempfile.mkdtemp(prefix="stratus-archive-disk-")
    try:
        done = subprocess.run(
            ["unshare", "-m", sys.executable, __file__], env=os.environ | {DISKS: home}, check=False, timeout=300)
        expect(done.returncode == 0, "The test of full disks failed")
    finally:
        shutil.rmtree(home, ignore_errors=True)


def test():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--clients", type=int, default=2)
    parser.add_argument("--seed", type=int, default=int(os.environ.get("STRATUS_SEED", 1)))
    options = parser.parse_args()
    if DISKS in os.environ:
        return full_disks(options)
    in_a_namespace()
    in_a_store(options)


if __name__ == "__main__":
    main(test)
