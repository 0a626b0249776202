#!/usr/bin/env python3
"""`stratus container export` and `import`: a container goes into documented files and comes back the same.

The export is made while clients write and is as of one moment; export, import, export is the same to the byte; an import
that is killed at random moments goes on and ends with the same container; tokens let in again; what is damaged, not whole or
there already is refused with the sentence that helps.
"""

import hashlib
import json
import pathlib
import random
import shutil
import subprocess
import threading

from copy_from import CONTAINER, SCHEMA, Side, compare, fill, save
from support import (
    Client, Workplace, check_with_doctor, crash_options, expect, free_port, main, make_token, run, stratus)


def files(folder):
    """The bytes of all files below a folder, by their paths."""
    folder = pathlib.Path(folder)
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def expect_same(one, other, moment):
    left, right = files(one), files(other)
    differing = sorted(name for name in set(left) | set(right) if left.get(name) != right.get(name))
    expect(not differing, f"{moment}: {len(differing)} files differ, {differing[:3]}")


def check_manifest(folder):
    """What the manifest says is true."""
    manifest = json.loads((folder / "manifest.json").read_text())
    for part in manifest["files"]:
        data = (folder / part["path"]).read_bytes()
        expect(hashlib.sha256(data).hexdigest() == part["sha256"], f"the digest of {part['path']} is wrong")
        expect(len(data) == part["bytes"] and data.count(b"\n") == part["lines"], f"{part['path']} is longer or shorter")
    assets = [path for path in (folder / "assets").rglob("*") if path.is_file()]
    expect(len(assets) == manifest["assetFiles"], "the number of files is wrong")
    for path in assets:
        expect(hashlib.sha256(path.read_bytes()).hexdigest() == path.name, f"{path} is not what its name says")
    return manifest


class Writer(threading.Thread):
    """A client that writes pairs of records in atomic batches until it is told to stop."""

    def __init__(self, port, tokens):
        super().__init__(daemon=True)
        self.client = Client(port, CONTAINER, "private", *tokens)
        self.is_over = threading.Event()
        self.count = 0

    def run(self):
        while not self.is_over.is_set():
            pair = [save("Note", f"pair-{self.count}-{side}", {"n": self.count}) for side in "ab"]
            self.client.ask("records/modify", {"operations": pair, "zoneID": {"zoneName": "Notes"}})
            self.count += 1


def check_moment(folder):
    """The records that were written in pairs are there in pairs, without a gap."""
    names = set()
    for line in (folder / "development/records.jsonl").read_text().splitlines():
        names.add(json.loads(line)["record"]["recordName"])
    numbers = sorted(int(name.split("-")[1]) for name in names if name.startswith("pair-") and name.endswith("a"))
    expect(numbers == list(range(len(numbers))), "the export is not of one moment: there are gaps")
    for number in numbers:
        expect(f"pair-{number}-b" in names, f"the export has half a batch: {number}")
    return len(numbers)


