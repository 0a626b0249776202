"""Clients behind a proxy that try to choose whose share they use, by what they write into X-Forwarded-For.

Whatever stands there, requests and passwords are counted for the address that the proxy noted, or for the proxy where that is
none."""

import http.client
import urllib.parse

from common import CONTAINER, main, row
from support import run as command

# Its server has a rate of its own.
ALONE = True
OPTIONS = ("--address-rate", "20")
REQUESTS = 40
# How the proxy notes the client; the client's invention stands before it, and is another one each time.
NOTES = {
    "plain": "203.0.113.{kind}",
    "port": "203.0.113.{kind}:{port}",
    "version 6 with port": "[2001:db8:{kind}::9]:{port}",
    "quoted": '"203.0.113.{kind}:{port}"',
    "behind another proxy": "203.0.113.{kind}:{port}, 127.0.0.1:{port}",
    "unknown": "unknown",
    "obfuscated": "_hidden{port}",
    "empty": "",
    "garbage": "for=198.51.100.{port}",
}


def ask(server, note, path="/limits", form=None):
    """The status of a request with such a note."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    fields = {"X-Forwarded-For": note, "Accept": "text/html"}
    body = None
    if form is not None:
        body = urllib.parse.urlencode(form[1])
        fields |= {"Content-Type": "application/x-www-form-urlencoded", "Cookie": form[0]}
    connection.request("GET" if form is None else "POST", path, body, fields)
    answer = connection.getresponse()
    answer.read()
    connection.close()
    return answer


def passwords(server):
    """The statuses of ten wrong passwords for one account, each with another invention and port."""
    command("sign-in", "set", "open", "--data", str(server.data), "--container", CONTAINER)
    page = f"/sign-in/{CONTAINER}/development"
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request("GET", page, headers={"Accept": "text/html"})
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    cookie = answer.getheader("Set-Cookie").split(";")[0]
    code = text.split('name="csrf" value="')[1].split('"')[0]
    form = cookie, {"csrf": code, "address": "ada@example.org", "password": "a wrong raven"}
    return [ask(server, f"10.9.0.{number}, 203.0.113.99:{4711 + number}", page, form).status for number in range(10)]


def run(server, _):
    rows = []
    for kind, (name, note) in enumerate(NOTES.items(), start=1):
        statuses = [ask(server, f"10.{kind}.0.{number}, " + note.format(kind=kind, port=4000 + number)).status
                    for number in range(REQUESTS)]
        throttled = statuses.count(429)
        rows.append(row(f"{REQUESTS} requests of one client noted as '{name}', 20 a minute: refused", "some",
                        str(throttled), throttled > 0, exact=True))
    statuses = passwords(server)
    rows.append(row("ten wrong passwords, each with another invented address and port: told to wait", "some",
                    " ".join(map(str, statuses)), 401 in statuses and 429 in statuses, exact=True))
    return rows


if __name__ == "__main__":
    main(run, seconds=10, options=OPTIONS)
