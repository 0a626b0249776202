#!/usr/bin/env python3
"""Pushes to Apple's service, against a local HTTP/2 server over TLS that checks each header and misbehaves.

The server (hypercorn, from PyPI) checks what Apple documents of requests: the path, the token and its signature, topic, type,
priority, expiration and id. It answers 503, 429 with Retry-After and ExpiredProviderToken, and 410, after which the device is
gone. All pushes go over few kept connections, and with one token.
"""

import asyncio
import base64
import datetime
import ipaddress
import json
import os
import subprocess
import sys
import threading
import time

from support import ROOT, Client, Workplace, expect, free_port, main, make_token, run, wait_for

try:
    import hypercorn.asyncio
    import hypercorn.config
    import cryptography
except ImportError:
    folder = ROOT / ".build/apns-venv"
    if not (folder / "bin/python").exists():
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([folder / "bin/python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                        "cryptography", "hypercorn==0.18.*"], check=True)
    os.execv(folder / "bin/python", [folder / "bin/python", *sys.argv])

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, utils

CONTAINER = "iCloud.org.stratus.apns"
TOKEN = "0123456789abcdef" * 4


def pem(key):
    return key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())


def decode(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


class Apple(threading.Thread):
    """The server, with a certificate of its own."""

    def __init__(self, folder, signer):
        super().__init__(daemon=True)
        self.port, self.signer, self.certificate = free_port(), signer, folder / "server.pem"
        self.taken, self.seen, self.tokens, self.clients, self.faults, self.answers = [], [], set(), set(), [], []
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
        now = datetime.datetime.now(datetime.timezone.utc)
        certificate = x509.CertificateBuilder(
            name, name, key.public_key(), 1, now - datetime.timedelta(hours=1), now + datetime.timedelta(days=1)
        ).add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        self.certificate.write_bytes(certificate.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))
        (folder / "server.key").write_bytes(pem(key))
        self.config = hypercorn.config.Config()
        self.config.bind = [f"127.0.0.1:{self.port}"]
        self.config.certfile, self.config.keyfile = str(self.certificate), str(folder / "server.key")
        self.config.errorlog = None

    def run(self):
        async def never():
            # hypercorn tells of each client that goes while its connection is being closed.
            asyncio.get_running_loop().set_exception_handler(lambda *_: None)
            await asyncio.Event().wait()
        asyncio.run(hypercorn.asyncio.serve(self.app, self.config, shutdown_trigger=never))

    async def app(self, scope, receive, send):
        if scope["type"] != "http":
            return
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if not message.get("more_body"):
                break
        headers = {name.decode(): value.decode() for name, value in scope["headers"]}
        self.seen.append(time.monotonic())
        self.clients.add(scope["client"])
        try:
            self.check(scope, headers, json.loads(body))
        except Exception as error:
            self.faults.append(f"{type(error).__name__}: {error}")
        status, more, reason, *at = self.answers.pop(0) if self.answers else (200, {}, None)
        if status == 200:
            self.taken.append((headers, json.loads(body)))
        body = {"reason": reason} | ({"timestamp": at[0]} if at else {})
        answer = json.dumps(body).encode() if reason else b""
        await send({"type": "http.response.start", "status": status,
                    "headers": [(b"apns-id", headers["apns-id"].encode())]
                    + [(name.encode(), value.encode()) for name, value in more.items()]})
        await send({"type": "http.response.body", "body": answer})

    def check(self, scope, headers, payload):
        expect(scope["http_version"] == "2" and scope["method"] == "POST", f"{scope['http_version']} {scope['method']}")
        expect(scope["path"] == f"/3/device/{TOKEN}", f"The path is {scope['path']}")
        expect(headers["apns-topic"] == "com.example.app", f"The topic is {headers['apns-topic']}")
        is_alert = "alert" in payload["aps"]
        expect(headers["apns-push-type"] == ("alert" if is_alert else "background"), f"{headers} {payload}")
        expect(headers["apns-priority"] == ("10" if is_alert else "5"), f"{headers}")
        if not is_alert:
            expect(payload["aps"] == {"content-available": 1}, f"In the background comes {payload['aps']}")
        expect(0 < int(headers["apns-expiration"]) - time.time() <= 604_800, headers["apns-expiration"])
        expect(headers["apns-id"] == payload["ck"]["nid"] and len(headers["apns-id"]) == 36, headers["apns-id"])
        kind, token = headers["authorization"].split()
        expect(kind == "bearer", kind)
        self.tokens.add(token)
        head, claims, signature = token.split(".")
        expect(json.loads(decode(head)) == {"alg": "ES256", "kid": "ABC123DEFG"}, f"The head is {decode(head)}")
        claims_read = json.loads(decode(claims))
        expect(claims_read["iss"] == "DEF123GHIJ" and abs(claims_read["iat"] - time.time()) < 3_600, f"{claims_read}")
        raw = decode(signature)
        self.signer.public_key().verify(
            utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big")),
            f"{head}.{claims}".encode(), ec.ECDSA(hashes.SHA256()))


def test():
    port = free_port()
    with Workplace("apns") as workplace:
        server = workplace.start("serve", "data", port, "--webhook-targets", "any")
        server.wait_until_ready()
        data = server.data
        place = ("--data", str(data), "--container", CONTAINER)
        run("user", "add", "ada", *place)
        tokens = make_token(data, CONTAINER), make_token(data, CONTAINER, "--user", "ada")
        client = Client(port, CONTAINER, "private", *tokens)
        device = Client(port, CONTAINER, "private", *tokens)
        device.prefix = f"/device/1/{CONTAINER}/development/"
        registration = {"apnsEnvironment": "development", "apnsToken": TOKEN.upper()}
        _, refusal = device.post("tokens/register", registration)
        expect("stratus push set" in json.dumps(refusal), f"Without a key the answer is {refusal}")

        signer = ec.generate_private_key(ec.SECP256R1())
        file = workplace.path / "AuthKey.p8"
        file.write_bytes(b"nonsense")
        apple = Apple(workplace.path, signer)
        apple.start()
        give = ("push", "set", str(file), "--team", "DEF123GHIJ", "--key-id", "ABC123DEFG", "--topic", "com.example.app",
                "--server", f"https://127.0.0.1:{apple.port}", "--server-certificates", str(apple.certificate), *place)
        expect(run(*give, check=False).returncode != 0, "A key that is none was taken")
        file.write_bytes(pem(signer))
        run(*give)
        shown = run("push", "show", *place).stdout
        expect("ABC123DEFG" in shown and "PRIVATE" not in shown, f"'push show' says {shown}")

        def save(name):
            client.ask("records/modify", {"operations": [{"operationType": "forceUpdate", "record": {
                "recordName": name, "recordType": "Note", "fields": {"text": {"value": "?"}}}}]})

        def receivers():
            return json.loads(run("subscription", "list", "--user", "ada", "--json", *place).stdout)["receivers"]

        save("first")
        for name, info in (("loud", {"alertBody": "A note", "collapseIdKey": "notes"}),
                           ("quiet", {"shouldSendContentAvailable": True})):
            client.ask("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
                "subscriptionID": name, "subscriptionType": "query", "firesOn": ["create"],
                "query": {"recordType": "Note"}, "notificationInfo": info}}]})
        device.ask("tokens/register", registration)
        for number in range(20):
            save(f"n{number:02}")
        wait_for(lambda: f"{len(apple.taken)} of 40 arrived: {apple.faults[:2]} {receivers()}",
                 lambda: len(apple.taken) == 40)
        expect(not apple.faults, f"The server found: {apple.faults[:3]}")
        for kind, collapse in (("alert", "notes"), ("background", None)):
            own = [payload["ck"]["qry"]["rid"] for headers, payload in apple.taken if headers["apns-push-type"] == kind]
            expect(own == [f"n{number:02}" for number in range(20)], f"The order is {own}")
            found = {headers.get("apns-collapse-id") for headers, _ in apple.taken if headers["apns-push-type"] == kind}
            expect(found == {collapse}, f"The collapse ids are {found}")
        expect(len(apple.clients) == 1, f"{len(apple.clients)} connections for one device after the other")
        expect(len(apple.tokens) == 1, f"{len(apple.tokens)} tokens")

        apple.answers = [(503, {}, "ServiceUnavailable"), (429, {"retry-after": "2"}, "TooManyRequests"),
                         (403, {}, "ExpiredProviderToken")]
        before = len(apple.seen)
        save("later")
        wait_for(lambda: f"It was not tried again: {receivers()}", lambda: len(apple.taken) == 42, 60)
        tries = apple.seen[before:]
        expect(len(tries) == 5 and tries[2] - tries[1] >= 1.9, f"The tries are at {tries}")
        expect(len(apple.tokens) == 2, "The token was not made again after ExpiredProviderToken")

        def reached():
            return [one for one in receivers() if one.get("endedAt") is None]

        # What is refused for good does not hold up what comes after it.
        apple.answers = [(413, {}, "PayloadTooLarge"), (400, {}, "BadCollapseId")]
        before = len(apple.seen)
        save("refused")
        save("after")
        wait_for(lambda: f"What comes after a refusal did not arrive: {receivers()}", lambda: len(apple.taken) == 44)
        expect(len(apple.seen) == before + 4, f"{len(apple.seen) - before} pushes for four notifications")
        wait_for(lambda: f"The refusals are not on record: {receivers()}", lambda: [
            attempt["answer"].split()[0] for attempt in receivers()[0]["attempts"] if attempt.get("leftOut")] == ["413", "400"])
        # The device registered after the moment at which Apple says it was gone.
        apple.answers = [(410, {}, "Unregistered", 1_000)]
        save("again")
        wait_for(lambda: f"A device that came back is gone: {receivers()}", lambda: len(apple.taken) == 46, 60)
        apple.answers = [(410, {}, "Unregistered", int(time.time() * 1_000) + 60_000)]
        save("gone")
        wait_for(lambda: f"The device is still there after 410: {receivers()}", lambda: not reached())
        expect("410" in receivers()[0]["endReason"], f"It ended for {receivers()}")
        device.ask("tokens/register", registration)
        apple.answers = [(400, {}, "BadDeviceToken")]
        save("foreign")
        wait_for(lambda: f"The device is still there after BadDeviceToken: {receivers()}", lambda: not reached())
        expect("BadDeviceToken" in receivers()[0]["endReason"], f"It ended for {receivers()}")
        device.ask("tokens/register", registration)
        expect(len(reached()) == 1, f"The device did not come back: {receivers()}")
        device.ask("tokens/unregister", registration)
        expect(not reached(), f"The device is still there: {receivers()}")
        expect(not apple.faults, f"The server found: {apple.faults[:3]}")
        run("push", "remove", *place)
        print(f"{len(apple.seen)} pushes over {len(apple.clients)} connection")


if __name__ == "__main__":
    main(test)