def take_in(folder, data, *more, status=0):
    done = run("container", "import", str(folder), "--data", str(data), *more, check=False)
    expect(done.returncode == status, f"the import ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def check_refusals(work, folder):
    """Nothing is imported of what is not whole."""
    data = work.path / "refused"
    data.mkdir()
    broken = work.path / "broken"
    shutil.copytree(folder, broken)
    records = broken / "development/records.jsonl"
    good = records.read_bytes()
    records.write_bytes(good.replace(b"note-1", b"note-2", 1))
    for more in ([], ["--dry-run"]):
        done = take_in(broken, data, *more, status=1)
        expect("SHA-256 is another one" in done.stderr and "help:" in done.stderr, done.stderr)
    records.unlink()
    expect("is missing" in take_in(broken, data, status=1).stderr, "a missing file is not noticed")
    records.write_bytes(good)
    (broken / "manifest.json").rename(broken / "away")
    expect("not a whole export" in take_in(broken, data, status=1).stderr, "half an export is not noticed")
    (broken / "away").rename(broken / "manifest.json")
    asset = next(path for path in (broken / "assets").rglob("*") if path.is_file() and path.stat().st_size > 100)
    content = asset.read_bytes()
    asset.write_bytes(content[:-1] + b"?")
    done = take_in(broken, data, status=1)
    expect(asset.name in done.stderr, f"a damaged file is not named: {done.stderr}")
    asset.write_bytes(content)
    expect("Continuing after" in take_in(broken, data).stderr, "an import that failed does not go on")
    done = take_in(broken, data, status=64)
    expect("already" in done.stderr and "--container" in done.stderr, done.stderr)
    take_in(broken, data, "--container", "iCloud.other")
    done = run("container", "export", str(broken), "--container", CONTAINER, "--data", str(data), check=False)
    expect(done.returncode == 64 and "already exists" in done.stderr, done.stderr)
    other = work.path / "nothing"
    done = run("container", "export", str(other), "--container", "iCloud.none", "--data", str(data), check=False)
    expect(done.returncode == 1 and "There is no container" in done.stderr and not other.exists(), done.stderr)


def check_kills(work, folder, options):
    """An import that is killed again and again ends with the same container."""
    chance = random.Random(options.seed)
    data = work.path / "killed"
    data.mkdir()
    kills = 0
    while kills < options.rounds:
        process = subprocess.Popen(
            [stratus(), "container", "import", str(folder), "--data", str(data)], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        try:
            process.wait(chance.uniform(0.05, 0.5 + kills / 4))
            expect(process.returncode == 0, f"the import ended with {process.returncode}")
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            kills += 1
    else:
        take_in(folder, data)
    expect(kills > 0, "the import was never killed")
    again = work.path / "after-kills"
    run("container", "export", str(again), "--container", CONTAINER, "--data", str(data))
    expect_same(folder, again, f"after {kills} kills")
    return data


def check():
    options = crash_options(__doc__, rounds=8, clients=1)
    with Workplace("container") as work:
        there = work.start("serve", "there", free_port())
        there.wait_until_ready()
        run("user", "add", "ada", "--data", str(there.data), "--container", CONTAINER)
        run("user", "add", "bob ö", "--data", str(there.data), "--container", CONTAINER)
        tokens = make_token(there.data, CONTAINER), make_token(there.data, CONTAINER, "--user", "ada")
        schema = work.path / "schema.ckdb"
        schema.write_text(SCHEMA)
        run("schema", "import", "--file", str(schema), "--data", str(there.data), "--container", CONTAINER)
        run("schema", "deploy", "--data", str(there.data), "--container", CONTAINER)
        run("role", "give", "Editor", "--user", "ada", "--data", str(there.data), "--container", CONTAINER)
        run("token", "create", "--environment", "production", "--data", str(there.data), "--container", CONTAINER)
        source = Side(there.port, tokens)
        fill(source, random.Random(options.seed))

        writer = Writer(there.port, tokens)
        writer.start()
        first = work.path / "first"
        run("container", "export", str(first), "--container", CONTAINER, "--data", str(there.data))
        writer.is_over.set()
        writer.join(30)
        pairs = check_moment(first)
        expect(pairs < writer.count, "nothing was written during the export")
        manifest = check_manifest(first)

        whole = work.path / "whole"
        run("container", "export", str(whole), "--container", CONTAINER, "--data", str(there.data))
        data = check_kills(work, whole, options)
        here = work.start("serve", data.name, free_port())
        here.wait_until_ready()
        count = compare(source, Side(here.port, tokens), "after an import, with the tokens of before")
        beside = work.path / "beside"
        expect_renamed(work, whole, here.data, beside)
        check_refusals(work, first)
        for server in (there, here):
            server.kill()
        check_with_doctor(here.data)
        print(f"{count} records, {manifest['assetFiles']} files, {pairs} of {writer.count} pairs in the first export")


def expect_renamed(work, folder, data, again):
    """A second container, imported beside a server that runs, is the first one under another name."""
    done = take_in(folder, data, "--container", "iCloud.second")
    expect("left out" in done.stderr, "tokens of another container were not left out")
    run("container", "export", str(again), "--container", "iCloud.second", "--data", str(data))
    left, right = files(folder), files(again)
    for name in left:
        if "tokens" not in name and name != "manifest.json":
            expect(left[name] == right.get(name), f"{name} is another one under another name")


if __name__ == "__main__":
    main(check)
