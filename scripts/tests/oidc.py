#!/usr/bin/env python3
"""Signing in with a provider of OpenID Connect: Debian's Glewlwyd on loopback, which insists on PKCE.

- a first visit makes an account, a second one leads to the same user; an app gets its token;
- an equal mail address connects nothing: the owner does, by the password and the provider;
- only the browser that set out comes back, once; answers that come as a form do as well;
- who may come in is what the container's policy says;
- neither codes nor tokens nor secrets are in the log.
"""

import http.client
import html
import json
import pathlib
import re
import signal
import subprocess
import time
import urllib.parse

from accounts import CONTAINER, PAGE, PASSWORD, Browser, Forms, LoggedLinks, api, sign_up
from support import Workplace, expect, free_port, main, make_token, run

SECRET = "a-secret-of-the-client"
CLIENT = "stratus"
RETURN = PAGE + "/with/glew/return"
DATABASE = pathlib.Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")


class Person:
    """Somebody at Glewlwyd, with the cookies of it."""

    def __init__(self, port):
        self.port, self.cookies = port, {}

    def call(self, method, path, body=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Content-Type": "application/json"}
        if self.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        try:
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                cookie, _, value = value.split(";")[0].partition("=")
                self.cookies[cookie] = value
        return answer.status, answer.headers, text

    def done(self, method, path, body=None):
        status, _, text = self.call(method, "/api" + path, body)
        expect(status == 200, f"Glewlwyd answered {method} {path} with {status}: {text[:500]}")
        return text


class Glewlwyd:
    """The provider, with a database, a key and a client of its own."""

    def __init__(self, folder, port, redirects):
        self.port = port
        self.issuer = f"http://127.0.0.1:{port}/api/oidc"
        database, settings = folder / "glewlwyd.db", folder / "glewlwyd.conf"
        subprocess.run(["sqlite3", str(database)], input=DATABASE.read_text(), text=True, check=True)
        text = pathlib.Path("/etc/glewlwyd/glewlwyd.conf").read_text()
        for pattern, value in ((r"^port=.*", f'port={port}\nbind_address="127.0.0.1"'),
                               (r"^external_url=.*", f'external_url="http://127.0.0.1:{port}"'),
                               (r"^log_mode=.*", 'log_mode="console"'),
                               (r"^@include.*", f'database = {{ type = "sqlite3"; path = "{database}"; }};')):
            text, count = re.subn(pattern, value, text, flags=re.MULTILINE)
            expect(count == 1, f"Glewlwyd's settings have {count} lines like {pattern}")
        settings.write_text(text)
        self.log = open(folder / "glewlwyd.log", "wb")
        self.process = subprocess.Popen(
            ["glewlwyd", f"--config-file={settings}"], stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        end = time.monotonic() + 30
        while True:
            try:
                Person(port).call("GET", "/api/")
                break
            except OSError:
                expect(time.monotonic() < end and self.process.poll() is None, "Glewlwyd did not start")
                time.sleep(0.05)
        self.operator = Person(port)
        self.operator.done("POST", "/auth/", {"username": "admin", "password": "password"})
        self.set_up(folder, redirects)

    def set_up(self, folder, redirects):
        key = subprocess.run(["openssl", "genrsa", "2048"], capture_output=True, text=True, check=True).stdout
        public = subprocess.run(
            ["openssl", "rsa", "-pubout"], input=key, capture_output=True, text=True, check=True).stdout
        verified = {"name": "email_verified", "user-property": "email_verified", "type": "boolean",
                    "boolean-value-true": "1", "boolean-value-false": "0", "mandatory": True, "on-demand": False,
                    "scope": []}
        self.operator.done("POST", "/mod/plugin/", {
            "module": "oidc", "name": "oidc", "display_name": "oidc", "enabled": True, "parameters": {
                "iss": self.issuer, "jwt-type": "rsa", "jwt-key-size": "256", "key": key, "cert": public,
                "access-token-duration": 3600, "refresh-token-duration": 86400, "code-duration": 600,
                "refresh-token-rolling": True, "allow-non-oidc": False, "auth-type-code-enabled": True,
                "auth-type-token-enabled": False, "auth-type-id-token-enabled": True,
                "auth-type-none-enabled": False, "auth-type-password-enabled": False,
                "auth-type-client-enabled": False, "auth-type-device-enabled": False,
                "auth-type-refresh-enabled": True, "pkce-allowed": True, "pkce-required": True,
                "pkce-method-plain-allowed": False, "jwks-show": True, "subject-type": "public",
                "name-claim": "on-demand", "email-claim": "mandatory", "scope-claim": "no", "claims": [verified],
                "allowed-scope": ["openid"], "scope": []}})
        users = json.loads(self.operator.done("GET", "/mod/user/database"))
        users["parameters"]["data-format"]["email_verified"] = {
            "multiple": False, "read": True, "write": True, "profile-read": True, "profile-write": False}
        self.operator.done("PUT", "/mod/user/database", users)
        self.operator.done("PUT", "/mod/user/database/reset")
        self.operator.done("POST", "/client/?source=database", {
            "client_id": CLIENT, "name": "Stratus", "confidential": True, "password": SECRET,
            "client_secret": SECRET, "redirect_uri": redirects, "authorization_type": ["code"], "scope": [],
            "token_endpoint_auth_method": ["client_secret_basic"],
            "enabled": True})

    def add(self, name, address, verified=True):
        """Somebody who has signed in there and has let the client in."""
        self.operator.done("POST", "/user/?source=database", {
            "username": name, "name": name.title(), "email": address, "email_verified": "1" if verified else "0",
            "password": PASSWORD, "scope": ["openid"], "enabled": True})
        person = Person(self.port)
        person.done("POST", "/auth/", {"username": name, "password": PASSWORD})
        person.done("PUT", f"/auth/grant/{CLIENT}", {"scope": "openid"})
        return person

    def authorize(self, person, address):
        """What a person's browser gets for the address that Stratus sends it to."""
        url = urllib.parse.urlsplit(address)
        expect(f"{url.scheme}://{url.netloc}{url.path}" == self.issuer + "/auth", f"sent to {address}")
        query = urllib.parse.parse_qs(url.query)
        expect(query["code_challenge_method"] == ["S256"] and query["nonce"] and query["state"],
               f"sent with {url.query}")
        # Without pages of its own, Glewlwyd has to be told to go on.
        return person.call("GET", f"{url.path}?{url.query}&g_continue")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


def onward(page, headers):
    """Where a page sends the browser by itself."""
    expect(len(page.links) >= 1 and page.links[0].startswith("http://127.0.0.1:"), f"no way on: {page.links}")
    expect("form-action 'self'" in headers["Content-Security-Policy"], "forms may lead elsewhere")
    return page.links[0]


def depart(browser, query="", **values):
    """Presses the button of the provider."""
    page, _ = browser.get(PAGE + query)
    number = next(i for i, form in enumerate(page.forms) if form[0].startswith(PAGE + "/with"))
    expect("Continue with Glewlwyd" in page.text, f"no button: {page.text}")
    page, headers = browser.fill(page, number, provider="glew", **values)
    expect("You are being taken to Glewlwyd" in page.text, f"on the way: {page.text}")
    return onward(page, headers)


def come_back(glewlwyd, person, address):
    """The path to which Glewlwyd sends the browser back."""
    status, headers, text = glewlwyd.authorize(person, address)
    expect(status == 302, f"Glewlwyd answered {status}: {text[:500]}")
    back = urllib.parse.urlsplit(headers["Location"])
    expect(back.path == RETURN and "code=" in back.query, f"sent back to {headers['Location']}")
    return f"{back.path}?{back.query}"


def visit(browser, glewlwyd, person, query="", status=303, **values):
    """From the sign-in page to the provider and back."""
    path = come_back(glewlwyd, person, depart(browser, query, **values))
    found, headers, text = browser.request("GET", path, headers={"Sec-Fetch-Site": "cross-site"})
    expect(found == status, f"coming back was answered {found}: {text[:800]}")
    return Forms(text), headers, path


def check_commands(place, data, glewlwyd):
    options = ["--data", data, "--container", CONTAINER]
    secret = place.path / "secret.txt"
    secret.write_text(SECRET + "\n")
    add = ["sign-in", "provider", "add", "glew", "--title", "Glewlwyd", "--client-id", CLIENT, "--secret-file",
           str(secret), *options]
    for issuer in (glewlwyd.issuer + "/", glewlwyd.issuer + "x", "http://127.0.0.1:9/", "http://example.org", "nowhere"):
        done = run(*add, "--issuer", issuer, check=False)
        expect(done.returncode != 0 and SECRET not in done.stderr, f"the issuer {issuer} was taken: {done.stderr}")
    expect(RETURN in run(*add, "--issuer", glewlwyd.issuer).stdout, "the redirect address was not said")
    listed = json.loads(run("sign-in", "provider", "list", "--json", *options).stdout)
    expect([row["name"] for row in listed] == ["glew"] and listed[0]["redirect"] == RETURN, f"listed: {listed}")
    expect(SECRET not in run("sign-in", "provider", "list", *options).stdout, "the list shows the secret")
    return add + ["--issuer", glewlwyd.issuer]


def check_first_visit(port, glewlwyd, token):
    ada = glewlwyd.add("ada", "ada@example.org")
    browser = Browser(port)
    _, headers, path = visit(browser, glewlwyd, ada)
    expect(headers["Location"].startswith(PAGE + "/account"), f"sent to {headers['Location']}")
    page, _ = browser.get(PAGE + "/account")
    expect("ada@example.org" in page.text and "Current password" not in page.text, f"the account: {page.text}")
    # The way back is good once, and for that browser.
    browser.get(path, status=403)
    stranger = Browser(port)
    stranger.get(PAGE)
    stranger.get(path, status=403)

    # From an app, in another browser: the same user, whose token the app gets.
    status, answer = api(port, token, "users/caller")
    query = "?" + urllib.parse.urlsplit(answer["redirectURL"]).query
    names = set()
    for _ in range(2):
        other = Browser(port)
        page, _, _ = visit(other, glewlwyd, ada, query, status=200, keep="1")
        expect(page.handover, f"the app was told nothing: {page.text}")
        status, answer = api(port, token, "users/caller", web=page.handover["data-token"])
        expect(status == 200, f"the token of the app: {status} {answer}")
        names.add(answer["userRecordName"])
    expect(len(names) == 1, f"one person became {names}")
    # The last way into an account stays.
    page, _ = browser.get(PAGE + "/account")
    number = next(i for i, form in enumerate(page.forms) if form[0].startswith(PAGE + "/account/disconnect"))
    refused, _ = browser.fill(page, number, status=409)
    expect("only way" in refused.text, f"the last way was taken: {refused.text}")


def check_hostile_returns(port, glewlwyd, ada):
    """What somebody may do with the addresses on the way."""
    browser = Browser(port)
    path = come_back(glewlwyd, ada, depart(browser))
    query = urllib.parse.parse_qs(urllib.parse.urlsplit(path).query)
    # An attacker's code in somebody else's browser: the state is not of that browser.
    victim = Browser(port)
    depart(victim)
    victim.get(path, status=403)
    # Another issuer's answer, another provider's address, another container's.
    depart(victim)
    victim.get(RETURN + "?" + urllib.parse.urlencode({"state": query["state"][0], "code": "x"}), status=403)
    for other in (path.replace("/with/glew/", "/with/other/"), path.replace(CONTAINER, "iCloud.closed")):
        browser.get(other, status=403)
    # A code that was used, with a state that is good: the provider refuses it.
    address = depart(browser)
    state = urllib.parse.parse_qs(urllib.parse.urlsplit(address).query)["state"][0]
    good = come_back(glewlwyd, ada, address)
    code = urllib.parse.parse_qs(urllib.parse.urlsplit(good).query)["code"][0]
    browser.get(good, status=303)
    second = Browser(port)
    state = urllib.parse.parse_qs(urllib.parse.urlsplit(depart(second)).query)["state"][0]
    page, _ = second.get(RETURN + "?" + urllib.parse.urlencode({"state": state, "code": code}), status=502)
    expect("did not work" in page.text and not any("stratus_user" in name for name in second.cookies),
           f"a used code let in: {page.text}")
    # A code that belongs to another visit: its verifier is another one.
    fresh = urllib.parse.parse_qs(urllib.parse.urlsplit(come_back(glewlwyd, ada, depart(Browser(port)))).query)["code"][0]
    third = Browser(port)
    state = urllib.parse.parse_qs(urllib.parse.urlsplit(depart(third)).query)["state"][0]
    third.get(RETURN + "?" + urllib.parse.urlencode({"state": state, "code": fresh}), status=502)
    # Somebody who says no.
    fourth = Browser(port)
    state = urllib.parse.parse_qs(urllib.parse.urlsplit(depart(fourth)).query)["state"][0]
    fourth.get(RETURN + "?" + urllib.parse.urlencode({"state": state, "error": "access_denied"}), status=502)
    # Another issuer's answer (RFC 9207).
    fifth = Browser(port)
    mixed = urllib.parse.urlsplit(come_back(glewlwyd, ada, depart(fifth)))
    answer = urllib.parse.parse_qs(mixed.query) | {"iss": ["https://evil.example"]}
    fifth.get(f"{mixed.path}?{urllib.parse.urlencode(answer, doseq=True)}", status=403)
    # The button of another site's page.
    status, _, _ = Browser(port).request("POST", PAGE + "/with", {"provider": "glew"}, {"Sec-Fetch-Site": "cross-site"})
    expect(status == 403, f"another site's button was answered {status}")
    return code


def check_connecting(port, glewlwyd, links):
    """Bob has an account with a password, and another one of the same address at the provider."""
    bob = glewlwyd.add("bob", "bob@example.org")
    browser = Browser(port)
    sign_up(browser, "bob@example.org", links)
    stranger = Browser(port)
    page, _, _ = visit(stranger, glewlwyd, bob, status=409)
    expect("already an account" in page.text, f"an equal address: {page.text}")
    stranger.get(PAGE + "/account", status=303)

    page, _ = browser.get(PAGE + "/account")
    number = next(i for i, form in enumerate(page.forms) if form[0].startswith(PAGE + "/account/connect"))
    browser.fill(page, number, status=401, current="wrong password")
    on_the_way, headers = browser.fill(page, number, current=PASSWORD)
    address = onward(on_the_way, headers)
    path = come_back(glewlwyd, bob, address)
    # Somebody else's browser cannot end it.
    thief = Browser(port)
    thief.cookies = {name: value for name, value in browser.cookies.items() if "stratus_visit" in name}
    thief.get(path, status=303)
    thief.get(PAGE + "/account", status=303)
    page, _ = browser.get(path)
    expect("can now sign in with Glewlwyd" in page.text, f"after connecting: {page.text}")
    visit(stranger, glewlwyd, bob)
    page, _ = stranger.get(PAGE + "/account")
    expect("bob@example.org" in page.text, f"signed in as somebody else: {page.text}")
    # Nobody else can connect it, and the owner takes it away.
    eve = Browser(port)
    sign_up(eve, "eve@example.org", links)
    page, _ = eve.get(PAGE + "/account")
    number = next(i for i, form in enumerate(page.forms) if form[0].startswith(PAGE + "/account/connect"))
    path = come_back(glewlwyd, bob, onward(*eve.fill(page, number, current=PASSWORD)))
    page, _ = eve.get(path, status=409)
    expect("belongs to another account" in page.text, f"somebody else's sign-in: {page.text}")
    page, _ = browser.get(PAGE + "/account")
    number = next(i for i, form in enumerate(page.forms) if form[0].startswith(PAGE + "/account/disconnect"))
    browser.fill(page, number, status=401, current="wrong password")
    browser.fill(page, number, status=303, current=PASSWORD)
    visit(Browser(port), glewlwyd, bob, status=409)


def check_form(port, glewlwyd, ada, add):
    """A provider that sends its answer as a form from its own page, as Apple does."""
    run(*add, "--form-post")
    browser = Browser(port)
    address = depart(browser)
    expect("response_mode=form_post" in address, f"sent to {address}")
    status, _, text = glewlwyd.authorize(ada, address)
    expect(status == 200, f"Glewlwyd answered {status}: {text[:500]}")
    values = {name: html.unescape(value) for name, value in
              re.findall(r'name="(\w+)"\s+value="([^"]*)"', text)}
    expect({"code", "state"} <= values.keys(), f"a form without an answer: {text[:800]}")
    # No cookie comes along with another site's form.
    sender = Browser(port)
    for user in ("{", "a" * 10_000, '{"name":{"firstName":"Countess"}}'):
        status, headers, _ = sender.request(
            "POST", RETURN, values | {"user": user},
            {"Origin": f"http://127.0.0.1:{glewlwyd.port}", "Sec-Fetch-Site": "cross-site"})
        expect(status == 303 and headers["Location"].startswith(RETURN + "?"), f"the form was answered {status}")
        expect("Countess" not in headers["Location"], "the address has the name")
    sender.get(headers["Location"], status=403)
    browser.get(headers["Location"], status=303)
    page, _ = browser.get(PAGE + "/account")
    expect("ada@example.org" in page.text, f"after the form: {page.text}")
    expect("Countess" not in str(page.forms), "the name of a provider that is not Apple was taken")
    run(*add)


def check_policies(port, glewlwyd, data):
    options = ["--data", data, "--container", CONTAINER]
    cleo, dora = glewlwyd.add("cleo", "cleo@example.com"), glewlwyd.add("dora", "dora@example.org", verified=False)
    run("sign-in", "set", "operators", *options)
    page, _, _ = visit(Browser(port), glewlwyd, cleo, status=403)
    expect("invitation" in page.text, f"a closed container: {page.text}")
    run("sign-in", "set", "invited", "--invite", "@example.org", *options)
    visit(Browser(port), glewlwyd, cleo, status=403)
    visit(Browser(port), glewlwyd, dora, status=403)
    run("sign-in", "set", "open", *options)
    visit(Browser(port), glewlwyd, cleo)
    browser = Browser(port)
    visit(browser, glewlwyd, dora)
    page, _ = browser.get(PAGE + "/account")
    expect("dora@example.org" not in page.text and ".invalid" not in page.text,
           f"an address that nobody has verified: {page.text}")
    listed = run("account", "list", "--data", data).stdout
    expect("cleo@example.com" in listed and "dora@" not in listed, f"the accounts: {listed}")


def check():
    with Workplace("oidc") as place:
        port = free_port()
        server = place.start("serve", "data", port)
        server.wait_until_ready()
        data = str(place.path / "data")
        run("sign-in", "set", "open", "--title", "Players", "--data", data, "--container", CONTAINER)
        token = make_token(data, CONTAINER)
        glewlwyd = Glewlwyd(place.path, free_port(), [f"http://127.0.0.1:{port}{RETURN}"])
        try:
            add = check_commands(place, data, glewlwyd)
            check_first_visit(port, glewlwyd, token)
            ada = Person(glewlwyd.port)
            ada.done("POST", "/auth/", {"username": "ada", "password": PASSWORD})
            code = check_hostile_returns(port, glewlwyd, ada)
            check_connecting(port, glewlwyd, LoggedLinks(server))
            check_form(port, glewlwyd, ada, add)
            check_policies(port, glewlwyd, data)
            for word, what in ((SECRET, "the client's secret"), (code, "a code"), ("eyJ", "a token")):
                expect(word not in server.text, f"{what} is in the log")
            # A provider that is gone says so on the page, and in the log without what is secret.
            glewlwyd.process.kill()
            run("sign-in", "provider", "remove", "glew", "--data", data, "--container", CONTAINER)
            page, _ = Browser(port).get(PAGE)
            expect("Glewlwyd" not in page.text, "the button stayed")
        finally:
            glewlwyd.stop()
    print("oidc: people sign in with a provider, and with nobody else's account")


if __name__ == "__main__":
    main(check)
