#!/usr/bin/env python3
"""HTTP/2 by the real command: requests, bodies, events and files with curl, then each limit at its edge, by a client that
breaks the rules."""

import json
import pathlib
import socket
import ssl
import struct
import subprocess
import threading
import time

from http2_frames import (
    ACK, CALM, CONTINUATION, DATA, END_HEADERS, END_STREAM, GOAWAY, HEADERS, LAST, NO_ERROR, PING, RESET, WINDOW,
    Connection, Gone, list_bytes, packed, request)
from support import Workplace, expect, free_port, main, make_token, stratus
from tls import certificate, curl, wait_for

CONTAINER = "iCloud.stratus.http2"
PUBLIC = f"/database/1/{CONTAINER}/development/public"


def metric(port, made, name):
    _, text, _ = curl(port, "/metrics", made)
    lines = [line for line in text.splitlines() if line.startswith(name + " ")]
    expect(lines, f"/metrics has no {name}.")
    return float(lines[0].split()[1])


def resident(process):
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(text.split("VmRSS:")[1].split()[0]) // 1024


def ask(port, made, path, *more):
    """Status, version and body of an answer to curl."""
    done = subprocess.run(
        ["curl", "-sS", "--http2", "--max-time", "20", "--cacert", str(made), "-w", "\n%{http_code} %{http_version}", *more,
         f"https://localhost:{port}{path}"], capture_output=True)
    body, _, words = done.stdout.rpartition(b"\n")
    code, version = words.decode().split()
    expect(version == "2", f"{path} is not answered over HTTP/2 but {version}: {done.stderr}")
    return int(code), body


def post(port, made, endpoint, token, body, *more):
    """The answer to a request of the protocol, whose body comes from a file."""
    sent = made.parent / "body.json"
    sent.write_text(json.dumps(body))
    code, text = ask(port, made, f"{PUBLIC}/{endpoint}?ckAPIToken={token[0]}&ckWebAuthToken={token[1]}",
                     "-H", "Content-Type: application/json", *(more or ["--data-binary", f"@{sent}"]))
    return code, json.loads(text)


def serves(port, made, token):
    """What a client does all day."""
    for path in ["/healthz", "/limits", "/openapi.json", "/metrics"]:
        code, body = ask(port, made, path)
        expect(code == 200 and body, f"{path}: {code}")
        expect(ask(port, made, path, "-I")[0] == 200, f"HEAD {path}")
    _, plain, _ = curl(port, "/openapi.json", made, "--http1.1")
    expect(plain.endswith(ask(port, made, "/openapi.json")[1].decode()), "HTTP/1.1 and HTTP/2 have other answers.")
    code, _ = ask(port, made, "/console", "-H", "Cookie: a=b")
    expect(code < 400, f"/console: {code}")

    large = "x" * 700_000
    code, saved = post(port, made, "records/modify", token, {"operations": [
        {"operationType": "create", "record": {
            "recordType": "Note", "recordName": f"n{number}", "fields": {"text": {"value": large}}}}
        for number in range(4)]})
    expect(code == 200 and len(saved["records"]) == 4, f"{code} {str(saved)[:300]}")
    query = {"query": {"recordType": "Note"}}
    code, page = post(port, made, "records/query", token, query)
    expect(code == 200 and sum(len(record["fields"]["text"]["value"]) for record in page["records"]) == 4 * len(large),
           f"A large page is not whole: {code}")
    # A body without a length, as of a program that makes it while it sends.
    sent = made.parent / "query.json"
    sent.write_text(json.dumps(query))
    with open(sent, "rb") as file:
        done = subprocess.run(
            ["curl", "-sS", "--http2", "--cacert", str(made), "-X", "POST", "-T", "-",
             f"https://localhost:{port}{PUBLIC}/records/query?ckAPIToken={token[0]}"], stdin=file, capture_output=True)
    expect(len(json.loads(done.stdout)["records"]) == 4, f"A body without a length is not read: {done.stdout[:200]}")
    # Who waits to be asked for the body is asked.
    code, _ = post(port, made, "records/query", token, query, "-H", "Expect: 100-continue", "--data-binary", f"@{sent}")
    expect(code == 200, f"Expect: 100-continue gives {code}")
    # A large body of somebody who is not let in need not be sent to its end.
    big = made.parent / "big"
    big.write_bytes(b" " * 8_000_000)
    code, text = ask(port, made, f"{PUBLIC}/records/query?ckAPIToken=wrong", "--data-binary", f"@{big}")
    expect(code == 401 and b"AUTHENTICATION_FAILED" in text, f"{code} {text[:200]}")
    asset(port, made, token)
    # The end comes with the last bytes: a client that knows the length may reset a stream whose end is not there yet, as curl does.
    client = Connection(port)
    for path in ["/healthz", "/openapi.json"]:
        stream = client.open(request(path))
        client.answers(stream)
        kind, flags, _, payload = [frame for frame in client.seen if frame[2] == stream][-1]
        expect(kind == DATA and flags & END_STREAM and payload, f"{path} ends with frame {kind}, flags {flags}, {len(payload)} bytes")
    # Many at once.
    done = subprocess.run(
        ["curl", "-sS", "--http2", "-Z", "--parallel-max", "90", "--cacert", str(made), "-w", "%{http_version} %{http_code}\n",
         "-o", "/dev/null", f"https://localhost:{port}/openapi.json?[1-300]"], capture_output=True, text=True)
    lines = done.stdout.split("\n")[:-1]
    others = sorted({line for line in lines if line != "2 200"})
    expect(len(lines) == 300 and not others, f"{len(lines)} answers, among them {others}: {done.stderr[-300:]}")


