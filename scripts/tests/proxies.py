#!/usr/bin/env python3
"""Stratus behind the real Caddy and nginx, with the configurations of Documentation/Deploy: records, large files up and
down, a sender that pauses, a server that refuses before it is sent a file, the console's live requests, and no token in
the proxy's log. Addresses and cookies are those of the public address, whatever a client claims in X-Forwarded-*.
"""

import contextlib
import http.client
import json
import os
import pathlib
import re
import shutil
import socket
import ssl
import subprocess
import threading
import time
import urllib.parse

from support import ROOT, Failure, Workplace, expect, free_port, main, make_token, run

CONTAINER = "iCloud.com.example.app"
DEPLOY = ROOT / "Documentation/Deploy"
FILE_BYTES = 20 << 20


def program(name, *packages):
    """A server's program: the installed one, or taken out of Debian's packages, so that nothing is started at boot."""
    found = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin")
    if found:
        return found
    folder = ROOT / ".build/proxies"
    for path in (folder / "usr/bin" / name, folder / "usr/sbin" / name):
        if path.exists():
            return str(path)
    folder.mkdir(parents=True, exist_ok=True)
    download = ["apt-get", "download", "-qq", *packages]
    if subprocess.run(download, cwd=folder, stderr=subprocess.DEVNULL).returncode != 0:
        # A new machine has no lists of packages yet.
        as_root = [] if os.geteuid() == 0 else ["sudo"]
        subprocess.run([*as_root, "apt-get", "update", "-qq"], check=True)
        subprocess.run(download, cwd=folder, check=True)
    for package in folder.glob("*.deb"):
        subprocess.run(["dpkg-deb", "--extract", str(package), str(folder)], check=True)
        package.unlink()
    return program(name, *packages)


def certificate(folder):
    key, text = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", str(key), "-out", str(text)],
        check=True, capture_output=True)
    return key, text


