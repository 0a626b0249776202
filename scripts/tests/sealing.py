#!/usr/bin/env python3
"""Encrypted fields of a real server, as its operator and a thief of its files see them.

- What a client marks as encrypted comes back, is in no file of the data directory, and in the container's export;
- `stratus key rotate` refuses beside a server and with a wrong key, and takes the fields to a key of one's own;
- with the former key the server starts, says so, answers the rest, and loses nothing; `stratus doctor` says it too.
"""

import json
import os

from support import Client, Workplace, check_with_doctor, expect, free_port, main, run, start_with_user

CONTAINER = "iCloud.sealing"
SECRET = "quince-marmalade"


def connect(port, tokens):
    return Client(port, CONTAINER, "private", *tokens)


def look(client):
    """The encrypted value of the record, or the answer's error."""
    status, answer = client.post("records/lookup", {"records": [{"recordName": "a"}]})
    if status != 200:
        return answer["serverErrorCode"]
    return answer["records"][0]["fields"]["secret"]["value"]


def check_files(folder):
    for path in folder.rglob("*"):
        if path.is_file() and not path.is_socket():
            expect(SECRET.encode() not in path.read_bytes(), f"{path} holds an encrypted field in the clear")


def stop(server):
    server.send(15)
    expect(server.wait() == 0, f"The server ended badly:\n{server.text}")


def restart(place, port, *more):
    server = place.start("serve", "data", port, *more)
    server.wait_until_ready()
    return server


def test():
    with Workplace("sealing") as place:
        port = free_port()
        server, tokens = start_with_user(place, CONTAINER, port)
        data = place.path / "data"
        client = connect(port, tokens)
        for number in range(3):
            fields = {"secret": {"value": SECRET, "type": "STRING", "isEncrypted": True}, "n": {"value": number}}
            answer = client.ask("records/modify", {"operations": [
                {"operationType": "forceUpdate",
                 "record": {"recordType": "Note", "recordName": "a", "fields": fields}}]})
            expect("serverErrorCode" not in answer["records"][0], answer)
        expect(look(client) == SECRET, "The encrypted field did not come back")
        check_files(data)

        first, second = place.path / "first.key", place.path / "second.key"
        for path in (first, second):
            path.write_text(os.urandom(32).hex() + "\n")
        beside = run("key", "rotate", "--to-file", str(first), "--data", str(data), check=False)
        expect(beside.returncode != 0 and "Stop all servers" in beside.stderr, f"beside a server: {beside}")
        client.close()
        stop(server)
        check_files(data)
        wrong = run(
            "key", "rotate", "--from-file", str(second), "--to-file", str(first), "--data", str(data), check=False)
        expect(wrong.returncode != 0 and "Nothing was changed" in wrong.stderr, f"a wrong key: {wrong}")
        for wrapped, unchanged in ((1, 0), (0, 1)):
            done = json.loads(run("key", "rotate", "--to-file", str(first), "--data", str(data), "--json").stdout)
            expect((done["wrapped"], done["unchanged"]) == (wrapped, unchanged), done)

        # With the former key: it starts and says so, and what needs no key works.
        server = restart(place, port)
        expect("SEALING_KEY_WRONG" in server.text, f"The log does not name the wrong key:\n{server.text}")
        client = connect(port, tokens)
        expect(look(client) == "INTERNAL_ERROR", "A wrong key opened a field")
        client.ask("records/modify", {"operations": [
            {"operationType": "forceUpdate", "record": {"recordType": "Plain", "recordName": "b", "fields": {}}}]})
        client.close()
        stop(server)
        doctor = run("doctor", "--data", str(data), check=False)
        expect(doctor.returncode == 1 and "master key" in doctor.stdout, f"doctor: {doctor.stdout}")

        server = restart(place, port, "--master-key-file", str(first))
        client = connect(port, tokens)
        expect(look(client) == SECRET, "The rotated key does not open the field")
        client.close()
        os.environ["STRATUS_MASTER_KEY_FILE"] = str(first)
        check_with_doctor(data, "--thorough")
        folder = place.path / "export"
        run("container", "export", str(folder), "--container", CONTAINER, "--data", str(data))
        exported = "".join(path.read_text(errors="replace") for path in folder.rglob("*.jsonl"))
        expect(SECRET in exported, "The export lacks the encrypted field")
        stop(server)
        run("key", "rotate", "--to-secret", "--data", str(data))
        del os.environ["STRATUS_MASTER_KEY_FILE"]
        check_with_doctor(data)
        check_files(data)


if __name__ == "__main__":
    main(test)
