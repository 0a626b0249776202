#!/usr/bin/env python3
"""The guide Documentation/Internet.md, followed from an empty folder: its commands run in their order and print what it says.

The name of the guide stands for this machine, with a certificate of the test's own, a port that is free and a mail server of the test's
own. At the end two people have accounts over TLS: one by the invitation's link, one by a mailed link.
"""

import http.client
import json
import os
import pathlib
import re
import ssl
import subprocess
import types

import accounts
from accounts import PASSWORD, Browser
from story import Mailbox
from support import ROOT, Workplace, expect, free_port, main, stratus

GUIDE = ROOT / "Documentation/Internet.md"
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAME = "records.example.org"
PAGE = "/sign-in/iCloud.com.example.players/production"


def certificate(folder):
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90",
         "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", folder / "key.pem",
         "-out", folder / "chain.pem"], check=True, capture_output=True)


def says(output, promised, command):
    """Every promised line is there; an ellipsis stands for what differs each time."""
    for line in promised.splitlines():
        pattern = ".*".join(re.escape(part) for part in line.split("…"))
        expect(re.search(f"^{pattern}$", output, re.MULTILINE), f"{command}\nprints no line '{line}':\n{output}")


def sign_up_on_a_phone(port, folder, link):
    context = ssl.create_default_context(cafile=folder / "chain.pem")
    # The helper's browser, over TLS.
    accounts.http = types.SimpleNamespace(client=types.SimpleNamespace(
        HTTPConnection=lambda _, port, timeout: http.client.HTTPSConnection(
            "localhost", port, timeout=timeout, context=context)))
    phone = Browser(port)
    page, _ = phone.get(PAGE)
    expect("Players" in page.text, f"the page does not name the app: {page.text}")
    page, _ = phone.get(link)
    expect("ada@example.org" in page.text, f"the link's page: {page.text}")
    own = {"Origin": f"https://localhost:{port}"}
    page, _ = phone.fill(page, headers=own, password=PASSWORD)
    expect("You are signed in" in page.text, f"after choosing a password: {page.text}")
    page, _ = phone.get(PAGE + "/account")
    expect("Signed in as ada@example.org" in page.text, f"the account: {page.text}")


def sign_up_by_mail(port, mailbox):
    own = {"Origin": f"https://localhost:{port}"}
    phone = Browser(port)
    page, _ = phone.get(PAGE + "/sign-up")
    phone.fill(page, headers=own, address="bob@example.org")
    page, _ = phone.get(mailbox.link("bob@example.org"))
    page, _ = phone.fill(page, headers=own, password=PASSWORD)
    expect("You are signed in" in page.text, f"after the mailed link: {page.text}")


def check():
    with Workplace("internet") as place:
        folder = place.path / "empty"
        folder.mkdir()
        port = free_port()
        address = f"localhost:{port}"
        certificate(folder)
        blocks = BLOCK.findall(GUIDE.read_text())
        [settings] = [json.loads(text) for language, text in blocks if language == "json"]
        expect(NAME in settings["publicURL"], f"the guide's name is not {NAME}")
        settings |= {
            "host": "127.0.0.1", "port": port, "publicURL": f"https://{address}", "tlsKey": "key.pem",
            "tlsCertificate": "chain.pem", "backupTo": str(place.path / "backups"),
        }
        del settings["redirectPort"]
        (folder / "stratus.json").write_text(json.dumps(settings))
        path = f"{pathlib.Path(stratus()).resolve().parent}:{os.environ['PATH']}"
        mailbox = Mailbox()
        environment = {
            "PATH": path, "HOME": str(place.path), "STRATUS_MAIL_SERVER": f"smtp://127.0.0.1:{mailbox.port}"}
        expect(any("stratus serve\n" == text for _, text in blocks), "the guide does not start the server")
        with open(place.path / "log", "w") as log:
            server = subprocess.Popen([stratus(), "serve"], cwd=folder, env=environment, stdout=log, stderr=log)
        try:
            said = ""
            while "listening" not in said:
                expect(server.poll() is None, f"the server ends:\n{said}")
                said = (place.path / "log").read_text()
            output, command, count = "", "", 0
            for language, text in blocks:
                if language == "sh":
                    command, count = text, count + 1
                    done = subprocess.run(
                        ["bash", "-e", "-c", text], cwd=folder, env=environment, capture_output=True, text=True,
                        timeout=60)
                    output = done.stdout + done.stderr
                    expect(done.returncode == 0, f"{text}\nends with {done.returncode}:\n{output}")
                elif language == "text":
                    says(output, text.replace(NAME, address), command)
            link = re.search(rf"https://{address}({PAGE}/link/\S+)", output).group(1)
            sign_up_on_a_phone(port, folder, link)
            sign_up_by_mail(port, mailbox)
        finally:
            server.terminate()
            server.wait(30)
            mailbox.server.stop()
    print(f"internet: {count} blocks of the guide do what it says, and two people have signed up over TLS, one by mail")


if __name__ == "__main__":
    main(check)
