#!/usr/bin/env python3
"""Backups in an S3-compatible store are whole, share files, and are as they were when anything breaks.

The store is moto, a server for S3. Between it and Stratus stands a proxy that checks the signature and the digests of every
request by itself, and misbehaves: it answers 503 SlowDown, cuts connections in the middle of a body in both directions, and
is slow.

- a backup through all of that is made, verified, checked and restored, with every record and file;
- a second one sends only the files that are new, and `--keep` removes the old one with the files that nobody has any more;
- a command that is killed with SIGKILL in the middle leaves the earlier backup good, and the next one removes its remains;
- a wrong key, a missing bucket, no key, a forbidden bucket and an endpoint that is off are told with what to do, and no secret
  is in arguments, output or logs;
- bytes that changed in the store are found by --check and never restored;
- a server makes its backups there by itself.
"""

import argparse
import base64
import hashlib
import hmac
import http.client
import http.server
import json
import os
import random
import re
import shutil
import signal
import socket
import socketserver
import subprocess
import sys
import threading
import time
import urllib.parse

from support import ROOT, Client, Workplace, check_with_doctor, expect, free_port, get, main, run, start_with_user, stratus

CONTAINER = "iCloud.org.stratus.s3"
BUCKET = "backups"


def moto():
    """The command of a server for S3, from a virtual environment of the tests."""
    known = shutil.which("moto_server")
    if known and subprocess.run([known, "--help"], capture_output=True, check=False).returncode == 0:
        return known
    folder = ROOT / ".build/s3-venv"
    command = folder / "bin/moto_server"
    if not command.exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                        "moto[server]==5.1.*"], check=True)
    return str(command)


