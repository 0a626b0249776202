#!/usr/bin/env python3
"""An app with strangers in it, from the first account to a program with a key: over TLS, on SQLite and then on PostgreSQL.

Ada makes an account by a mailed link; Bob comes in another browser with a provider (Glewlwyd). Bob likes Ada's post and may not
change it; an operator finds the refusal in the console, gives Bob a role there, and now he may; a program in Python signs with
a server key and reads what they wrote. The same command serves both.
"""

import email
import email.policy
import http.client
import json
import os
import re
import ssl
import subprocess
import time
import types
import urllib.parse

import accounts
import keys
import oidc
from accounts import CONTAINER, PAGE, PASSWORD, Browser, Forms, Operator, mail_library
from clusters import Cluster
from support import ROOT, Workplace, expect, free_port, main, make_token, run
from tls import certificate

SCHEMA = """DEFINE SCHEMA
    CREATE ROLE Editor;
    RECORD TYPE Post (
        "___recordID" REFERENCE QUERYABLE,
        text STRING,
        GRANT READ TO "_world",
        GRANT CREATE TO "_icloud",
        GRANT WRITE TO "_creator",
        GRANT WRITE TO Editor
    );
    RECORD TYPE Like (
        "___recordID" REFERENCE QUERYABLE,
        post REFERENCE QUERYABLE,
        GRANT READ TO "_world",
        GRANT CREATE TO "_icloud",
        GRANT WRITE TO "_creator"
    );
"""
CONSOLE = f"/console/c/{CONTAINER}/development"


class SecureBrowser(Browser):
    """A browser at https://localhost."""

    def request(self, method, path, form=None, headers=None):
        own = {"Origin": f"https://localhost:{self.port}"} if form is not None else {}
        return super().request(method, path, form, own | (headers or {}))


def speak_tls(made):
    """From here on the helpers of the other tests connect over TLS, and believe this certificate alone."""
    context = ssl.create_default_context(cafile=made)
    secure = types.SimpleNamespace(client=types.SimpleNamespace(
        HTTPConnection=lambda _, port, timeout: http.client.HTTPSConnection(
            "localhost", port, timeout=timeout, context=context)))
    accounts.http = keys.http = secure


class Mailbox:
    """A server for mails."""

    def __init__(self):
        controller, _ = mail_library()
        self.mails, self.port = [], free_port()
        self.server = controller.Controller(self, hostname="127.0.0.1", port=self.port)
        self.server.start()

    async def handle_DATA(self, _server, _session, envelope):
        self.mails.append(envelope)
        return "250 taken"

    def link(self, address):
        end = time.monotonic() + 30
        while time.monotonic() < end:
            for envelope in self.mails:
                if envelope.rcpt_tos == [address]:
                    text = email.message_from_bytes(envelope.content, policy=email.policy.default).get_content()
                    url = urllib.parse.urlsplit(re.search(r"https://\S+/link/\S+", text).group())
                    return f"{url.path}?{url.query}"
            time.sleep(0.05)
        raise AssertionError(f"no mail came to {address}")