def asset(port, made, token):
    """A file of three megabytes comes back as it went."""
    field = {"tokens": [{"recordType": "Note", "recordName": "n0", "fieldName": "file"}]}
    code, answer = post(port, made, "assets/upload", token, field)
    expect(code == 200, f"{code} {answer}")
    file = made.parent / "file"
    file.write_bytes(bytes(range(256)) * 12_000)
    place = answer["tokens"][0]["url"].split(f":{port}", 1)[1]
    code, text = ask(port, made, place, "--data-binary", f"@{file}", "-H", "Content-Type: application/octet-stream")
    expect(code == 200, f"{code} {text[:300]}")
    code, saved = post(port, made, "records/modify", token, {"operations": [{"operationType": "forceUpdate", "record": {
        "recordType": "Note", "recordName": "n0",
        "fields": {"file": {"type": "ASSETID", "value": json.loads(text)["singleFile"]}}}}]})
    expect(code == 200 and "fields" in saved["records"][0], f"{code} {str(saved)[:300]}")
    place = saved["records"][0]["fields"]["file"]["value"]["downloadURL"].split(f":{port}", 1)[1].replace("${f}", "file")
    code, text = ask(port, made, place)
    expect(code == 200 and text == file.read_bytes(), f"A file comes back changed: {code}, {len(text)} bytes")


def live(port, made, token):
    """Events come while other requests go over the same connection; a reset ends what was done for them."""
    before = metric(port, made, "stratus_open_streams")
    query = "%7B%22query%22%3A%7B%22recordType%22%3A%22Note%22%7D%2C%22desiredKeys%22%3A%5B%5D%7D"
    client = Connection(port, window=2**30)
    stream = client.open(request(f"{PUBLIC}/records/live?ckAPIToken={token[0]}&query={query}"))
    expect(client.until(HEADERS, stream)[3].startswith(b"\x88"), "A live query is refused.")
    expect(client.until(DATA, stream)[3].startswith(b"retry:"), "A live query has no beginning.")
    expect(client.lives(), "Beside a live query nothing else is answered.")
    post(port, made, "records/modify", token, {"operations": [
        {"operationType": "create", "record": {"recordType": "Note", "recordName": "fresh", "fields": {}}}]})
    text = b""
    while b"fresh" not in text:
        text += client.until(DATA, stream)[3]
    expect(metric(port, made, "stratus_open_streams") >= before + 1, "An open request is not counted.")
    client.send(RESET, 0, stream, struct.pack(">I", 8))
    wait_for("A reset does not end a live query.", lambda: metric(port, made, "stratus_open_streams") <= before, 5)
    expect(client.lives(), "A reset ends the connection.")
    # One that goes without a word ends all of its requests.
    for _ in range(20):
        client.open(request(f"{PUBLIC}/records/live?ckAPIToken={token[0]}&query={query}"))
    wait_for("Live queries are not opened.", lambda: metric(port, made, "stratus_open_streams") >= before + 20, 5)
    client.socket.close()
    wait_for("A lost client's requests go on.", lambda: metric(port, made, "stratus_open_streams") <= before, 5)


