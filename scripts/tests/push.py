#!/usr/bin/env python3
"""Web Push over real sockets: what a push service of the tests gets can be decrypted, is signed, complete and in order.

The service of the tests checks each header (RFC 8030), the token and its key (RFC 8292), and decrypts with the primitives of
the Python package `cryptography`, which shares no code with the server; its decryptor is tried on the example of RFC 8291
first. The server is killed with SIGKILL while clients write. Then the push service is slow to take something, says 503 with
Retry-After, and 410, after which the receiver is gone. In the end the same address is refused without `--webhook-targets any`.
"""

import base64
import http.server
import json
import os
import subprocess
import sys
import threading
import time

from support import ROOT, Client, Workplace, expect, free_port, main, make_token, run, wait_for

try:
    import cryptography
except ImportError:
    folder = ROOT / ".build/push-venv"
    if not (folder / "bin/python").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                        "cryptography"], check=True)
    os.execv(folder / "bin/python", [folder / "bin/python", *sys.argv])

from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

CONTAINER = "iCloud.org.stratus.push"
CURVE = ec.SECP256R1()


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def point(key):
    return key.public_bytes(serialization.Encoding.X962, serialization.PublicFormat.UncompressedPoint)


class Browser:
    """The keys of a subscription."""

    def __init__(self, key=None, auth=None):
        self.key, self.auth = key or ec.generate_private_key(CURVE), auth or os.urandom(16)

    def keys(self):
        return {"p256dh": encode(point(self.key.public_key())), "auth": encode(self.auth)}

    def decrypt(self, body):
        salt, size, length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        sender, sealed = body[21:21 + length], body[21 + length:]
        expect(size == 4096 and len(body) <= 4096, f"The record has {len(body)} bytes of {size}")
        own = point(self.key.public_key())
        shared = self.key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, sender))
        material = HKDF(hashes.SHA256(), 32, self.auth, b"WebPush: info\0" + own + sender).derive(shared)
        key = HKDF(hashes.SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(material)
        nonce = HKDF(hashes.SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(material)
        text = AESGCM(key).decrypt(nonce, sealed, None)
        expect(text.endswith(b"\2"), "The last record does not end with its delimiter")
        return text[:-1]


def check_decryptor():
    """RFC 8291, appendix A."""
    key = ec.derive_private_key(int.from_bytes(decode("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94"), "big"), CURVE)
    text = Browser(key, decode("BTBZMqHH6r4Tts7J_aSIgg")).decrypt(decode(
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl"
        "7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"))
    expect(text == b"When I grow up, I want to be a watermelon", "The decryptor of the tests is wrong")


class PushService(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, port):
        super().__init__(("127.0.0.1", port), PushHandler)
        self.port, self.browser, self.server_key = port, Browser(), None
        self.taken, self.seen, self.answers, self.faults = [], [], [], []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, address):
        """The server is killed in the middle of requests."""

    def endpoint(self, name="a"):
        return f"http://127.0.0.1:{self.port}/push/{name}"

    def check(self, headers, body):
        """What a push service and a browser look at; gives the notification."""
        for name, value in (("content-encoding", "aes128gcm"), ("ttl", "604800"), ("urgency", "normal")):
            expect(headers[name] == value, f"{name} is {headers[name]}")
        kind, _, rest = headers["authorization"].partition(" ")
        expect(kind == "vapid", f"The scheme is {kind}")
        parts = dict(part.strip().split("=", 1) for part in rest.split(","))
        expect(parts["k"] == self.server_key, "The key is not the one that was given out")
        head, claims, signature = parts["t"].split(".")
        expect(json.loads(decode(head)) == {"typ": "JWT", "alg": "ES256"}, f"The head is {decode(head)}")
        raw = decode(signature)
        ec.EllipticCurvePublicKey.from_encoded_point(CURVE, decode(parts["k"])).verify(
            utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")),
            f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))
        claims = json.loads(decode(claims))
        expect(claims["aud"] == f"http://127.0.0.1:{self.port}", f"The audience is {claims['aud']}")
        expect(0 < claims["exp"] - time.time() <= 86_400, f"The token ends at {claims['exp']}")
        return json.loads(self.browser.decrypt(body))


class PushHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        length = int(self.headers["content-length"])
        body = self.rfile.read(length)
        if len(body) < length:
            # The sender was killed in the middle of it.
            self.close_connection = True
            return
        server = self.server
        server.seen.append(time.monotonic())
        try:
            notification = server.check(self.headers, body)
        except Exception as error:
            server.faults.append(f"{type(error).__name__}: {error}")
        status, headers = server.answers.pop(0) if server.answers else (201, {})
        if status == 201:
            server.taken.append(notification)
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


def names(notifications):
    """The records, each notification once, in the order of their first arrival."""
    found = {notification["ck"]["nid"]: notification["ck"]["qry"]["rid"] for notification in notifications}
    return list(found.values())


def receivers(data):
    return json.loads(run("subscription", "list", "--user", "ada", "--json", "--data", str(data), "--container",
                          CONTAINER).stdout)["receivers"]


def save(client, name, text="?"):
    client.ask("records/modify", {"operations": [{"operationType": "forceUpdate", "record": {
        "recordName": name, "recordType": "Note", "fields": {"text": {"value": text}}}}]})