class Service:
    """A server over TLS with its own data and store, and the tokens of an app."""

    def __init__(self, place, name, made, key, mailbox, store):
        self.port = free_port()
        self.options = ["--data", str(place.path / name), *store]
        os.environ["STRATUS_MAIL_SERVER"] = f"smtp://127.0.0.1:{mailbox.port}"
        try:
            self.server = place.start(
                "serve", name, self.port, "--tls-certificate", str(made), "--tls-key", str(key), "--mail-from",
                "players@example.org", *store)
        finally:
            del os.environ["STRATUS_MAIL_SERVER"]
        self.wait_until_ready()
        schema = place.path / "story.ckdb"
        schema.write_text(SCHEMA)
        self.run("schema", "import", "--file", str(schema))
        self.run("sign-in", "set", "open", "--title", "Players")
        self.token = make_token(place.path / name, CONTAINER, *store)

    def run(self, *arguments):
        return run(*arguments, "--container", CONTAINER, *self.options).stdout

    def wait_until_ready(self):
        end = time.monotonic() + 60
        while True:
            try:
                connection = accounts.http.client.HTTPConnection("", self.port, timeout=10)
                connection.request("GET", "/readyz")
                if connection.getresponse().status == 200:
                    return
            except OSError:
                expect(time.monotonic() < end and self.server.process.poll() is None, f"no start:\n{self.server.text}")
            time.sleep(0.05)

    def ask(self, endpoint, body, web):
        return accounts.api(self.port, self.token, endpoint, body, web)

    def modify(self, web, kind, record):
        """What became of one record."""
        status, answer = self.ask("records/modify", {"operations": [{"operationType": kind, "record": record}]}, web)
        expect(status == 200, f"records/modify was answered {status}: {answer}")
        return answer["records"][0]

    def sign_in_query(self):
        """What an app is sent to the page with."""
        status, answer = self.ask("users/caller", None, None)
        expect(status == 421, f"without a user: {status} {answer}")
        url = urllib.parse.urlsplit(answer["redirectURL"])
        expect(url.scheme == "https" and url.path == PAGE, f"the page is at {answer['redirectURL']}")
        return "?" + url.query


def ada_signs_up(service, mailbox):
    """By a mailed link; gives the token that the app gets."""
    phone, query = SecureBrowser(service.port), service.sign_in_query()
    page, _ = phone.get(PAGE + "/sign-up" + query)
    phone.fill(page, address="ada@example.org")
    page, _ = phone.get(mailbox.link("ada@example.org"))
    page, _ = phone.fill(page, password=PASSWORD)
    expect("You are signed in" in page.text, f"after choosing a password: {page.text}")
    page, _ = phone.get(PAGE + query)
    page, _ = phone.fill(page)
    return page.handover["data-token"]


def bob_comes_with_a_provider(service, glewlwyd):
    bob = glewlwyd.add("bob", "bob@example.org")
    browser, query = SecureBrowser(service.port), service.sign_in_query()
    page, _ = browser.get(PAGE + query)
    number = next(i for i, form in enumerate(page.forms) if form[0].startswith(PAGE + "/with"))
    page, headers = browser.fill(page, number, provider="glew")
    path = oidc.come_back(glewlwyd, bob, oidc.onward(page, headers))
    status, _, text = browser.request("GET", path, headers={"Sec-Fetch-Site": "cross-site"})
    expect(status == 200, f"coming back was answered {status}: {text[:500]}")
    return Forms(text).handover["data-token"]


def operator_gives_a_role(service, bob):
    operator = Operator(service.port, *service.options, origin=f"https://localhost:{service.port}")
    _, text = operator.request("GET", f"/console/requests?user={bob}&failed=1")
    found = re.search(r'href="(/console/requests/[^"]+)"', text)
    expect(found, f"the refused request is not there: {text[:3000]}")
    _, text = operator.request("GET", found.group(1))
    expect("ACCESS_DENIED" in text and bob in text, f"the request does not say why: {text[:3000]}")
    # The log is written beside the request.
    end = time.monotonic() + 30
    while True:
        _, text = operator.request("GET", "/console/audit")
        if "record.refused" in text or "was refused a write" in text:
            break
        expect(time.monotonic() < end, f"the refused change is not in the audit log: {text[:3000]}")
        time.sleep(0.2)
    expect(f"{bob}: Post post" in text, f"the audit log does not say who was refused what: {text[:3000]}")
    _, text = operator.request("GET", CONSOLE + "/users")
    csrf = re.search(r'name="csrf" value="([^"]+)"', text).group(1)
    status, text = operator.request("POST", CONSOLE + "/roles/give", {"csrf": csrf, "user": bob, "role": "Editor"})
    expect(status == 303, f"giving the role was answered {status}: {text[:500]}")
    _, text = operator.request("GET", "/console/audit")
    expect("role.give" in text and bob in text, "the audit log does not say who gave the role")


