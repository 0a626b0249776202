#!/usr/bin/env python3
"""HTTPS by the real command: certificates made by openssl, curl as the client, renewal, and what must be refused."""

import http.client
import json
import os
import socket
import ssl
import subprocess
import threading
import time

from support import Workplace, expect, free_port, main, make_token, stratus, wait_for

CONTAINER = "iCloud.stratus.tls"


def openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


def certificate(folder, name, days="30", start=None):
    """A certificate for localhost that signs itself, and its key."""
    made, key = folder / f"{name}.pem", folder / f"{name}.key"
    openssl(
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", str(key),
        "-out", str(made), "-days", days, "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1")
    return made, key


def expired(folder):
    """A certificate that ended long ago."""
    made, key = certificate(folder, "old")
    request = folder / "old.csr"
    openssl("req", "-new", "-key", str(key), "-subj", "/CN=old", "-out", str(request))
    (folder / "db").mkdir(exist_ok=True)
    (folder / "db/index.txt").write_text("")
    (folder / "db/serial").write_text("01\n")
    (folder / "ca.cnf").write_text(
        f"[ca]\ndefault_ca=d\n[d]\ndatabase={folder}/db/index.txt\nserial={folder}/db/serial\nnew_certs_dir={folder}/db\n"
        "default_md=sha256\npolicy=p\n[p]\ncommonName=supplied\n")
    openssl(
        "ca", "-batch", "-config", str(folder / "ca.cnf"), "-selfsign", "-keyfile", str(key), "-in", str(request),
        "-out", str(made), "-startdate", "20200101000000Z", "-enddate", "20210101000000Z", "-notext")
    return made, key


