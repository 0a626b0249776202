#!/usr/bin/env python3
"""A disk that fills up in the middle of an upload costs that upload, and nothing else.

The server's data lies on a file system of 32 MiB of its own. Files are uploaded until no more fits: the one that does
not is refused with a clear error and leaves nothing behind, those before are whole, reading goes on, and when there is
room again so does writing, without a restart.

It needs the right to mount in a namespace of its own; where that is not given it says so and passes.
"""

import hashlib
import http.client
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import urllib.parse

from support import Client, Server, expect, free_port, main, make_token, run

CONTAINER = "iCloud.com.example.full"
INSIDE = "STRATUS_TEST_SMALL_DISK"
SIZE_MIB = 32


def upload(port, client, bytes_):
    """The status and the JSON of an upload."""
    answer = client.ask("assets/upload", {"tokens": [{"recordName": "r", "recordType": "Photo", "fieldName": "file"}]})
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request("POST", urllib.parse.urlsplit(answer["tokens"][0]["url"]).path, body=bytes_)
        reply = connection.getresponse()
        return reply.status, json.loads(reply.read())
    finally:
        connection.close()


def files_of(data):
    # Not those that are only locked.
    return [path for path in pathlib.Path(data, "assets").rglob("*") if path.is_file() and path.parent.name != "locks"]


def test():
    data = pathlib.Path(os.environ[INSIDE], "data")
    port = free_port()
    server = Server("serve", data, port)
    try:
        server.wait_until_ready()
        run("user", "add", "ada", "--data", str(data), "--container", CONTAINER)
        client = Client(
            port, CONTAINER, "private", make_token(data, CONTAINER),
            make_token(data, CONTAINER, "--user", "ada"), seconds=60)
        filler = data.parent / "filler"
        kept = []
        refused = None
        for number in range(2 * SIZE_MIB):
            bytes_ = random.Random(number).randbytes(3 << 20)
            status, answer = upload(port, client, bytes_)
            if status != 200:
                refused = status, answer
                break
            kept.append(hashlib.sha256(bytes_).hexdigest())
        expect(refused, f"{len(kept)} files of 3 MiB fit on {SIZE_MIB} MiB")
        status, answer = refused
        expect(status == 503 and answer["serverErrorCode"] == "TRY_AGAIN_LATER", f"It was refused with {refused}")
        expect("disk is full" in answer["reason"], f"The reason is {answer['reason']!r}")
        expect(sorted(path.name for path in files_of(data)) == sorted(kept), "Something of the refused upload is left")

        # Not even one page: now the row of a small file may not fit either.
        with open(filler, "wb", buffering=0) as file:
            try:
                while True:
                    file.write(b"x" * 4096)
            except OSError:
                pass
        small = 0
        for number in range(50):
            bytes_ = b"small %d" % number
            status, answer = upload(port, client, bytes_)
            if status == 200:
                kept.append(hashlib.sha256(bytes_).hexdigest())
                small += 1
            else:
                expect(status == 503, f"It was refused with {status}: {answer}")
        expect(small < 50, "The disk was not full")
        names = sorted(path.name for path in files_of(data))
        expect(names == sorted(set(kept)), "A file is there that was refused, or the other way round")
        expect(client.ask("records/lookup", {"records": [{"recordName": "r"}]})["records"], "Reading stopped")

        filler.unlink()
        (data / "assets" / names[0][:2] / names[0][2:4] / names[0]).unlink()
        status, answer = upload(port, client, b"there is room again")
        expect(status == 200, f"With room again an upload is answered with {status}: {answer}")
        saved = client.ask("records/modify", {"operations": [{"operationType": "create", "record": {
            "recordName": "r", "recordType": "Photo", "fields": {"file": {"value": answer["singleFile"]}}}}]})
        expect("serverErrorCode" not in saved["records"][0], f"A save was refused: {saved}")
        print(f"{len(kept)} files fit, {status} after there was room again; nothing of a refused upload was left")
    finally:
        server.kill()


def inside_a_small_disk():
    """Runs this script again where a small file system of its own is mounted."""
    with tempfile.TemporaryDirectory(prefix="stratus-full-") as home:
        mount = f'mount -t tmpfs -o size={SIZE_MIB}m none "$1"'
        if subprocess.run(["unshare", "-rm", "sh", "-c", mount, "sh", home], capture_output=True).returncode != 0:
            print("skipped: this machine lets nobody mount a file system of their own")
            return 0
        command = ["unshare", "-rm", "sh", "-c", mount + ' && exec "$2" "$3"', "sh", home, sys.executable, __file__]
        return subprocess.run(command, env={**os.environ, INSIDE: home}).returncode


if __name__ == "__main__":
    if INSIDE in os.environ:
        main(test)
    else:
        sys.exit(inside_a_small_disk())
