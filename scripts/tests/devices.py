#!/usr/bin/env python3
"""Devices without a browser sign in by a code (RFC 8628), over real HTTP.

- 'stratus login' shows a code, and somebody enters it in a browser that is not signed in yet;
- the token is kept in a file that nobody else may read, commands use it, and 'stratus logout' ends its session;
- with --browser there is no code: the browser comes back to a port of the command;
- a code is good once, devices that ask too often are slowed down, and a no is a no;
- wrong codes, foreign API tokens and codes of other containers get nothing, and guesses have to wait.
"""

import http.client
import json
import os
import re
import subprocess
import urllib.parse

import accounts
from accounts import CONTAINER, PAGE, PASSWORD, Browser, LoggedLinks, sign_up
from support import Workplace, expect, free_port, main, make_token, run, stratus

GRANT = "urn:ietf:params:oauth:grant-type:device_code"


def ask(port, question, page=PAGE, **form):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request("POST", f"{page}/device/{question}", urllib.parse.urlencode(form),
                           {"Content-Type": "application/x-www-form-urlencoded", "User-Agent": "Lamp/1"})
        answer = connection.getresponse()
        # Answers have secrets or say how one is doing.
        expect(answer.getheader("Cache-Control") == "no-store", f"{question}, {answer.status}, may be kept")
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def check_protocol(port, token, browser):
    status, answer = ask(port, "code", client_id="0" * 64)
    expect((status, answer["error"]) == (401, "invalid_client"), f"a foreign token: {status} {answer}")
    status, codes = ask(port, "code", client_id=token, device_name="Lamp <&>")
    expect(status == 200 and re.fullmatch("[B-Z]{4}-[B-Z]{4}", codes["user_code"]), f"{status} {codes}")

    def poll(**more):
        form = {"grant_type": GRANT, "client_id": token, "device_code": codes["device_code"]} | more
        return ask(port, "token", **form)

    expect(poll()[1]["error"] == "authorization_pending", "nobody has entered the code")
    answer = poll()[1]
    expect(answer["error"] == "slow_down" and answer["interval"] == 10, f"too early: {answer}")
    expect(poll(device_code="0" * 64)[1]["error"] == "expired_token", "an unknown code")
    expect(poll(grant_type="password")[1]["error"] == "unsupported_grant_type", "another grant")
    expect(poll(client_id="0" * 64)[0] == 401, "another app")
    browser.get(PAGE + "/link/" + codes["device_code"], status=410)
    # Who is not signed in is asked to, and comes back; small letters and blanks are as good.
    other = Browser(port)
    _, headers = other.get(PAGE + "/device", status=303)
    expect("user_code=" in headers["Location"], f"sent to {headers['Location']}")
    page, _ = browser.get(f"{PAGE}/device?user_code={codes['user_code']}")
    expect(page.forms[0][1]["code"] == codes["user_code"], f"the form: {page.forms}")
    browser.fill(page, status=404, code="BBBB-BBBB")
    question, _ = browser.fill(page, code=codes["user_code"].lower().replace("-", " "))
    expect("Lamp <&>" in question.text and "ada@example.org" in question.text, f"the question: {question.text}")
    expect(f"Players ({CONTAINER})" in question.text, f"the question does not say to what: {question.text}")
    # No link lets a device in, whoever opens it.
    for step in ("allow", "deny"):
        browser.get(f"{PAGE}/device/{step}?code={codes['user_code']}", status=404)
    foreign = {"csrf": "0" * 32, "code": codes["user_code"]}
    expect(browser.request("POST", PAGE + "/device/allow", foreign)[0] == 403, "another site's form")
    expect(poll()[1]["error"] in ("authorization_pending", "slow_down"), "nobody has said anything")
    browser.fill(question, 1)
    expect(poll()[1]["error"] == "access_denied", "somebody said no")
    browser.fill(question, 0, status=404)
    # Guesses wait.
    statuses = [browser.request("POST", page.forms[0][0], page.forms[0][1] | {"code": f"BBBB-BBB{letter}"})[0]
                for letter in "CDFGHJKL"]
    expect(statuses[-1] == 429, f"guesses were answered {statuses}")
    # An address gets only so many codes, and is told so in JSON.
    while status == 200 or status == 401:
        status, answer = ask(port, "code", client_id=token)
    expect(status == 429 and answer["serverErrorCode"] == "THROTTLED", f"too many codes: {status} {answer}")


