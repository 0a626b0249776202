#!/usr/bin/env python3
"""Accounts and the sign-in page over real HTTP, as a person with a browser that runs no scripts.

- an app that needs a user is told where the sign-in page is;
- signing up by a mailed link, signing in, going on to the app with a token that reads private records;
- mails go to a real server for mails on loopback (aiosmtpd), with TLS and a password, or the links are in the log;
- a link is good once; passwords, addresses and sessions are changed and ended by who may;
- a second step by codes of an app, or by recovery codes;
- forms of others, unknown apps, foreign origins and callbacks get nothing.
"""

import base64
import hashlib
import hmac
import email
import email.policy
import html.parser
import http.client
import importlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import urllib.parse

from support import ROOT, Workplace, expect, free_port, main, make_token, run

CONTAINER = "iCloud.accounts"
PAGE = f"/sign-in/{CONTAINER}/development"
PASSWORD = "a raven of 1845"
POLICY = ("default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'self'")


def mail_library():
    """aiosmtpd, from a virtual environment of the tests."""
    folder = ROOT / ".build/mail-venv"
    python = folder / "bin/python"
    if not python.exists() or subprocess.run(
            [python, "-c", "import aiosmtpd"], capture_output=True, check=False).returncode != 0:
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run(
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "aiosmtpd==1.4.*"], check=True)
    sys.path += [str(path) for path in folder.glob("lib/python*/site-packages")]
    return importlib.import_module("aiosmtpd.controller"), importlib.import_module("aiosmtpd.smtp")


class Forms(html.parser.HTMLParser):
    """The forms of a page, its texts, and what it links to."""

    def __init__(self, text):
        super().__init__()
        self.forms, self.links, self.text, self.handover, self.language = [], [], "", None, None
        self.labels, self.ids = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        if "id" in values:
            self.ids.append(values["id"])
        if tag == "html":
            self.language = values.get("lang")
        elif tag == "form":
            self.forms.append((values["action"], {}))
        elif tag == "input" and values.get("type") != "checkbox":
            self.forms[-1][1][values["name"]] = values.get("value", "")
        elif tag == "a":
            self.links.append(values["href"])
        elif tag == "label" and "for" in values:
            self.labels.add(values["for"])
        elif values.get("id") == "handover":
            self.handover = values

    def handle_data(self, data):
        self.text += data