def register(device, service, name="a"):
    # An address of devices has no database.
    answer = device.ask("tokens/create", {"apnsEnvironment": "development", "webPush": True})
    expect(list(answer) == ["applicationServerKey"], f"The answer has {list(answer)}")
    service.server_key = answer["applicationServerKey"]
    device.ask("tokens/register", {"apnsEnvironment": "development", "webPush": {
        "endpoint": service.endpoint(name), "expirationTime": None, "keys": service.browser.keys()}})


def crash(serve, client, service):
    """Kills the server while a client writes; all that was acknowledged arrives, in order."""
    saved = []
    for number in range(60):
        name = f"n{number:02}"
        if number in (20, 40):
            # What is on its way is sent again.
            serve.kill()
            serve.start()
        save(client(), name)
        saved.append(name)
    wait_for(lambda: f"{len(names(service.taken))} of {len(saved)} arrived; {receivers(serve.server.data)}",
             lambda: len(names(service.taken)) >= len(saved))
    expect(names(service.taken) == saved, f"The order is {names(service.taken)}")
    return len(saved)


def misbehave(data, client, service):
    """503 with Retry-After waits as long, a long text is left out, and 410 ends the receiver."""
    service.answers = [(503, {"Retry-After": "3"}), (429, {})]
    before = len(service.seen)
    save(client, "later")
    wait_for("The push was not tried again", lambda: "later" in names(service.taken))
    tries = service.seen[before:]
    expect(len(tries) == 3 and tries[1] - tries[0] >= 2.9, f"It was tried after {tries[1] - tries[0]:.1f} s")
    expect(tries[2] - tries[1] >= 0.7, f"It was tried again after {tries[2] - tries[1]:.1f} s")
    save(client, "long", "x" * 9_000)
    wait_for("A long notification did not arrive", lambda: "long" in names(service.taken))
    expect(service.taken[-1]["ck"]["pruned"] is True, "It does not say that something was left out")
    wait_for("The list does not have the last delivery", lambda: receivers(data)[0]["taken"] >= 10)
    def why():
        return json.loads(run("subscription", "why", "later", "--user", "ada", "--json", "--data", str(data),
                              "--container", CONTAINER).stdout)["changes"][0]["receivers"][0]

    wait_for(lambda: f"It is explained as {why()}",
             lambda: why()["stage"] == "sent" and "answered 201" in why()["why"])
    service.answers = [(410, {})]
    save(client, "gone")
    wait_for("The receiver is still there after 410", lambda: all(one.get("endedAt") for one in receivers(data)))
    expect("410" in receivers(data)[0]["endReason"], f"It ended for {receivers(data)}")


def test():
    check_decryptor()
    port = free_port()
    with Workplace("push") as workplace:
        service = PushService(free_port())

        class serve:
            server = None

            @staticmethod
            def start(*more):
                serve.server = workplace.start("serve", "data", port, *(more or ("--webhook-targets", "any")))
                serve.server.wait_until_ready()

            @staticmethod
            def kill():
                serve.server.kill()

        serve.start()
        data = serve.server.data
        run("user", "add", "ada", "--data", str(data), "--container", CONTAINER)
        tokens = make_token(data, CONTAINER), make_token(data, CONTAINER, "--user", "ada")

        def client():
            return Client(port, CONTAINER, "private", *tokens)

        class Device(Client):
            """A client of the addresses that no database is in."""

            def __init__(self):
                super().__init__(port, CONTAINER, "private", *tokens)
                self.prefix = self.prefix.replace("/database/", "/device/").replace("/private", "")

        save(client(), "first")
        client().ask("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
            "subscriptionID": "notes", "subscriptionType": "query", "firesOn": ["create", "update"],
            "query": {"recordType": "Note"}, "notificationInfo": {"alertBody": "A note", "additionalFields": ["text"]}}}]})
        _, refusal = Device().post("tokens/register", {"apnsEnvironment": "development", "webPush": {
            "endpoint": service.endpoint(), "keys": {"p256dh": encode(b"\4" * 65), "auth": encode(b"1" * 16)}}})
        expect(refusal["serverErrorCode"] == "BAD_REQUEST", f"A key that is none was taken: {refusal}")
        register(Device(), service)
        count = crash(serve, client, service)
        expect(service.taken[0]["aps"]["alert"]["body"] == "A note", f"The alert is {service.taken[0]['aps']}")
        misbehave(data, client(), service)
        # A browser that comes again is a new receiver.
        register(Device(), service)
        save(client(), "again")
        wait_for("Nothing arrives after the browser registered again", lambda: "again" in names(service.taken))
        serve.kill()
        serve.start("--log-format", "json")
        register(Device(), service, "b")
        seen = len(service.seen)
        save(client(), "refused")
        wait_for(lambda: f"A push to this machine was not refused: {receivers(data)}",
                 lambda: any("public internet" in attempt["answer"] or "HTTPS" in attempt["answer"]
                             for receiver in receivers(data) for attempt in receiver["attempts"]))
        expect(len(service.seen) == seen, "A push went to this machine")
        expect(not service.faults, f"The push service found: {service.faults[:3]}")
        print(f"{count} notifications in order through 2 kills, {len(service.seen)} pushes decrypted")


if __name__ == "__main__":
    main(test)