def bounds(port, made, token, limits):
    """Each limit at its edge: so many are taken, and one more ends the connection while others go on."""
    told = Connection(port).settings
    expect(told.get(3) == limits["streamsPerConnection"] and told.get(6) == limits["requestHeadBytes"]
           and told.get(4) == limits["streamWindowBytes"], f"SETTINGS differ from /limits: {told}")

    # Requests at once: each waits for its body.
    client = Connection(port)
    path = f"{PUBLIC}/records/query?ckAPIToken={token[0]}"
    for _ in range(limits["streamsPerConnection"]):
        client.open(request(path, "POST", more=[("content-length", "100")]), ends=False)
    expect(client.is_answered(), "So many requests as are allowed are too many.")
    client.open(request("/healthz"))
    expect(client.is_over(), "One request too many is taken.")

    # The list of headers.
    for more, holds in [(0, True), (1, False)]:
        client = Connection(port)
        fields = request("/healthz", more=[("x", "")])
        fields[-1] = ("x", "y" * (limits["requestHeadBytes"] + more - list_bytes(fields)))
        client.send_long(fields)
        expect(client.is_over() != holds, f"A list of {list_bytes(fields)} bytes is {'not ' if holds else ''}taken.")

    # Parts of the list.
    for count, holds in [(limits["continuationFrames"], True), (limits["continuationFrames"] + 1, False)]:
        client = Connection(port)
        head = packed(request("/healthz"))
        client.send(HEADERS, END_STREAM, 1, head)
        client.next = 3
        for part in range(count):
            client.send(CONTINUATION, END_HEADERS if part == count - 1 else 0, 1, packed([("x", "y")]))
        expect(client.is_over() != holds, f"{count} CONTINUATION frames are {'not ' if holds else ''}taken.")
    client = Connection(port)
    client.send(HEADERS, END_STREAM, 1, packed(request("/healthz")))
    try:
        for _ in range(20_000):
            client.send(CONTINUATION, 0, 1, packed([("x", "y" * 100)]))
        expect(client.is_over(), "A flood of CONTINUATION frames is read.")
    except OSError:
        pass

    # Requests that are taken back.
    client = Connection(port)
    for _ in range(limits["streamResets"]):
        client.send(RESET, 0, client.open(request(path + "&x=" + "y" * 100, "POST"), ends=False), struct.pack(">I", 8))
    expect(client.lives(), "So many resets as are allowed are too many.")
    client.send(RESET, 0, client.open(request("/healthz")), struct.pack(">I", 8))
    expect(client.farewell() == CALM, "One reset too many is taken.")

    # Faulty requests: one without a path.
    client = Connection(port)
    for _ in range(limits["streamFaults"]):
        client.open([(":method", "GET"), (":scheme", "https"), (":authority", "localhost")])
    expect(client.lives(), "So many faulty requests as are allowed are too many.")
    client.open([(":method", "GET"), (":scheme", "https"), (":authority", "localhost")])
    expect(client.is_over(), "One faulty request too many is taken.")

    # Control frames: the client's SETTINGS and its ACK were two.
    client = Connection(port)
    for _ in range(limits["controlFrames"] - 2):
        client.send(PING, payload=b"12345678")
    expect(client.lives(), "So many pings as are allowed are too many.")
    client.send(PING, payload=b"12345678")
    expect(client.farewell() == CALM, "One ping too many is taken.")

    # Frames that a client makes short by its window: it asks for the next byte when it has the last one.
    client = Connection(port, settings=[(4, 0)])
    stream = client.open(request("/openapi.json"))
    for _ in range(limits["shortFrames"]):
        client.send(WINDOW, 0, stream, struct.pack(">I", 1))
        expect(len(client.until(DATA, stream)[3]) == 1, "A window of a byte gets more than a byte.")
    expect(client.is_answered(), "So many short frames as are allowed are too many.")
    client.send(WINDOW, 0, stream, struct.pack(">I", 1))
    expect(client.farewell() == CALM, "One short frame too many is sent.")

    # Frames without anything in them.
    client = Connection(port)
    stream = client.open(request(path, "POST"), ends=False)
    for _ in range(1_000):
        try:
            client.send(DATA, 0, stream)
        except OSError:
            break
    expect(client.is_over(), "Empty frames are taken without end.")

    # Frames that ask for nothing: windows that are opened for nothing, and kinds that nobody knows.
    for kind, payload in [(WINDOW, struct.pack(">I", 1)), (0x10, b"\0\0\0\1u=3"), (0xFA, b"")]:
        client = Connection(port)
        client.socket.sendall(client.frame(kind, 0, 0, payload) * limits["spareFrames"])
        expect(client.is_answered(), f"So many frames of kind {kind} as are allowed are too many.")
        client.send(kind, 0, 0, payload)
        expect(client.farewell() == CALM, f"One frame of kind {kind} too many is taken.")

    # Pages that are the same for all take no room from answers, however many of them are not read.
    client = Connection(port, settings=[(4, 0)])
    for _ in range(limits["streamsPerConnection"]):
        client.open(request("/openapi.json"))
    expect(client.is_answered(), "So many pages as are allowed are too many.")
    expect(metric(port, made, "stratus_outgoing_answer_bytes") == 0, "Unread pages take room from answers.")
    client.close()

    expect(Connection(port).lives(), "The server does not go on.")