class Browser:
    """A browser that keeps cookies and follows redirections within the server."""

    def __init__(self, port, language="en"):
        self.port, self.cookies, self.language = port, {}, language

    def request(self, method, path, form=None, headers=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=180)
        fields = {"Accept": "text/html", "Accept-Language": self.language, "User-Agent": "Firefox/140 Linux"}
        if self.cookies:
            fields["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        body = None
        if form is not None:
            body = urllib.parse.urlencode(form)
            fields |= {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin",
                       "Origin": f"http://127.0.0.1:{self.port}"}
        try:
            connection.request(method, path, body, fields | (headers or {}))
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                cookie, *attributes = value.split("; ")
                expect("HttpOnly" in attributes and "SameSite=Lax" in attributes, f"a cookie is open: {value}")
                name, _, value = cookie.partition("=")
                self.cookies[name] = value
                if "Max-Age=0" in attributes:
                    del self.cookies[name]
        if "text/html" in (answer.getheader("Content-Type") or ""):
            policy = answer.getheader("Content-Security-Policy") or ""
            expect(all(part in policy for part in POLICY), f"{path} has the policy {policy}")
            expect(answer.getheader("Referrer-Policy") == "same-origin", f"{path} tells where it was opened from")
            expect(answer.getheader("Cache-Control") == "no-store", f"{path} may be kept")
            page = Forms(text)
            expect(len(page.ids) == len(set(page.ids)), f"{path} has an id twice: {page.ids}")
        return answer.status, answer.headers, text

    def get(self, path, status=200):
        found, headers, text = self.request("GET", path)
        expect(found == status, f"GET {path} was answered {found}: {text[:500]}")
        return Forms(text), headers

    def fill(self, page, number=0, status=200, headers=None, **values):
        """Sends a form of a page with some of its fields filled in."""
        action, fields = page.forms[number]
        found, answered, text = self.request("POST", action, fields | values, headers)
        expect(found == status, f"POST {action} was answered {found}, not {status}: {text[:800]}")
        return Forms(text), answered


class Operator:
    """Somebody who came into the console by a link that a command printed, and keeps cookies."""

    def __init__(self, port, *options, origin=None):
        self.port, self.cookies, self.origin = port, {}, origin or f"http://127.0.0.1:{port}"
        link = run("operator", "link", *options, "admin").stdout
        _, text = self.request("GET", re.search(r"(/console/enter/\S+)", link).group(1))
        status, text = self.request("POST", *Forms(text).forms[0])
        expect(status == 303, f"the link into the console was answered {status}: {text[:500]}")

    def request(self, method, path, form=None):
        """The status and the page, without following redirections."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        fields = {"Accept": "text/html", "Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if form is not None:
            fields |= {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin",
                       "Origin": self.origin}
        connection.request(method, path, None if form is None else urllib.parse.urlencode(form), fields)
        answer = connection.getresponse()
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                cookie, _, value = value.split(";")[0].partition("=")
                self.cookies[cookie] = value
        text = answer.read().decode()
        connection.close()
        return answer.status, text


def api(port, token, endpoint, body=None, web=None, database="public"):
    query = {"ckAPIToken": token} | ({"ckWebAuthToken": web} if web else {})
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=180)
    try:
        connection.request(
            "GET" if body is None else "POST",
            f"/database/1/{CONTAINER}/development/{database}/{endpoint}?{urllib.parse.urlencode(query)}",
            None if body is None else json.dumps(body))
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


class LoggedLinks:
    """Links that the server writes into its log."""

    def __init__(self, server):
        self.server, self.seen = server, {}

    def next(self, address, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            lines = [line for line in self.server.text.splitlines() if address in line and "/link/" in line]
            if len(lines) > self.seen.get(address, 0):
                self.seen[address] = len(lines)
                return re.search(r"(/sign-in/\S+?/link/[0-9a-f]{64}\?lang=\w\w)", lines[-1]).group(1)
            time.sleep(0.05)
        raise AssertionError(f"no link to {address} in the log:\n{self.server.text[-2000:]}")


def sign_up(browser, address, links, password=PASSWORD, query=""):
    page, _ = browser.get(PAGE + "/sign-up" + query)
    browser.fill(page, address=address)
    page, _ = browser.get(links.next(address))
    expect(address in page.text, f"the page of the link does not say for whom it is: {page.text}")
    return browser.fill(page, password=password)


def check_flow(port, server, token, callback_token):
    """From an app to the page and back."""
    status, answer = api(port, token, "users/caller")
    expect(status == 421 and answer["serverErrorCode"] == "AUTHENTICATION_REQUIRED", f"{status} {answer}")
    url = urllib.parse.urlsplit(answer["redirectURL"])
    expect(url.netloc == f"127.0.0.1:{port}" and url.path == PAGE, f"the page is at {answer['redirectURL']}")
    start = f"{url.path}?{url.query}"
    links = LoggedLinks(server)
    browser = Browser(port)
    page, _ = browser.get(start)
    expect("Players" in page.text and page.language == "en", "the page does not say what it is for")
    expect(page.labels >= {"address", "password"}, f"fields without labels: {page.labels}")

    done, _ = sign_up(browser, "ada@example.org", links, query=f"?{url.query}")
    expect("signed in" in done.text, f"after choosing a password: {done.text}")
    # The cookie of the page is no token of an app.
    cookie = next(value for name, value in browser.cookies.items() if name.startswith("stratus_user"))
    status, answer = api(port, token, "users/caller", web=cookie)
    expect(status == 401, f"the page's cookie was taken for a token: {status} {answer}")

    # In the app's window one click is left.
    page, _ = browser.get(start)
    expect("ada@example.org" in page.text, "the page does not know who is signed in")
    page, _ = browser.fill(page)
    web = page.handover["data-token"]
    origins = page.handover["data-origins"].split()
    expect(origins == [f"http://127.0.0.1:{port}"], f"the token is for {origins}")
    for endpoint in ("users/caller", "users/current"):
        status, answer = api(port, token, endpoint, web=web)
        expect(status == 200 and re.fullmatch("_[0-9a-f]{32}", answer["userRecordName"]), f"{endpoint}: {answer}")
    status, answer = api(port, token, "zones/list", web=web, database="private")
    expect(status == 200, f"the private database: {status} {answer}")

    # Only pages of the developer's own machine, or of the token's list, are told.
    for origin, isTold in (("http://localhost:3000", True), ("https://evil.example", False),
                           ("http://localhost.evil.example", False), ("http://localhost:3000.evil.example", False)):
        page, _ = browser.get(start + "&origin=" + urllib.parse.quote(origin, safe=""))
        page, _ = browser.fill(page)
        expect((origin in page.handover["data-origins"].split()) == isTold, f"{origin}: {page.handover}")

    # A callback comes from the API token, never from the address.
    other = Browser(port)
    page, _ = other.get(f"{PAGE}?ckAPIToken={callback_token}&callback=https://evil.example&to=https://evil.example")
    _, headers = other.fill(page, status=303, address="ada@example.org", password=PASSWORD)
    location = headers["Location"]
    expect(location.startswith("https://app.example.org/in?x=1&ckWebAuthToken="), f"sent to {location}")
    expect("https://app.example.org" in headers["Content-Security-Policy"], "the form may not lead to the callback")
    web2 = urllib.parse.parse_qs(urllib.parse.urlsplit(location).query)["ckWebAuthToken"][0]
    expect(api(port, callback_token, "users/caller", web=web2)[0] == 200, "the token of the callback is not good")
    expect(re.fullmatch(r"[A-Za-z0-9_-]{43}", web2), f"a token that has to be escaped: {web2}")
    return browser, web, links


def check_refusals(port, links, token):
    browser = Browser(port)
    page, _ = browser.get(PAGE)
    texts = set()
    for address, password in (("ada@example.org", "wrong password"), ("nobody@example.org", PASSWORD)):
        wrong, _ = browser.fill(page, status=401, address=address, password=password)
        texts.add(wrong.text.replace(address, ""))
        expect("wrong" in wrong.text, f"a wrong password: {wrong.text}")
    expect(len(texts) == 1, f"an unknown address is told apart: {texts}")
    # Who asks for links is told the same.
    page, _ = browser.get(PAGE + "/forgotten")
    texts = {browser.fill(page, address=address)[0].text.replace(address, "")
             for address in ("ada@example.org", "nobody@example.org")}
    expect(len(texts) == 1, f"an unknown address is told apart: {texts}")
    # Forms of other sites, and of other browsers.
    page, _ = browser.get(PAGE)
    good = {"address": "ada@example.org", "password": PASSWORD}
    browser.fill(page, status=403, headers={"Sec-Fetch-Site": "cross-site"}, **good)
    browser.fill(page, status=403, headers={"Origin": "https://evil.example"}, **good)
    browser.fill(page, status=403, csrf="0" * 32, **good)
    stranger = Browser(port)
    stranger.fill(page, status=403, **good)
    stranger.get(PAGE)
    stranger.fill(page, status=403, **good)
    # Apps that are not known.
    page, _ = browser.get(PAGE + "?ckAPIToken=" + "0" * 64)
    expect("not known" in page.text, f"an unknown app: {page.text}")
    # Passwords that everybody tries.
    page, _ = browser.get(PAGE + "/sign-up")
    browser.fill(page, address="bob@example.org")
    link = links.next("bob@example.org")
    page, _ = browser.get(link)
    for password in ("short", "password123", "bob.example.org", "x" * 257):
        browser.fill(page, status=422, password=password)
    browser.fill(page, password=PASSWORD)
    browser.get(link, status=410)
    browser.fill(page, status=410, password="another raven")
    browser.get(PAGE + "/link/" + "0" * 64, status=410)
    # Links must not lead to whatever name a request says.
    status, _, text = browser.request("GET", PAGE + "/forgotten", headers={"Host": "evil.example"})
    expect(status == 403 and "--public-url" in text, f"a foreign name: {status} {text}")
    # Growing waits.
    browser = Browser(port)
    page, _ = browser.get(PAGE)
    codes = [browser.request("POST", page.forms[0][0], page.forms[0][1] | {
        "address": "eve@example.org", "password": "wrong password"})[0] for _ in range(8)]
    expect(codes[0] == 401 and codes[-1] == 429, f"attempts were answered {codes}")
    # That is nobody else's matter.
    browser.fill(page, status=303, address="bob@example.org", password=PASSWORD)


def check_account(port, browser, web, token, links, data):
    page, _ = browser.get(PAGE + "/account")
    expect("ada@example.org" in page.text and "Firefox, Linux" in page.text, f"the account's page: {page.text}")
    number = next(i for i, form in enumerate(page.forms) if form[0].startswith(PAGE + "/account/password"))
    browser.fill(page, number, status=401, current="wrong password", password="another raven")
    browser.fill(page, number, current=PASSWORD, password="another raven")
    status, answer = api(port, token, "users/caller", web=web)
    expect(status == 421, f"a session outlived the change of the password: {status} {answer}")
    page, _ = browser.get(PAGE + "/account")
    number = next(i for i, form in enumerate(page.forms) if form[0].startswith(PAGE + "/account/address"))
    browser.fill(page, number, current="another raven", address="ada@new.example")
    confirm, _ = browser.get(links.next("ada@new.example"))
    browser.fill(confirm)
    page, _ = browser.get(PAGE + "/account")
    expect("ada@new.example" in page.text, "the address is not the new one")

    # Another browser is signed out from here, for whoever has the password.
    other = Browser(port)
    form, _ = other.get(PAGE)
    other.fill(form, status=303, address="ada@new.example", password="another raven")
    page, _ = browser.get(PAGE + "/account")
    number = next(i for i, form in enumerate(page.forms) if form[0].startswith(PAGE + "/account/end"))
    browser.fill(page, number, status=401, session="others", current="wrong password")
    other.get(PAGE + "/account")
    browser.fill(page, number, status=303, session="others", current="another raven")
    other.get(PAGE + "/account", status=303)

    options = ["--data", data, "--container", CONTAINER]
    sessions = json.loads(run("user", "sessions", "ada@new.example", "--json", *options).stdout)
    expect(len(sessions) == 1 and sessions[0]["label"] == "Firefox, Linux", f"sessions: {sessions}")
    run("user", "end", "ada@new.example", *options)
    browser.get(PAGE + "/account", status=303)
    listed = run("account", "list", "--data", data).stdout
    expect("ada@new.example" in listed and "bob@example.org" in listed, f"'account list' printed {listed}")
    first = run("account", "list", "--data", data, "--limit", "1", "--json")
    expect([row["address"] for row in json.loads(first.stdout)] == ["ada@new.example"], first.stdout)
    expect("--after ada@new.example" in first.stderr, f"nothing said that there are more: {first.stderr}")
    second = run("account", "list", "--data", data, "--after", "ada@new.example", "--json")
    expect([row["address"] for row in json.loads(second.stdout)][0] == "bob@example.org", second.stdout)
    run("account", "disable", "ada@new.example", "--data", data)
    page, _ = browser.get(PAGE)
    browser.fill(page, status=401, address="ada@new.example", password="another raven")
    run("account", "enable", "ada@new.example", "--data", data)
    browser.fill(page, status=303, address="ada@new.example", password="another raven")
    page, _ = browser.get(PAGE + "/account")
    browser.fill(page, 0, status=303)
    browser.get(PAGE + "/account", status=303)
    run("account", "remove", "ada@new.example", "--data", data)
    page, _ = browser.get(PAGE)
    browser.fill(page, status=401, address="ada@new.example", password="another raven")


def one_time_code(key, step):
    """RFC 6238, written again."""
    digest = hmac.new(base64.b32decode(key + "=" * (-len(key) % 8)), step.to_bytes(8, "big"), hashlib.sha1).digest()
    start = digest[-1] & 15
    return f"{(int.from_bytes(digest[start:start + 4], 'big') & 0x7fffffff) % 1000000:06}"


def check_second_step(port, token):
    """A code of an app beside the password, and recovery codes without the app."""
    browser = Browser(port)
    page, _ = browser.get(PAGE)
    browser.fill(page, status=303, address="bob@example.org", password=PASSWORD)

    def form(page, action):
        return next(i for i, form in enumerate(page.forms) if form[0].startswith(PAGE + action))

    page, _ = browser.get(PAGE + "/account")
    browser.fill(page, form(page, "/account/second"), status=401, current="wrong password")
    page, _ = browser.fill(page, form(page, "/account/second"), current=PASSWORD)
    key = re.search(r"\b([A-Z2-7]{4} ){7}[A-Z2-7]{4}\b", page.text).group().replace(" ", "")
    expect(any(link.startswith("otpauth://totp/Players:bob@example.org?") and key in link for link in page.links),
           f"no link for an app: {page.links}")
    browser.fill(page, status=422, code="123")
    step = int(time.time()) // 30
    page, _ = browser.fill(page, code=one_time_code(key, step))
    codes = re.findall(r"\b(?:[a-z2-7]{4}-){3}[a-z2-7]{4}\b", page.text)
    expect(len(codes) == 10, f"recovery codes: {page.text}")

    other = Browser(port)
    page, _ = other.get(f"{PAGE}?ckAPIToken={token}")
    page, _ = other.fill(page, address="bob@example.org", password=PASSWORD)
    expect("Second step" in page.text and not any(name.startswith("stratus_user") for name in other.cookies),
           f"the password alone let in: {page.text}")
    other.fill(page, status=401, code="000000" if one_time_code(key, step) != "000000" else "000001")
    other.fill(page, status=401, code=one_time_code(key, step))
    # The next one of the app: clocks may differ by a step.
    done, _ = other.fill(page, code=one_time_code(key, step + 1))
    expect(done.handover, f"after the second step: {done.text}")
    status, answer = api(port, token, "users/caller", web=done.handover["data-token"])
    expect(status == 200, f"the token: {status} {answer}")

    third = Browser(port)
    page, _ = third.get(PAGE)
    step_page, _ = third.fill(page, address="bob@example.org", password=PASSWORD)
    third.fill(step_page, status=303, code=codes[0].upper())
    fourth = Browser(port)
    page, _ = fourth.get(PAGE)
    step_page, _ = fourth.fill(page, address="bob@example.org", password=PASSWORD)
    fourth.fill(step_page, status=401, code=codes[0])
    page, _ = third.get(PAGE + "/account")
    expect("Recovery codes left: 9" in page.text, f"the account's page: {page.text}")
    third.fill(page, form(page, "/account/second-off"), status=303, current=PASSWORD, code=codes[1])
    page, _ = fourth.get(PAGE)
    fourth.fill(page, status=303, address="bob@example.org", password=PASSWORD)


def check_policies(port, data):
    """Operators make accounts unless they say otherwise."""
    options = ["--data", data, "--container", "iCloud.closed"]
    page = f"/sign-in/iCloud.closed/development"
    browser = Browser(port)
    sign_up_page, _ = browser.get(page + "/sign-up")
    expect(not sign_up_page.forms and "invitation" in sign_up_page.text, f"a closed container: {sign_up_page.text}")
    link = run("account", "invite", "cleo@example.org", "--url", f"http://127.0.0.1:{port}", *options).stdout.strip()
    form, _ = browser.get(urllib.parse.urlsplit(link).path)
    browser.fill(form, password=PASSWORD)
    run("sign-in", "set", "invited", "--invite", "@example.org", "--title", "Closed <&>", *options)
    expect("@example.org" in run("sign-in", "show", *options).stdout, "'sign-in show' does not show it")
    form, _ = browser.get(page + "/sign-up")
    expect("Closed <&>" in form.text and len(form.forms) == 1, f"an invited domain: {form.text}")
    bad = run("sign-in", "set", "everybody", *options, check=False)
    expect(bad.returncode != 0, "'sign-in set everybody' was taken")


def check_languages(port):
    for wanted, language, word in (("de-AT,de;q=0.9,en;q=0.5", "de", "Anmelden"), ("ja", "ja", "サインイン"),
                                   ("xx, fr;q=0.8, es;q=0.9", "es", "Iniciar sesión"), ("", "en", "Sign in"),
                                   ("fr", "fr", "Se connecter"), ("q=;;,,*", "en", "Sign in")):
        page, headers = Browser(port, wanted).get(PAGE)
        expect(page.language == language and word in page.text, f"{wanted}: {page.language} {page.text}")
        expect(headers["Content-Language"] == language, f"{wanted}: {headers['Content-Language']}")
    page, _ = Browser(port, "de").get(PAGE + "?lang=fr")
    expect(page.language == "fr", "the chosen language does not count")


def certificate(place):
    key, cert = place.path / "mail.key", place.path / "mail.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-keyout", str(key), "-out", str(cert), "-subj", "/CN=mail", "-addext", "subjectAltName=IP:127.0.0.1"],
        check=True, capture_output=True)
    return key, cert


def check_mail(place):
    """Mails over TLS, to a server that asks for a password."""
    import ssl

    controller, smtp = mail_library()
    key, cert = certificate(place)
    mails = []

    class Handler:
        async def handle_DATA(self, _server, _session, envelope):
            mails.append(envelope)
            return "250 taken"

    def authenticate(_server, _session, _envelope, _mechanism, data):
        isRight = (data.login, data.password) == (b"stratus", b"p@ss:word")
        return smtp.AuthResult(success=isRight, handled=False)

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(cert, key)
    mail_port = free_port()
    server_of_mails = controller.Controller(
        Handler(), hostname="127.0.0.1", port=mail_port, tls_context=context, require_starttls=True,
        authenticator=authenticate, auth_required=True)
    server_of_mails.start()
    port = free_port()
    os.environ["STRATUS_MAIL_SERVER"] = f"smtp://stratus:p%40ss%3Aword@127.0.0.1:{mail_port}"
    try:
        server = place.start(
            "serve", "mailing", port, "--mail-certificates", str(cert), "--mail-from", "Spieler ü <players@example.org>")
    finally:
        del os.environ["STRATUS_MAIL_SERVER"]
    try:
        server.wait_until_ready()
        data = str(place.path / "mailing")
        run("sign-in", "set", "open", "--title", "Spieler\u00a0für alle", "--data", data, "--container", CONTAINER)
        browser = Browser(port, "de")
        page, _ = browser.get(PAGE + "/sign-up")
        sent, _ = browser.fill(page, address="ada@example.org")
        expect("unterwegs" in sent.text, f"after asking for a link: {sent.text}")
        end = time.monotonic() + 30
        while not mails and time.monotonic() < end:
            time.sleep(0.05)
        expect(mails, f"no mail came:\n{server.text[-2000:]}")
        envelope = mails[0]
        expect(envelope.rcpt_tos == ["ada@example.org"] and envelope.mail_from == "players@example.org",
               f"{envelope.mail_from} {envelope.rcpt_tos}")
        mail = email.message_from_bytes(envelope.content, policy=email.policy.default)
        expect(mail["Subject"] == "Ihr Konto für Spieler\u00a0für alle", f"the subject is {mail['Subject']!r}")
        expect("Spieler ü" in mail["From"], f"it is from {mail['From']!r}")
        link = re.search(r"http://\S+/link/[0-9a-f]{64}\?lang=de", mail.get_content())
        expect(link, f"a mail without a link: {mail.get_content()}")
        expect(link.group() not in server.text and "ada@example.org" not in server.text, "the log has the link or address")
        path = urllib.parse.urlsplit(link.group())
        page, _ = browser.get(path.path + "?" + path.query)
        expect("Passwort" in page.text, f"the page of the link: {page.text}")
        browser.fill(page, password=PASSWORD)
        # Nobody who is unknown, or has asked too often, makes mails.
        page, _ = browser.get(PAGE + "/forgotten")
        browser.fill(page, address="nobody@example.org")
        for _ in range(12):
            browser.fill(page, address="ada@example.org")
        time.sleep(2)
        expect(1 < len(mails) <= 6, f"{len(mails)} mails were sent")
        expect({tuple(mail.rcpt_tos) for mail in mails} == {("ada@example.org",)}, "a stranger got a mail")
    finally:
        server_of_mails.stop()


def check():
    with Workplace("accounts") as place:
        port = free_port()
        server = place.start("serve", "data", port)
        server.wait_until_ready()
        data = str(place.path / "data")
        run("sign-in", "set", "open", "--title", "Players", "--data", data, "--container", CONTAINER)
        token = make_token(data, CONTAINER)
        callback = make_token(data, CONTAINER, "--callback", "https://other.example.org/in")
        for wrong in (["--callback", "javascript:alert(1)"], ["--callback", "http://example.org"],
                      ["--origin", "https://example.org/path"], ["--callback", "data:text/html,x"]):
            done = run("token", "create", "--data", data, "--container", CONTAINER, *wrong, check=False)
            expect(done.returncode != 0, f"'token create {' '.join(wrong)}' was taken")
        run("token", "set", callback, "--callback", "https://app.example.org/in?x=1", "--data", data, "--container", CONTAINER)
        browser, web, links = check_flow(port, server, token, callback)
        check_refusals(port, links, token)
        check_account(port, browser, web, token, links, data)
        check_second_step(port, token)
        check_policies(port, data)
        check_languages(port)
        check_mail(place)
    print("accounts: people make accounts, sign in, and go back to their apps")


if __name__ == "__main__":
    main(check)