def tell(place, name, made, key, mailbox, glewlwyd, store):
    service = Service(place, name, made, key, mailbox, store)
    secret = place.path / "secret.txt"
    secret.write_text(oidc.SECRET + "\n")
    ada = ada_signs_up(service, mailbox)
    provider = glewlwyd([f"https://localhost:{service.port}{oidc.RETURN}"])
    try:
        service.run("sign-in", "provider", "add", "glew", "--title", "Glewlwyd", "--client-id", oidc.CLIENT,
                    "--secret-file", str(secret), "--issuer", provider.issuer)
        bob = bob_comes_with_a_provider(service, provider)
    finally:
        provider.stop()
    names = [service.ask("users/caller", None, web)[1]["userRecordName"] for web in (ada, bob)]
    expect(names[0] != names[1], "two people are one")
    post = service.modify(ada, "create", {
        "recordName": "post", "recordType": "Post", "fields": {"text": {"value": "Ada's"}}})
    expect(post.get("recordChangeTag"), f"Ada's post: {post}")
    like = service.modify(bob, "create", {"recordName": "like", "recordType": "Like", "fields": {
        "post": {"value": {"recordName": "post", "action": "DELETE_SELF"}}}})
    expect(like["created"]["userRecordName"] == names[1], f"Bob's like: {like}")
    change = {"recordName": "post", "recordType": "Post", "fields": {"text": {"value": "Bob's"}}}
    refused = service.modify(bob, "forceUpdate", change)
    expect(refused.get("serverErrorCode") == "ACCESS_DENIED", f"Bob changed Ada's post: {refused}")
    operator_gives_a_role(service, names[1])
    # Servers remember for five seconds whose roles are whose.
    end = time.monotonic() + 30
    while "serverErrorCode" in (changed := service.modify(bob, "forceUpdate", change)):
        expect(time.monotonic() < end, f"the role does not count: {changed}")
        time.sleep(0.2)
    expect(changed["fields"]["text"]["value"] == "Bob's", f"what Bob wrote: {changed}")

    private, public = place.path / f"{name}.pem", place.path / f"{name}.pub"
    keys.openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", str(private))
    keys.openssl("ec", "-in", str(private), "-pubout", "-out", str(public))
    key_id = service.run("key", "create", "--name", "nightly", "--public-key", str(public)).strip()
    signer = keys.Signer(service.port, private, key_id)
    path = f"/database/1/{CONTAINER}/development/public/"
    status, answer = signer.send("records/lookup", {"records": [{"recordName": "post"}, {"recordName": "like"}]}, path=path)
    expect(status == 200 and [row["recordType"] for row in answer["records"]] == ["Post", "Like"],
           f"the program reads: {status} {json.dumps(answer)[:500]}")
    service.server.process.terminate()
    expect(service.server.wait(20) == 0, "the server did not end well")


def check():
    with Workplace("story") as place:
        os.chmod(place.path, 0o711)
        made, key = certificate(place.path, "localhost")
        speak_tls(made)
        cluster = Cluster(place.path / "pg")
        try:
            for name, store in (("sqlite", []), ("postgres", ["--store", cluster.url])):
                folder = place.path / f"provider-{name}"
                folder.mkdir()
                mailbox = Mailbox()
                try:
                    tell(place, name, made, key, mailbox,
                         lambda redirects, folder=folder: oidc.Glewlwyd(folder, free_port(), redirects), store)
                finally:
                    mailbox.server.stop()
        finally:
            for server in place.servers:
                server.kill()
            subprocess.run([ROOT / "scripts/postgres.sh", "stop", cluster.folder], check=False)
    print("story: strangers sign up, like, are refused and get a role; a program reads it; on SQLite and on PostgreSQL")


if __name__ == "__main__":
    main(check)