def rapid(port, process, made):
    """Many connections that open and reset as fast as they can, while another client works."""
    before, slowest, stop = resident(process), [0.0], threading.Event()

    def attack():
        while not stop.is_set():
            try:
                client = Connection(port)
                head = packed(request("/openapi.json"))
                for first in range(0, 4_000, 100):
                    text = b"".join(
                        client.frame(HEADERS, END_HEADERS | END_STREAM, number * 2 + 1, head)
                        + client.frame(RESET, 0, number * 2 + 1, struct.pack(">I", 8)) for number in range(first, first + 100))
                    client.socket.sendall(text)
                client.close()
            except (OSError, Gone, AssertionError):
                pass

    threads = [threading.Thread(target=attack) for _ in range(6)]
    for thread in threads:
        thread.start()
    end, count = time.monotonic() + 5, 0
    client = Connection(port)
    while time.monotonic() < end:
        start = time.monotonic()
        expect(client.lives(), "Another client is not served while requests are opened and reset.")
        slowest[0], count = max(slowest[0], time.monotonic() - start), count + 1
        time.sleep(0.01)
    stop.set()
    for thread in threads:
        thread.join(30)
    after = resident(process)
    print(f"rapid reset by 6 clients, 5 s: {count} requests of another, the slowest {slowest[0] * 1000:.0f} ms; "
          f"memory {before} -> {after} MiB")
    expect(after < before + 200, f"Memory grew from {before} to {after} MiB.")
    wait_for("Requests that were reset go on.", lambda: metric(port, made, "stratus_open_streams") <= 1, 10)


class Slow:
    """A client that opens no window, and then one of a few bytes from time to time: it is reset once it has taken nothing
    that counts for `stallSeconds`."""

    def __init__(self, port, limits):
        self.clients = [Connection(port, settings=[(4, 0)]) for _ in range(4)]
        self.start, self.stall = time.monotonic(), limits["stallSeconds"]
        for client in self.clients:
            for _ in range(20):
                client.open(request("/openapi.json"))

    def drip(self):
        for client in self.clients[:2]:
            for stream in range(1, 41, 2):
                client.send(WINDOW, 0, stream, struct.pack(">I", 1))

    def check(self):
        while time.monotonic() < self.start + self.stall - 5:
            self.drip()
            time.sleep(2)
        for client in self.clients:
            expect(all(frame[0] != RESET for frame in client.seen), "A slow client is reset too soon.")
            resets = set()
            while len(resets) < 20:
                frame = client.until(RESET, seconds=self.stall)
                resets.add(frame[2])
            expect(client.is_answered(), "The connection of a slow client is gone.")
        print(f"80 answers that nobody took were reset after {time.monotonic() - self.start:.0f} s")


class Idle:
    """Clients that ask for nothing, one after a request and one without any, which are told to go after
    `idleConnectionSeconds` and not before."""

    def __init__(self, port, limits):
        self.clients = [Connection(port), Connection(port)]
        expect(self.clients[1].lives(), "A client is not served.")
        self.start, self.seconds = time.monotonic(), limits["idleConnectionSeconds"]

    def check(self):
        for client in self.clients:
            farewells = []
            try:
                while True:
                    kind, flags, _, payload = client.read(max(5, self.start + self.seconds + 30 - time.monotonic()))
                    if kind == PING and not flags & ACK:
                        client.send(PING, ACK, payload=payload)
                    if kind == GOAWAY:
                        farewells.append((time.monotonic() - self.start, struct.unpack(">I", payload[4:8])[0]))
            except Gone:
                pass
            except TimeoutError:
                expect(False, f"An idle connection stays for more than {time.monotonic() - self.start:.0f} s.")
            expect(farewells and all(code == NO_ERROR for _, code in farewells), f"An idle connection ends with {farewells}.")
            expect(farewells[0][0] > self.seconds - 3, f"An idle connection is ended after {farewells[0][0]:.0f} s.")
        print(f"2 idle connections were told to go and ended by {time.monotonic() - self.start:.0f} s")