def nginx(folder, port, server_port):
    """The page's configuration with this machine's ports and files."""
    key, text = certificate(folder)
    site = (DEPLOY / "nginx.conf").read_text()
    # The second server only leads from http to https.
    site = site[:site.rindex("\nserver {")]
    site = re.sub(r"listen \[::\].*\n", "", site).replace("listen 443", f"listen 127.0.0.1:{port}")
    site = re.sub(r"ssl_certificate .*;", f"ssl_certificate {text};", site)
    site = re.sub(r"ssl_certificate_key .*;", f"ssl_certificate_key {key};", site)
    site = site.replace("/var/log/nginx/stratus.log", f"{folder}/proxy.log")
    site = site.replace("127.0.0.1:8080", f"127.0.0.1:{server_port}").replace("records.example.org", "localhost")
    temporary = "".join(f"{name}_temp_path {folder}/{name};\n" for name in
                        ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    (folder / "nginx.conf").write_text(
        f"pid {folder}/pid; daemon off; user root; events {{}}\nhttp {{\n{temporary}{site}}}\n")
    command = [program("nginx", "nginx"), "-c", f"{folder}/nginx.conf", "-e", f"{folder}/proxy.log"]
    return command, {}, ssl.create_default_context(cafile=str(text))


def caddy(folder, port, server_port):
    key, text = certificate(folder)
    site = (DEPLOY / "Caddyfile").read_text()
    # Without an API for its settings and without a second port, both of which others on this machine may have taken.
    site = site.replace("{\n", "{\n\tadmin off\n\tauto_https disable_redirects\n", 1)
    site = site.replace("records.example.org {", f"https://localhost:{port} {{\n\ttls {text} {key}")
    site = site.replace("127.0.0.1:8080", f"127.0.0.1:{server_port}")
    (folder / "Caddyfile").write_text(site)
    command = [program("caddy", "caddy"), "run", "--config", f"{folder}/Caddyfile", "--adapter", "caddyfile"]
    return command, {"HOME": str(folder), "XDG_DATA_HOME": str(folder)}, ssl.create_default_context(cafile=str(text))


@contextlib.contextmanager
def running(make, folder, port, server_port):
    folder.mkdir()
    command, environment, context = make(folder, port, server_port)
    with open(folder / "proxy.log", "ab") as log:
        process = subprocess.Popen(
            command, stdout=log, stderr=log, stdin=subprocess.DEVNULL, env=os.environ | environment)
    try:
        start = time.monotonic()
        while True:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            expect(process.poll() is None and time.monotonic() - start < 20,
                   f"{command[0]} does not start:\n{(folder / 'proxy.log').read_text()}")
            time.sleep(0.05)
        yield context
    finally:
        process.terminate()
        process.wait(20)


class Browser:
    """Requests over TLS, as a client of the public address sends them."""

    def __init__(self, port, context):
        self.port, self.context = port, context

    def open(self, seconds=60):
        return http.client.HTTPSConnection("localhost", self.port, context=self.context, timeout=seconds)

    def ask(self, method, path, body=None, headers=None):
        connection = self.open()
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()


def check_records(browser, query):
    prefix = f"/database/1/{CONTAINER}/development/public/"
    record = {"recordName": "one", "recordType": "Note", "fields": {"text": {"value": "Grüße"}}}
    status, _, text = browser.ask("POST", f"{prefix}records/modify?{query}", json.dumps(
        {"operations": [{"operationType": "forceUpdate", "record": record}]}))
    expect(status == 200, f"saving was answered with {status}: {text[:500]}")
    status, _, text = browser.ask("POST", f"{prefix}records/query?{query}", '{"query": {"recordType": "Note"}}')
    names = [record["recordName"] for record in json.loads(text)["records"]]
    expect(status == 200 and "one" in names, f"the query was answered with {status}: {text[:500]}")


def upload_path(browser, query, address):
    """The path of an upload. Its address is the public one, whatever the client says of what stands in between."""
    prefix = f"/database/1/{CONTAINER}/development/public/"
    wish = {"tokens": [{"recordName": "photo", "recordType": "Photo", "fieldName": "file"}]}
    status, _, text = browser.ask(
        "POST", f"{prefix}assets/upload?{query}", json.dumps(wish),
        {"X-Forwarded-Host": "evil.example", "X-Forwarded-Proto": "http", "X-Forwarded-For": "10.0.0.1"})
    expect(status == 200, f"assets/upload was answered with {status}: {text[:500]}")
    url = json.loads(text)["tokens"][0]["url"]
    expect(url.startswith(address + "/"), f"the address of an upload is {url}, not below {address}")
    return urllib.parse.urlsplit(url).path


def check_files(browser, query, address):
    data = os.urandom(FILE_BYTES)
    status, _, text = browser.ask("POST", upload_path(browser, query, address), data)
    expect(status == 200, f"an upload of 20 MiB was answered with {status}: {text[:500]}")
    record = {"recordName": "photo", "recordType": "Photo", "fields": {"file": {"value": json.loads(text)["singleFile"]}}}
    prefix = f"/database/1/{CONTAINER}/development/public/"
    status, _, text = browser.ask("POST", f"{prefix}records/modify?{query}", json.dumps(
        {"operations": [{"operationType": "forceUpdate", "record": record}]}))
    expect(status == 200 and b"serverErrorCode" not in text, f"the record of the file: {status} {text[:500]}")
    url = json.loads(text)["records"][0]["fields"]["file"]["value"]["downloadURL"]
    expect(url.startswith(address + "/"), f"the address of a download is {url}")
    path = urllib.parse.urlsplit(url.replace("${f}", "photo.bin"))
    target = path.path + (f"?{path.query}" if path.query else "")
    status, _, whole = browser.ask("GET", target)
    expect(status == 200 and whole == data, f"the download was answered with {status} and {len(whole)} bytes")
    status, _, part = browser.ask("GET", target, headers={"Range": "bytes=1000-1999"})
    expect(status == 206 and part == data[1000:2000], f"a range was answered with {status} and {len(part)} bytes")


def check_pausing_sender(browser, path):
    """A sender that pauses for longer than a proxy waits for a connection is let go on."""
    connection = browser.open()
    connection.putrequest("POST", path)
    connection.putheader("Content-Length", "40000")
    connection.endheaders()
    connection.send(b"x" * 20_000)
    time.sleep(6)
    connection.send(b"x" * 20_000)
    answer = connection.getresponse()
    expect(answer.status == 200, f"a sender that paused was answered with {answer.status}")
    connection.close()


def check_refusal(browser):
    """An upload to an address that is none is refused from its head, and the answer reaches the client."""
    status, _, text = browser.ask("POST", "/assets/upload/none", b"x" * 1_000_000)
    expect(status in (400, 401, 403, 404), f"an upload nobody allowed was answered with {status}: {text[:200]}")


def check_console(browser, secret, address):
    """Signing in gives a cookie for TLS alone; requests appear in an open page as they come, not when it ends."""
    status, headers, _ = browser.ask(
        "POST", "/console/sign-in", urllib.parse.urlencode({"secret": secret}),
        {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin", "Origin": address})
    cookies = headers.get_all("Set-Cookie") or []
    cookie = next((cookie for cookie in cookies if cookie.startswith("stratus_session")), "")
    expect(status == 303 and "Secure" in cookie, f"signing in was answered with {status} and the cookie {cookie!r}")
    connection = browser.open()
    connection.request("GET", "/console/requests/live?after=0", headers={"Cookie": cookie.split(";")[0]})
    answer = connection.getresponse()
    expect(answer.status == 200, f"the live requests were answered with {answer.status}")
    lines = []
    reader = threading.Thread(target=lambda: lines.extend(iter(lambda: answer.fp.readline(), b"")), daemon=True)
    reader.start()
    time.sleep(0.5)
    marker = f"/database/1/{CONTAINER}/development/public/zones/list?ckAPIToken=none"
    begun = time.monotonic()
    browser.ask("GET", marker)
    while not any(b"zones/list" in line for line in lines):
        if time.monotonic() - begun > 5:
            raise Failure(f"a request does not appear within 5 s in the live page: {b''.join(lines)[-500:]}")
        time.sleep(0.02)
    connection.sock.close()
    return time.monotonic() - begun


def check(make, work):
    server_port, port = free_port(), free_port()
    address = f"https://localhost:{port}"
    name = make.__name__
    server = work.start("serve", f"data-{name}", server_port, "--public-url", address)
    server.wait_until_ready()
    run("user", "add", "ada", "--data", str(server.data), "--container", CONTAINER)
    tokens = make_token(server.data, CONTAINER), make_token(server.data, CONTAINER, "--user", "ada")
    secret = re.search(r"\b[0-9a-f]{64}\b", run("operator", "add", "ada", "--data", str(server.data)).stdout).group()
    query = urllib.parse.urlencode({"ckAPIToken": tokens[0], "ckWebAuthToken": tokens[1]})
    with running(make, work.path / name, port, server_port) as context:
        browser = Browser(port, context)
        check_records(browser, query)
        check_files(browser, query, address)
        check_pausing_sender(browser, upload_path(browser, query, address))
        check_refusal(browser)
        delay = check_console(browser, secret, address)
        server.kill()
        status, _, _ = browser.ask("GET", f"/database/1/{CONTAINER}/development/public/zones/list?{query}")
        expect(status == 502, f"without a server the proxy answers {status}")
    log = (work.path / name / "proxy.log").read_text(errors="replace")
    for token in (*tokens, secret):
        expect(token not in log, f"{name} writes tokens into its log")
    print(f"  {name}: records, {FILE_BYTES >> 20} MiB up and down, a live request after {delay * 1_000:.0f} ms, no token in the log")


def test():
    with Workplace("proxies") as work:
        for make in (nginx, caddy):
            check(make, work)


if __name__ == "__main__":
    main(test)