class Store:
    """A real server for S3. The proxy before it checks signatures: moto compares them with a decoded query."""

    key = ("AKIDBACKUP", "aSecretThatNobody/Prints+1")
    stranger = ("AKIDSTRANGER", "anotherSecretThatNobodyPrints")

    def __init__(self):
        self.port = free_port()
        self.process = subprocess.Popen(
            [moto(), "-H", "127.0.0.1", "-p", str(self.port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                break
            except OSError:
                time.sleep(0.05)
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        connection.request("PUT", f"/{BUCKET}", headers={"Content-Length": "0"})
        status = connection.getresponse().status
        expect(status == 200, f"The bucket could not be made: {status}")

    def stop(self):
        self.process.terminate()
        self.process.wait(20)


def refusal(method, address, headers, body):
    """Why a request is not let in, as the code of S3; None where its signature is right (Signature Version 4)."""
    found = re.fullmatch(
        r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)",
        headers.get("Authorization", ""))
    if not found:
        return "AccessDenied"
    name, day, region, signed, code = found.groups()
    secret = dict([Store.key, Store.stranger]).get(name)
    if secret is None:
        return "InvalidAccessKeyId"
    path, _, query = address.partition("?")
    digest = hashlib.sha256(body).hexdigest()
    if headers.get("x-amz-content-sha256") != digest:
        return "XAmzContentSHA256Mismatch"
    if body and headers.get("Content-MD5") != base64.b64encode(hashlib.md5(body).digest()).decode():
        return "BadDigest"
    if {"host", "x-amz-date", "x-amz-content-sha256"} - set(signed.split(";")):
        return "AccessDenied"
    canonical = "\n".join([
        method, path, "&".join(sorted(query.split("&"))),
        "".join(f"{one}:{' '.join(headers.get(one, '').split())}\n" for one in signed.split(";")), signed, digest])
    time_ = headers["x-amz-date"]
    text = "\n".join(["AWS4-HMAC-SHA256", time_, f"{day}/{region}/s3/aws4_request",
                      hashlib.sha256(canonical.encode()).hexdigest()])
    key = f"AWS4{secret}".encode()
    for part in (day, region, "s3", "aws4_request", text):
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    if key.hex() != code:
        return "SignatureDoesNotMatch"
    return "AccessDenied" if name == Store.stranger[0] else None


class Proxy:
    """Hands requests on to the store, and misbehaves as it is told."""

    def __init__(self, target, seed):
        self.target, self.random = target, random.Random(seed)
        self.rate = {"busy": 0.0, "cut": 0.0, "slow": 0.0}
        self.lock = threading.Lock()
        self.counts, self.requests, self.damage = {}, [], None
        proxy = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_):
                pass

            def answer(self):
                proxy.serve(self)

            do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = answer

        class Listener(socketserver.ThreadingMixIn, http.server.HTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Listener(("127.0.0.1", 0), Handler)
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def misdeed(self):
        with self.lock:
            number = self.random.random()
            for name, share in self.rate.items():
                if number < share:
                    self.counts[name] = self.counts.get(name, 0) + 1
                    return name, self.random.random()
                number -= share
        return None, 0

    def serve(self, handler):
        misdeed, chance = self.misdeed()
        length = int(handler.headers.get("Content-Length") or 0)
        if misdeed == "cut" and length > 0 and chance < 0.5:
            handler.rfile.read(length // 2)
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True
            return
        body = handler.rfile.read(length)
        if misdeed == "busy":
            text = b"<?xml version='1.0'?><Error><Code>SlowDown</Code><Message>Reduce your request rate.</Message></Error>"
            return self.tell(handler, 503, {}, text)
        refused = refusal(handler.command, handler.path, handler.headers, body)
        if refused:
            return self.tell(handler, 403, {}, f"<?xml version='1.0'?><Error><Code>{refused}</Code></Error>".encode())
        if misdeed == "slow":
            time.sleep(0.3)
        connection = http.client.HTTPConnection("127.0.0.1", self.target, timeout=30)
        headers = {name: value for name, value in handler.headers.items() if name.lower() not in ("connection", "expect")}
        connection.request(handler.command, handler.path, body, headers)
        answer = connection.getresponse()
        content = answer.read()
        with self.lock:
            self.requests.append((handler.command, urllib.parse.unquote(handler.path), answer.status, len(body)))
        if self.damage and self.damage in handler.path and handler.command == "GET" and content:
            content = content[:-1] + bytes([content[-1] ^ 1])
        kept = {name: value for name, value in answer.getheaders()
                if name.lower() not in ("connection", "content-length", "transfer-encoding", "server", "date")}
        if handler.command == "HEAD":
            kept["Content-Length"] = answer.headers.get("Content-Length", "0")
        if misdeed == "cut" and len(content) > 1:
            return self.tell(handler, answer.status, kept, content[:len(content) // 2], len(content))
        self.tell(handler, answer.status, kept, content)

    def tell(self, handler, status, headers, content, length=None):
        handler.send_response(status)
        for name, value in headers.items():
            handler.send_header(name, value)
        if handler.command != "HEAD":
            handler.send_header("Content-Length", str(length or len(content)))
        handler.end_headers()
        if handler.command != "HEAD":
            handler.wfile.write(content)
        if length:
            handler.wfile.flush()
            handler.connection.shutdown(socket.SHUT_RDWR)
            handler.close_connection = True

    def misbehave(self, **rates):
        self.rate = {"busy": 0.0, "cut": 0.0, "slow": 0.0} | rates

    def sent_files(self):
        """The names of files that came through to the store since this was last asked."""
        with self.lock:
            done, self.requests = self.requests, []
        return [path.rsplit("/", 1)[-1] for method, path, status, _ in done
                if method == "PUT" and "/files/" in path and status == 200]


class Scene:
    def __init__(self, workplace, seed):
        self.workplace = workplace
        self.store = Store()
        self.proxy = Proxy(self.store.port, seed)
        self.address = f"s3://{BUCKET}/team/stratus?endpoint=http://127.0.0.1:{self.proxy.port}"
        self.data = workplace.path / "data"
        self.random = random.Random(seed)
        self.key(self.store.key)

    def key(self, key):
        os.environ["AWS_ACCESS_KEY_ID"], os.environ["AWS_SECRET_ACCESS_KEY"] = key

    def save(self, name, size):
        """A record with a file of random bytes."""
        bytes_ = self.random.randbytes(size)
        wish = {"recordName": name, "recordType": "Entry", "fieldName": "file"}
        answer = self.client.ask("assets/upload", {"tokens": [wish]})
        path = urllib.parse.urlsplit(answer["tokens"][0]["url"])
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        connection.request("POST", path.path + (f"?{path.query}" if path.query else ""), body=bytes_)
        receipt = json.loads(connection.getresponse().read())
        connection.close()
        self.client.ask("records/modify", {"operations": [{"operationType": "forceReplace", "record": {
            "recordName": name, "recordType": "Entry", "fields": {
                "file": {"value": receipt["singleFile"], "type": "ASSETID"},
                "text": {"value": "x" * 1000}}}}]})
        return hashlib.sha256(bytes_).hexdigest()

    def back_up(self, *more, check=True, address=None):
        return run("backup", address or self.address, "--data", str(self.data), "--json", *more, check=check, seconds=60)

    def files_in(self, data):
        return {path.name for path in (data / "assets").glob("??/??/*")}

    def restore(self, name, address=None):
        again = self.workplace.path / name
        run("restore", address or self.address, "--data", str(again))
        check_with_doctor(again)
        return again


def words(scene):
    """What is refused, in which words; no secret in any of them."""
    good = scene.store.key
    done = []
    secret = "notthesecretnotthesecret"
    scene.key((good[0], secret))
    done.append((scene.back_up(check=False), "does not take the key"))
    scene.key(("AKIDUNKNOWN", secret))
    done.append((scene.back_up(check=False), "does not take the key"))
    scene.key(scene.store.stranger)
    done.append((scene.back_up(check=False), "may not do this"))
    scene.key(good)
    done.append((scene.back_up(check=False, address=scene.address.replace(BUCKET, "elsewhere")), "Create the bucket first"))
    done.append((scene.back_up(check=False, address="s3://backups/x?endpoint=http://127.0.0.1:1"), "did not answer"))
    done.append((scene.back_up(check=False, address=f"s3://a:{secret}@{BUCKET}"), "may hold no key"))
    del os.environ["AWS_ACCESS_KEY_ID"]
    del os.environ["AWS_SECRET_ACCESS_KEY"]
    os.environ["AWS_SHARED_CREDENTIALS_FILE"] = str(scene.workplace.path / "credentials")
    done.append((scene.back_up(check=False), "There is no key"))
    for result, expected in done:
        expect(result.returncode == 1 and expected in result.stderr, f"Instead of '{expected}' it said {result.stderr!r}")
        expect("help:" in result.stderr, f"It does not say what to do: {result.stderr!r}")
        for one in (secret, good[1], scene.store.stranger[1]):
            expect(one not in result.stdout + result.stderr, f"A secret was printed: {result.stderr!r}")
    # From a file, as the tools of AWS have it.
    (scene.workplace.path / "credentials").write_text(
        f"[default]\naws_access_key_id = {good[0]}\naws_secret_access_key = {good[1]}\n")
    scene.back_up()
    scene.key(good)
    print("refused in words: a wrong key, an unknown one, one without rights, no bucket, no server, no key")


def incremental(scene):
    """Files are sent once; retention removes what nobody has, and no more."""
    first = {scene.save(f"r{number}", 20_000 + number) for number in range(6)}
    # More than a part: in several.
    first.add(scene.save("large", 18 << 20))
    scene.proxy.sent_files()
    scene.proxy.misbehave(busy=0.12, cut=0.12, slow=0.05)
    one = json.loads(scene.back_up().stdout)
    expect(one["verified"] and one["files"] == 7 and not one["missing"], f"The backup says {one}")
    sent = scene.proxy.sent_files()
    expect({name.split("?")[0] for name in sent} == first, f"Other files were sent: {sent}")
    second = {scene.save(f"n{number}", 10_000) for number in range(3)}
    two = json.loads(scene.back_up("--keep", "14").stdout)
    expect(set(scene.proxy.sent_files()) == second, "Files were sent again")
    expect(two["sharedBytes"] > 18 << 20, f"The backup says {two}")
    run("restore", scene.address, "--check")
    again = scene.restore("again")
    expect(scene.files_in(again) == first | second, "Files are missing after a restore")
    name = one["path"].rsplit("/", 1)[-1]
    # One by its own address, which is the older.
    base, query = scene.address.split("?")
    store = one["path"].split("/")[-3]
    older = scene.restore("older", f"{base}/{store}/backups/{name}?{query}")
    expect(scene.files_in(older) == first, "The older backup has other files")
    scene.proxy.misbehave()
    three = json.loads(scene.back_up("--keep", "1").stdout)
    expect(len(three["removed"]) >= 2, f"The old backups were not removed: {three}")
    run("restore", scene.address, "--check")
    print(f"files are sent once, through {scene.proxy.counts}; old backups go, and what they alone had")


def killed(scene):
    """A command that is killed leaves the backups that are there."""
    for number in range(30):
        scene.save(f"k{number}", 60_000)
    left = 0
    for delay in (0.15, 0.4, 0.8, 1.2):
        scene.proxy.misbehave(slow=1)
        process = subprocess.Popen(
            [stratus(), "backup", scene.address, "--data", str(scene.data)], stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        time.sleep(delay)
        left += process.poll() is None
        process.kill()
        process.wait()
        scene.proxy.misbehave()
        run("restore", scene.address, "--check")
    expect(left > 0, "No backup was under way when it was killed")
    done = json.loads(scene.back_up("--keep", "1").stdout)
    expect(done["verified"], f"After the kills: {done}")
    expect(not (scene.data / "stratus.backup-work").exists(), "A copy of the database was left")
    print(f"{left} backups were killed; those before stayed good, and the next one was made")


def damaged(scene):
    """Bytes that changed on the way or in the store are found."""
    digest = next(iter(scene.files_in(scene.data)))
    for name, what in ((digest, "is damaged"), ("stratus.sqlite", "does not have the bytes")):
        scene.proxy.damage = name
        for more in (["--check"], ["--data", str(scene.workplace.path / "never")]):
            done = run("restore", scene.address, *more, check=False)
            expect(done.returncode == 1 and what in done.stderr, f"Damage of {name}: {done.stderr!r}")
        expect(not (scene.workplace.path / "never").exists(), "A damaged backup was restored in part")
    scene.proxy.damage = None
    print("changed bytes are found by a check, and nothing of them is restored")


def by_itself(scene):
    """The server makes its own backups there, and says so."""
    scene.server.send(signal.SIGTERM)
    scene.server.wait()
    scene.proxy.misbehave(busy=0.05)
    server = scene.workplace.start(
        "serve", "data", scene.port, "--backup-to", scene.address.replace("team", "own"), "--backup-every", "1m")
    try:
        server.wait_until_ready()
        # There is none yet, so one is due some seconds after the start.
        for _ in range(800):
            if "backup made" in server.text:
                break
            time.sleep(0.1)
        expect("backup made" in server.text, f"The server made no backup: {server.text[-1500:]}")
        metrics = get(scene.port, "/metrics")[1].decode()
        expect("stratus_backup_failed 0" in metrics, "The metric of failures is not zero")
        expect(scene.store.key[1] not in server.text, "A secret is in the log")
    finally:
        server.send(signal.SIGTERM)
        server.wait()
    print("a server makes its backups there by itself")


def test():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=int(os.environ.get("STRATUS_SEED", 1)))
    options = parser.parse_args()
    for name in list(os.environ):
        if name.startswith("AWS_"):
            del os.environ[name]
    with Workplace("s3") as workplace:
        scene = Scene(workplace, options.seed)
        try:
            scene.port = free_port()
            scene.server, tokens = start_with_user(workplace, CONTAINER, scene.port)
            scene.client = Client(scene.port, CONTAINER, "public", *tokens)
            words(scene)
            incremental(scene)
            killed(scene)
            damaged(scene)
            by_itself(scene)
        finally:
            scene.store.stop()


if __name__ == "__main__":
    main(test)