def without(made, key, place):
    """A server that is told to speak HTTP/1.1 alone does, whatever its client could."""
    port = free_port()
    process = subprocess.Popen(
        [stratus(), "serve", "--store", "memory:", "--data", str(place / "without"), "--port", str(port), "--tls-certificate",
         str(made), "--tls-key", str(key), "--http2", "off"],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for("The server without HTTP/2 is not ready.", lambda: curl(port, "/readyz", made)[0] == 0, 60)
        done = subprocess.run(
            ["curl", "-sS", "--http2", "--max-time", "20", "--cacert", str(made), "-o", "/dev/null", "-w",
             "%{http_code} %{http_version}", f"https://localhost:{port}/healthz"], capture_output=True, text=True)
        expect(done.stdout == "200 1.1", f"With '--http2 off': {done.stdout} {done.stderr}")
        context = ssl._create_unverified_context()
        context.set_alpn_protocols(["h2"])
        with context.wrap_socket(socket.create_connection(("127.0.0.1", port), 10)) as line:
            expect(line.selected_alpn_protocol() is None, "With '--http2 off', HTTP/2 is agreed on.")
    finally:
        process.terminate()
        process.wait(30)


def stop(port, process, token):
    """A server that stops says so, ends what runs, and goes."""
    client = Connection(port)
    body = b'{"query":{"recordType":"Note"},"desiredKeys":[]}'
    path = f"{PUBLIC}/records/query?ckAPIToken={token[0]}"
    stream = client.open(request(path, "POST", more=[("content-length", str(len(body)))]), ends=False)
    client.send(DATA, 0, stream, body[:10])
    silent = Connection(port)
    expect(client.lives() and silent.lives(), "The server does not answer.")
    process.terminate()
    last, code = struct.unpack(">II", client.until(GOAWAY)[3][:8])
    expect(last == LAST and code == NO_ERROR, f"The first farewell names {last} and {code}.")
    ping = client.until(PING)
    client.send(PING, 1, payload=ping[3])
    last, code = struct.unpack(">II", client.until(GOAWAY)[3][:8])
    expect(last == client.next - 2 and code == NO_ERROR, f"The second farewell names {last} and {code}.")
    client.send(DATA, END_STREAM, stream, body[10:])
    head, text = client.answers(stream)
    expect(head.startswith(b"\x88") and b"records" in text, f"What ran is not answered: {text[:200]}")
    expect(client.is_over(), "The connection stays.")
    # One that does not answer the farewell is closed all the same.
    expect(process.wait(40) == 0, f"The server ends with {process.returncode}.")


def body():
    with Workplace("http2") as place:
        made, key = certificate(place.path, "live")
        port, data = free_port(), place.path / "data"
        process = subprocess.Popen(
            [stratus(), "serve", "--data", str(data), "--port", str(port), "--tls-certificate", str(made), "--tls-key",
             str(key), "--public-url", f"https://localhost:{port}"],
            stdin=subprocess.DEVNULL, stdout=open(place.path / "server.log", "wb"), stderr=subprocess.STDOUT)
        try:
            wait_for("The server is not ready.", lambda: curl(port, "/readyz", made)[0] == 0, 60)
            token = make_token(data, CONTAINER)
            subprocess.run(
                [stratus(), "user", "add", "ada", "--data", str(data), "--container", CONTAINER], check=True,
                capture_output=True)
            token = token, make_token(data, CONTAINER, "--user", "ada")
            limits = json.loads(ask(port, made, "/limits")[1])["limits"]
            idle, slow = Idle(port, limits), Slow(port, limits)
            without(made, key, place.path)
            serves(port, made, token)
            live(port, made, token)
            bounds(port, made, token, limits)
            slow.check()
            rapid(port, process, made)
            idle.check()
            stop(port, process, token)
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait(30)
        lines = (place.path / "server.log").read_text(errors="replace").splitlines()
        bad = [line for line in lines if '"level":"error"' in line or '"level":"warning"' in line or "Fatal" in line]
        expect(not bad, f"The log tells of errors: {bad[:3]}")


if __name__ == "__main__":
    main(body)
