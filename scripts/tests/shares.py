#!/usr/bin/env python3
"""Somebody without an account is invited to a share by mail, and comes in by the link, over real HTTP and a real server for mails.

- the mail goes out once, in the inviter's language, with a link that begins with the server's address;
- the link's page leads to signing up, and the mailed link of the account leads back to it;
- accepting and leaving are seen by the owner; links and addresses are in no log.
"""

import email
import email.policy
import json
import os
import re
import time
import urllib.request

from accounts import PASSWORD, Browser, mail_library
from support import Workplace, expect, free_port, main, make_token, run

CONTAINER = "iCloud.shares"
ZONE = {"zoneName": "Lists"}


class Owner:
    """Somebody's private database, of whose program people know the language."""

    def __init__(self, port, token, web):
        self.address = f"http://127.0.0.1:{port}/database/1/{CONTAINER}/development/private/%s?ckAPIToken={token}&ckWebAuthToken={web}"

    def ask(self, endpoint, **body):
        request = urllib.request.Request(
            self.address % endpoint, json.dumps(body).encode(), {"Accept-Language": "de-DE,de;q=0.9"})
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.load(answer)

    def save(self, kind, addresses, **record):
        people = [{"userIdentity": {"lookupInfo": {"emailAddress": address}}, "permission": "READ_ONLY"} for address in addresses]
        share = {"recordType": "cloudkit.share", "recordName": "share", "participants": people,
                 "fields": {"cloudkit.title": {"value": "Einkäufe"}}, **record}
        answer = self.ask("records/modify", zoneID=ZONE, operations=[{"operationType": kind, "record": share}])
        expect("serverErrorCode" not in answer["records"][0], f"the share was refused: {answer}")

    def standing(self):
        found = self.ask("records/lookup", zoneID=ZONE, records=[{"recordName": "share"}])
        return [person["acceptanceStatus"] for person in found["records"][0]["participants"][1:]]


class Post:
    """A server for mails that keeps what it is given."""

    def __init__(self):
        controller, _ = mail_library()
        self.mails, self.port = [], free_port()
        self.server = controller.Controller(self, hostname="127.0.0.1", port=self.port)
        self.server.start()

    async def handle_DATA(self, _server, _session, envelope):
        self.mails.append(envelope)
        return "250 taken"

    def mail(self, number, log):
        """The mail of a number, once it is there: its receiver, its subject and its text."""
        end = time.monotonic() + 60
        while len(self.mails) <= number and time.monotonic() < end:
            time.sleep(0.05)
        expect(len(self.mails) > number, f"mail {number} did not come:\n{log()[-2000:]}")
        mail = email.message_from_bytes(self.mails[number].content, policy=email.policy.default)
        return self.mails[number].rcpt_tos, mail["Subject"], mail.get_content()


def check():
    post = Post()
    os.environ["STRATUS_MAIL_SERVER"] = f"smtp://127.0.0.1:{post.port}"
    try:
        with Workplace("shares") as place:
            port = free_port()
            address = f"http://127.0.0.1:{port}"
            server = place.start("serve", "data", port, "--public-url", address, "--mail-from", "lists@example.org")
            server.wait_until_ready()
            story(port, address, server, post, str(place.path / "data"))
    finally:
        del os.environ["STRATUS_MAIL_SERVER"]
        post.server.stop()
    print("shares: somebody is invited by mail, makes an account on the way, accepts, looks and leaves")


def story(port, address, server, post, data):
    options = ("--data", data, "--container", CONTAINER)
    run("sign-in", "set", "open", "--title", "Listen", *options)
    run("user", "add", "olga", *options)
    owner = Owner(port, make_token(data, CONTAINER), make_token(data, CONTAINER, "--user", "olga"))
    owner.ask("zones/modify", operations=[{"operationType": "create", "zone": {"zoneID": ZONE}}])
    owner.ask("records/modify", zoneID=ZONE, operations=[{"operationType": "create", "record": {
        "recordType": "List", "recordName": "root", "createShortGUID": True, "fields": {"name": {"value": "Brot & Käse"}}}}])
    owner.save("create", ["ben@example.org"], forRecord={"recordName": "root"})
    receivers, subject, text = post.mail(0, lambda: server.text)
    expect(receivers == ["ben@example.org"] and "Einkäufe" in subject, f"{receivers} {subject}")
    expect("lädt Sie in Listen zu" in text, f"the mail says: {text}")
    link = re.search(re.escape(address) + r"(/share/0sT[\w-]{22})\s", text)
    expect(link, f"a mail without a link: {text}")

    browser = Browser(port, "de")
    status, headers, _ = browser.request("GET", link.group(1))
    expect(status == 303, f"the link was answered {status}")
    start = headers["Location"].replace(address, "")
    page, _ = browser.get(start)
    expect("Einkäufe" not in page.text, "the page tells a stranger what the share is called")
    entrance = next(there for there in page.links if "/sign-up" in there)
    page, _ = browser.get(entrance)
    browser.fill(page, address="ben@example.org")
    _, _, text = post.mail(1, lambda: server.text)
    account = re.search(re.escape(address) + r"(/\S+/link/[0-9a-f]{64}\?\S+)", text)
    page, _ = browser.get(account.group(1))
    _, headers = browser.fill(page, status=303, password=PASSWORD)
    back = headers["Location"].replace(address, "")
    expect(link.group(1)[-25:] in back, f"after signing up the browser is sent to {back}")
    page, _ = browser.get(back)
    expect("Einkäufe" in page.text and "Brot" not in page.text, f"the page of the link: {page.text}")
    expect(owner.standing() == ["INVITED"], f"before accepting: {owner.standing()}")
    browser.fill(page, status=303)
    page, _ = browser.get(back)
    expect("Brot & Käse" in page.text and owner.standing() == ["ACCEPTED"], f"after accepting: {page.text}")
    browser.fill(page, status=303)
    page, _ = browser.get(back)
    expect("Brot" not in page.text and owner.standing() == ["UNSUBSCRIBED"], f"after leaving: {page.text}")

    # Nobody is told twice, and a container may have no such mails.
    owner.save("forceUpdate", ["ben@example.org", "cleo@example.org"])
    receivers, _, _ = post.mail(2, lambda: server.text)
    expect(receivers == ["cleo@example.org"], f"the second save told {receivers}")
    run("sign-in", "set", "--no-mail-invitations", *options)
    owner.save("forceUpdate", ["ben@example.org", "cleo@example.org", "dora@example.org"])
    run("sign-in", "set", "--mail-invitations", *options)
    owner.save("forceUpdate", ["ben@example.org", "cleo@example.org", "dora@example.org", "emil@example.org"])
    receivers, _, _ = post.mail(3, lambda: server.text)
    expect(receivers == ["emil@example.org"], f"the last save told {receivers}")
    for secret in (link.group(1)[-25:], "ben@example.org", account.group(1)):
        expect(secret not in server.text, "the log has a link or an address")


if __name__ == "__main__":
    main(check)
