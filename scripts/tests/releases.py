#!/usr/bin/env python3
"""The data directory of every release (Tests/Releases) opens with this command: it answers what the release answered, markers,
sync tokens and tokens of apps stay good, and doctor finds no fault. A directory of a newer version is refused with a
sentence that helps, and stays as it is.
"""

import json
import pathlib
import shutil
import sqlite3
import subprocess
import sys

from support import ROOT, Client, Workplace, check_with_doctor, expect, free_port, main, stratus

sys.path.insert(0, str(ROOT / "scripts"))
from release_store import CONTAINER, KEPT, answers  # noqa: E402


def comparable(value):
    """An answer without what newer versions may add or change: stamps name a device, addresses of files are made again."""
    if isinstance(value, dict):
        left_out = ("deviceID", "zoneID", "downloadURL")
        return {key: comparable(inner) for key, inner in sorted(value.items()) if key not in left_out}
    return [comparable(inner) for inner in value] if isinstance(value, list) else value


def check_release(folder, work):
    expected = json.loads((folder / "expected.json").read_text())
    data = work.path / folder.name
    shutil.copytree(folder / "data", data)
    # As who looks before a server of the new version opens it.
    check_with_doctor(data, "--thorough")
    server = work.start("serve", folder.name, free_port())
    server.wait_until_ready()
    public, private = (Client(server.port, CONTAINER, name, *expected["tokens"]) for name in ("public", "private"))
    found = answers(public, private, expected["marker"], expected["syncToken"])
    for name, answer in expected["answers"].items():
        wanted, is_found = comparable(answer), comparable(found[name])
        expect(wanted == is_found, f"{folder.name}, {name}: the release answered\n{wanted}\nand this command\n{is_found}")
    saved = public.ask("records/modify", {"operations": [{"operationType": "forceUpdate", "record": {
        "recordName": "a", "recordType": "Note", "fields": {"text": {"value": "newer"}}}}]})["records"][0]
    expect(saved["fields"]["text"]["value"] == "newer", f"{folder.name} takes no write: {saved}")
    server.send(15)
    expect(server.wait() == 0, "the server did not stop well")
    check_with_doctor(data, "--thorough")
    print(f"  the data of {expected['version']}: {len(found)} answers the same, a write, doctor finds no fault")
    return data


def contents(file):
    """All that is in a database, as text: opening one may count a change that changes nothing."""
    with sqlite3.connect(file) as connection:
        text = "\n".join(connection.iterdump())
    connection.close()
    return text


def check_newer(data):
    """As a newer version would leave the directory: with a layout that this command does not know."""
    file = data / "stratus.sqlite"
    with sqlite3.connect(file) as connection:
        connection.execute("INSERT INTO grdb_migrations VALUES ('99: a layout of the future')")
    connection.close()
    before = contents(file)
    for command in (["serve", "--port", "0"], ["operator", "list"]):
        done = subprocess.run(
            [stratus(), *command, "--data", str(data)], capture_output=True, text=True, timeout=60,
            stdin=subprocess.DEVNULL)
        said = done.stdout + done.stderr
        expect(done.returncode not in (0, -5, -4), f"'stratus {command[0]}' ends with {done.returncode}:\n{said}")
        for words in ("written by a newer version of Stratus", "Start that version, or a newer one."):
            expect(words in said, f"'stratus {command[0]}' does not say '{words}' of a newer version's data:\n{said}")
    expect(contents(file) == before, "the data of a newer version were changed")
    print("  the data of a newer version are refused, and stay as they are")


def test():
    with Workplace("releases") as work:
        folders = sorted(path for path in (ROOT / "Tests/Releases").iterdir() if path.is_dir())
        expect(folders, "no release has its data in Tests/Releases")
        for folder in folders:
            expect(all((folder / "data" / name).exists() for name in KEPT), f"{folder} is not whole")
            data = check_release(folder, work)
        check_newer(data)


if __name__ == "__main__":
    main(test)