def curl(port, path, made, *more):
    done = subprocess.run(
        ["curl", "-sS", "-i", "--max-time", "20", "--cacert", str(made), *more, f"https://localhost:{port}{path}"],
        capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


def name_of(port):
    """The name in the certificate that a new connection gets."""
    context = ssl._create_unverified_context()
    with socket.create_connection(("127.0.0.1", port), 10) as plain, context.wrap_socket(plain) as secure:
        text = ssl.DER_cert_to_PEM_cert(secure.getpeercert(True))
        found = subprocess.run(
            ["openssl", "x509", "-noout", "-subject"], input=text, capture_output=True, text=True, check=True).stdout
        return found.strip().rpartition("=")[2].strip()


def refuses(place, made, key, *words):
    """The server does not start, and its error names what helps."""
    done = subprocess.run(
        [stratus(), "serve", "--data", str(place.path / "refused"), "--port", str(free_port()), "--tls-certificate", str(made),
         "--tls-key", str(key)], capture_output=True, text=True, timeout=60)
    text = done.stdout + done.stderr
    expect(done.returncode != 0, f"A server starts with {made} and {key}.")
    for word in words:
        expect(word in text, f"'{word}' is not in: {text}")


def body():
    with Workplace("tls") as place:
        folder = place.path
        first, key = certificate(folder, "first")
        other, other_key = certificate(folder, "second")

        refuses(place, folder / "none.pem", key, "none.pem", "ls -l")
        refuses(place, first, other_key, "does not belong", "openssl x509")
        refuses(place, *expired(folder), "ended at 2021-01-01", "certbot renew")
        refuses(place, key, key, "no certificate in PEM")
        locked = folder / "locked.key"
        openssl("pkey", "-in", str(key), "-aes256", "-passout", "pass:x", "-out", str(locked))
        refuses(place, first, locked, "passphrase", "openssl pkey")

        made, used = folder / "live.pem", folder / "live.key"
        made.write_bytes(first.read_bytes())
        used.write_bytes(key.read_bytes())
        port, plain = free_port(), free_port()
        data = folder / "data"
        log = open(folder / "server.log", "wb")
        process = subprocess.Popen(
            [stratus(), "serve", "--data", str(data), "--port", str(port), "--tls-certificate", str(made), "--tls-key",
             str(used), "--redirect-port", str(plain), "--log-format", "json"],
            stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT)
        try:
            wait_for("The server is not ready.", lambda: curl(port, "/readyz", made)[0] == 0, 60)
            token = make_token(data, CONTAINER)
            attend(port, plain, made, token)
            slow(port, made)
            renew(port, made, used, other, other_key, folder, token)
        finally:
            process.terminate()
            process.wait(30)
        text = (folder / "server.log").read_text(errors="replace")
        expect("https://127.0.0.1" in text, "The log does not name the address over TLS.")
        found = subprocess.run(
            [stratus(), "doctor", "--data", str(data), "--json"], capture_output=True, text=True,
            env=os.environ | {"STRATUS_TLS_CERTIFICATE": str(made), "STRATUS_TLS_KEY": str(used)})
        for check in ["public-tls", "public-address", "public-backups", "public-quotas"]:
            expect(check in found.stdout, f"The doctor says nothing of {check}: {found.stdout}")


def attend(port, plain, made, token):
    """Versions, headers, bodies, the redirect."""
    code, text, error = curl(port, "/healthz", made)
    expect(code == 0 and " 200 " in text, f"{code} {text} {error}")
    expect("strict-transport-security: max-age=31536000" in text.lower(), f"There is no HSTS: {text}")
    code, text, _ = curl(port, "/healthz", made, "--http2")
    expect(code == 0 and text.startswith("HTTP/2 200"), f"A client that offers HTTP/2 is not served: {text}")
    code, text, _ = curl(port, "/healthz", made, "--http1.1")
    expect(code == 0 and text.startswith("HTTP/1.1 200"), f"A client that offers HTTP/1.1 only is not served: {text}")
    for version in ["1.2", "1.3"]:
        code, _, error = curl(port, "/healthz", made, f"--tlsv{version}", "--tls-max", version)
        expect(code == 0, f"TLS {version} is refused: {error}")
    code, _, _ = curl(port, "/healthz", made, "--tlsv1.0", "--tls-max", "1.1", "--ciphers", "DEFAULT@SECLEVEL=0")
    expect(code != 0, "TLS 1.1 is taken.")
    path = f"/database/1/{CONTAINER}/development/public/records/query?ckAPIToken={token}"
    query = json.dumps({"query": {"recordType": "Note"}, "x": "y" * 500_000})
    sent = made.parent / "query.json"
    sent.write_text(query)
    code, text, error = curl(port, path, made, "--data-binary", f"@{sent}", "-H", "Content-Type: application/json")
    expect(code == 0 and " 200 " in text or "NOT_FOUND" in text or "BAD_REQUEST" in text, f"{code} {text} {error}")
    # A large body of somebody who is not let in is refused before it was sent, and the client reads why.
    wrong = f"/database/1/{CONTAINER}/development/public/records/query?ckAPIToken=wrong"
    big = made.parent / "big"
    big.write_bytes(b" " * 8_000_000)
    code, text, error = curl(port, wrong, made, "--data-binary", f"@{big}", "-H", "Expect:")
    expect("AUTHENTICATION_FAILED" in text, f"{code} {text} {error}")
    connection = http.client.HTTPConnection("127.0.0.1", plain, timeout=10)
    connection.request("GET", "/console?x=1", headers={"Host": f"localhost:{plain}"})
    answer = connection.getresponse()
    place = answer.getheader("Location")
    expect(answer.status == 308 and place == f"https://localhost:{port}/console?x=1", f"{answer.status} {place}")
    # Plain HTTP at the port of HTTPS gets nothing, and the server goes on.
    with socket.create_connection(("127.0.0.1", port), 10) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try:
            expect(b"200" not in client.recv(1_000), "Plain HTTP is answered.")
        except ConnectionResetError:
            pass
    expect(curl(port, "/healthz", made)[0] == 0, "The server does not go on.")


def slow(port, made):
    """Handshakes that are begun and not ended are cut off, and keep nobody out."""
    clients = [socket.create_connection(("127.0.0.1", port), 10) for _ in range(200)]
    for client in clients[::2]:
        client.sendall(b"\x16\x03\x01\x02\x00\x01")
    expect(curl(port, "/healthz", made)[0] == 0, "Half-open handshakes keep others out.")
    ended = 0
    end = time.monotonic() + 25
    for client in clients:
        client.settimeout(max(0.1, end - time.monotonic()))
        try:
            ended += client.recv(100) in (b"",)
        except ConnectionResetError:
            ended += 1
        except TimeoutError:
            pass
        client.close()
    expect(ended == len(clients), f"Only {ended} of {len(clients)} half-open handshakes were ended within 25 s.")


def renew(port, made, used, other, other_key, folder, token):
    """A new certificate is taken while connections stay; a bad one is not."""
    context = ssl.create_default_context(cafile=str(made))
    kept = http.client.HTTPSConnection("localhost", port, timeout=20, context=context)

    def ask():
        kept.request("GET", "/healthz")
        answer = kept.getresponse()
        answer.read()
        return answer.status

    expect(ask() == 200, "The first connection is not served.")
    stopping = threading.Event()
    faults = []

    def load():
        path = f"/database/1/{CONTAINER}/development/public/users/caller?ckAPIToken={token}"
        worker = http.client.HTTPSConnection(
            "localhost", port, timeout=20, context=ssl.create_default_context(cafile=str(folder / "first.pem")))
        while not stopping.is_set():
            try:
                worker.request("GET", path)
                worker.getresponse().read()
            except Exception as fault:
                return faults.append(fault)

    threads = [threading.Thread(target=load) for _ in range(4)]
    for thread in threads:
        thread.start()
    try:
        expect(name_of(port) == "first", "Another certificate is served.")
        used.write_bytes(other_key.read_bytes())
        made.write_bytes(other.read_bytes())
        wait_for("The new certificate is not taken.", lambda: name_of(port) == "second")
        expect(ask() == 200, "A connection did not survive the renewal.")
        made.write_bytes(b"nothing")
        wait_for("A bad certificate is not told.", lambda: "cannot be used" in (folder / "server.log").read_text())
        expect(name_of(port) == "second" and ask() == 200, "A bad certificate ended the service.")
        made.write_bytes(other.read_bytes())
        wait_for("The good certificate is not served again.", lambda: curl(port, "/healthz", other)[0] == 0)
    finally:
        stopping.set()
        for thread in threads:
            thread.join(30)
    expect(not faults, f"Requests broke at the renewal: {faults[:1]}")


if __name__ == "__main__":
    main(body)
