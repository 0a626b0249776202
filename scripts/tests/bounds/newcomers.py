"""One rented network tries to keep everybody else from signing in, and all apps from codes for devices.

Passwords come from ever other addresses of one IPv6 /48, 100 at once: whoever comes from elsewhere has the password
looked at, and is not told to come later. Codes are asked for with one app's token until there are no more: another app gets its."""

import http.client
import threading
import urllib.parse

from common import CONTAINER, in_threads, main, row
from support import make_token, run as command

# It keeps all of both for itself.
ALONE = True
ATTEMPTS_AT_ONCE = 100
NEWCOMERS = 8
PAGE = f"/sign-in/{CONTAINER}/development"


class Form:
    """The sign-in form with its cookie, which one browser may send as often as it likes."""

    def __init__(self, server):
        self.server = server
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
        connection.request("GET", PAGE, headers={"Accept": "text/html"})
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        self.cookie = answer.getheader("Set-Cookie").split(";")[0]
        self.code = text.split('name="csrf" value="')[1].split('"')[0]

    def send(self, client, address):
        """The status of an attempt."""
        return post(self.server, PAGE, client, {"csrf": self.code, "address": address, "password": "a wrong raven"},
                    {"Cookie": self.cookie, "Accept": "text/html"})


def post(server, path, client, fields, headers=()):
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=180)
    try:
        connection.request("POST", path, urllib.parse.urlencode(fields), {
            "Content-Type": "application/x-www-form-urlencoded", "X-Forwarded-For": client} | dict(headers))
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()


def passwords(server):
    form, over, attempts = Form(server), threading.Event(), []

    def attack(thread):
        number = thread
        while not over.is_set():
            number += ATTEMPTS_AT_ONCE
            try:
                attempts.append(form.send(f"2001:db8:bad:{number % 65_536:x}::1", f"p{number}@example.org"))
            except OSError:
                continue

    threads = in_threads(ATTEMPTS_AT_ONCE, attack)
    statuses = [form.send(f"192.0.2.{number + 1}", f"new{number}@example.org") for number in range(NEWCOMERS)]
    over.set()
    for thread in threads:
        thread.join(180)
    return row(f"newcomers whose password is looked at beside {ATTEMPTS_AT_ONCE} attempts at once from one /48",
               str(NEWCOMERS), f"{statuses.count(401)} ({sorted(set(statuses))}); of the attack {sorted(set(attempts))}",
               statuses.count(401) == NEWCOMERS, exact=True)


def codes(server):
    other = make_token(server.data, CONTAINER)
    per_address, per_network = server.limit("deviceCodesPerAddress"), server.limit("deviceCodesPerNetwork")

    def ask(token, client):
        return post(server, f"{PAGE}/device/code", client, {"client_id": token, "device_name": "Lamp"})

    # One network of IPv6 has its share, however many addresses it has.
    ofone = [ask(server.api_token, f"2001:db8:bad:{number:x}::1") for number in range(per_network + 1)]
    # Then as many networks as it takes.
    number, last = 0, 200
    while last == 200 and number < 4 * (server.limit("deviceCodesPerApp") or 0):
        last = ask(server.api_token, f"198.{number // per_address // 250}.{number // per_address % 250}.1")
        number += 1
    elsewhere = ask(other, "203.0.113.1")
    return [
        row("codes for devices of one /48", str(per_network), str(ofone.count(200)),
            ofone.count(200) == per_network and ofone[-1] == 429, exact=True),
        row("codes of one app from everywhere: beyond its share", "429", str(last), last == 429, exact=True),
        row("codes of another app then", "200", str(elsewhere), elsewhere == 200, exact=True),
    ]


def run(server, _):
    command("sign-in", "set", "open", "--data", str(server.data), "--container", CONTAINER)
    return [passwords(server), *codes(server)]


if __name__ == "__main__":
    main(run, seconds=10)