def check_login(place, port, server, token):
    home = place.path / "home"
    home.mkdir()
    environment = os.environ | {"XDG_CONFIG_HOME": str(home)}
    options = ["--url", f"http://127.0.0.1:{port}", "--container", CONTAINER]
    login = subprocess.Popen([stratus(), "login", "--api-token", token, *options], env=environment,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        line = login.stdout.readline()
        code = re.search("[B-Z]{4}-[B-Z]{4}", line)
        expect(code, f"'stratus login' printed {line}")
        browser = Browser(port)
        _, headers = browser.get(f"{PAGE}/device?user_code={code.group()}", status=303)
        page, _ = browser.get(headers["Location"])
        _, headers = browser.fill(page, status=303, address="ada@example.org", password=PASSWORD)
        page, _ = browser.get(headers["Location"])
        question, _ = browser.fill(page)
        done, _ = browser.fill(question)
        expect("signed in" in done.text, f"after allowing: {done.text}")
        expect(login.wait(60) == 0, f"'stratus login' ended with {login.returncode}: {login.stdout.read()}")
    finally:
        login.kill()
    file = home / "stratus/credentials.json"
    expect(file.stat().st_mode & 0o777 == 0o600, "others may read the tokens")
    kept = json.loads(file.read_text())["logins"][0]
    status, answer = accounts.api(port, token, "users/caller", web=kept["webAuthToken"])
    expect(status == 200 and answer["userRecordName"] == kept["user"], f"{status} {answer}")
    # A private database, without any token on the command line.
    query = [stratus(), "query", "Note", "--database", "private", "--json", *options]
    done = subprocess.run(query, env=environment, capture_output=True, text=True, timeout=60)
    expect("web auth token" not in done.stderr, f"'stratus query' did not use the token: {done.stderr}")
    file.chmod(0o644)
    done = subprocess.run(query, env=environment, capture_output=True, text=True, timeout=60)
    expect(done.returncode != 0 and "chmod 600" in done.stderr, f"an open file: {done.stderr}")
    file.chmod(0o600)
    page, _ = browser.get(PAGE + "/account")
    expect("stratus on" in page.text, f"the account does not show the device: {page.text}")
    subprocess.run([stratus(), "logout", *options], env=environment, check=True, capture_output=True, timeout=60)
    expect(json.loads(file.read_text())["logins"] == [], "the token is still kept")
    expect(accounts.api(port, token, "users/caller", web=kept["webAuthToken"])[0] == 421, "the session goes on")


def check_browser_login(place, port, data):
    """'stratus login --browser': the browser of this machine comes back to a port of the command (RFC 8252)."""
    done = run("token", "create", "--callback", "http://127.0.0.1/", "--data", data, "--container", CONTAINER)
    token = done.stdout.strip()
    home = place.path / "desk"
    home.mkdir()
    options = ["--url", f"http://127.0.0.1:{port}", "--container", CONTAINER]
    login = subprocess.Popen([stratus(), "login", "--browser", "--api-token", token, *options],
                             env=os.environ | {"XDG_CONFIG_HOME": str(home)},
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        line = login.stdout.readline()
        link = re.search(r"http://\S+", line)
        expect(link, f"'stratus login --browser' printed {line}")
        address = urllib.parse.urlsplit(link.group())
        browser = Browser(port)
        page, _ = browser.get(f"{address.path}?{address.query}")
        expect("A program on this computer" in page.text, f"the page does not say what led there: {page.text}")
        _, headers = browser.fill(page, status=303, address="ada@example.org", password=PASSWORD)
        back = urllib.parse.urlsplit(headers["Location"])
        expect(back.hostname == "127.0.0.1" and back.port != port, f"sent to {headers['Location']}")
        # A callback for programs is none for pages: without a port nobody is sent anywhere with a token.
        plain, _ = Browser(port).get(f"{PAGE}?ckAPIToken={token}&redirect_uri=http://127.0.0.1/&state=12345678")
        expect("not known" in plain.text, f"a port is missing, and the page says {plain.text}")
        connection = http.client.HTTPConnection(back.hostname, back.port, timeout=30)
        connection.request("GET", f"{back.path}?{back.query}")
        answer = connection.getresponse()
        expect(answer.status == 200 and b"You are signed in" in answer.read(), f"the command answered {answer.status}")
        expect(login.wait(60) == 0, f"it ended with {login.returncode}: {login.stdout.read()}")
    finally:
        login.kill()
    kept = json.loads((home / "stratus/credentials.json").read_text())["logins"][0]
    expect(accounts.api(port, token, "users/caller", web=kept["webAuthToken"])[0] == 200, "the token is not good")


def check():
    with Workplace("devices") as place:
        port = free_port()
        server = place.start("serve", "data", port)
        server.wait_until_ready()
        data = str(place.path / "data")
        run("sign-in", "set", "open", "--title", "Players", "--data", data, "--container", CONTAINER)
        token = make_token(data, CONTAINER)
        browser = Browser(port)
        sign_up(browser, "ada@example.org", LoggedLinks(server))
        check_login(place, port, server, token)
        check_browser_login(place, port, data)
        check_protocol(port, token, browser)
    print("devices: a code in a browser signs a device in")


if __name__ == "__main__":
    main(check)
