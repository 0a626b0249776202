#!/usr/bin/env python3
"""Whether answers tell by their time what they must not say: who has an account, how near a password or a token is.

    STRATUS=.build/release/stratus Benchmarks/timing.py [--tries 10000] [--passwords 200] [--seed 1]

Two kinds of request come in random order over one connection. Printed are the medians, how far they are apart, and the
noise: how far the medians of two halves of all requests are apart at most in 95 of 100 random divisions. A difference
beyond the noise is marked. Passwords are stretched on purpose, so there are fewer tries of them.

    STRATUS=.build/debug/stratus Benchmarks/timing.py --unstretched

tries passwords alone, ten thousand of each, with a server that stretches them next to not at all, which debug builds
allow (STRATUS_STRETCHING): what differs beside the stretching would be seen there.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import statistics
import sys
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "scripts/tests"))

from accounts import CONTAINER, PAGE, PASSWORD, Browser, LoggedLinks, sign_up  # noqa: E402
from support import Workplace, free_port, make_token, run  # noqa: E402

# Fewer than make a newcomer wait (AttemptLimits.failuresOfAttack).
TRIES_OF_ACCOUNT = 40
DIVISIONS = 400


class Line:
    """One connection, whose requests come from another address of the network each."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self.count = 0

    def ask(self, method, path, body=None, headers=None, expected=None):
        self.count += 1
        address = f"2001:db8:{self.count >> 16:x}:{self.count & 0xffff:x}::1"
        started = time.perf_counter()
        self.connection.request(method, path, body, {"X-Forwarded-For": address} | (headers or {}))
        answer = self.connection.getresponse()
        text = answer.read()
        took = time.perf_counter() - started
        if expected and answer.status not in expected:
            sys.exit(f"{method} {path[:60]} was answered {answer.status}: {text[:300]}")
        return took


class Newcomer(Browser):
    """A browser at another address of the network than all others: each may ask for so many mails only."""

    count = 0

    def __init__(self, port):
        super().__init__(port)
        Newcomer.count += 1
        self.address = f"2001:db8:ffff:{Newcomer.count:x}::1"

    def request(self, method, path, form=None, headers=None):
        return super().request(method, path, form, {"X-Forwarded-For": self.address} | (headers or {}))


class Page:
    """A form of the sign-in page, sent again and again."""

    def __init__(self, line, port, path):
        browser = Browser(port)
        page, _ = browser.get(PAGE + path)
        self.line, (self.action, self.fields) = line, page.forms[0]
        self.cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())

    def send(self, expected, **values):
        return self.line.ask(
            "POST", self.action, urllib.parse.urlencode(self.fields | values),
            {"Content-Type": "application/x-www-form-urlencoded", "Cookie": self.cookie}, expected)


def compare(title, first, second, tries, chance):
    """Times two kinds of request in random order and prints what they say."""
    (first_name, first), (second_name, second) = first, second
    for _ in range(min(20, tries // 10)):
        first(), second()
    order = [0, 1] * tries
    chance.shuffle(order)
    times = ([], [])
    for kind in order:
        times[kind].append((first, second)[kind]())
    medians = [statistics.median(some) for some in times]
    everything = times[0] + times[1]
    gaps = []
    for _ in range(DIVISIONS):
        chance.shuffle(everything)
        gaps.append(abs(statistics.median(everything[:tries]) - statistics.median(everything[tries:])))
    noise = sorted(gaps)[int(DIVISIONS * 0.95)]
    gap = medians[1] - medians[0]
    verdict = "within the noise" if abs(gap) <= noise else "BEYOND THE NOISE"
    print(f"{title} ({tries} of each)")
    for name, median in ((first_name, medians[0]), (second_name, medians[1])):
        print(f"  {name:34} {median * 1e6:10.1f} µs")
    print(f"  {'difference, noise':34} {gap * 1e6:10.1f} µs, {noise * 1e6:.1f} µs: {verdict}", flush=True)


def passwords(port, links, tries, chance):
    line = Line(port)
    page = Page(line, port, "")
    people = [f"person{number}@example.org" for number in range(-(-(2 * tries + 60) // TRIES_OF_ACCOUNT))]
    for person in people:
        sign_up(Newcomer(port), person, links)
    uses = {"known": 0, "unknown": 0}

    def attempt(kind, password="not the raven of 1845"):
        uses[kind] += 1
        number = uses[kind] % len(people)
        address = people[number] if kind == "known" else f"nobody{number}@example.org"
        return page.send((401,), address=address, password=password)

    compare("Signing in with a wrong password", ("unknown address", lambda: attempt("unknown")),
            ("known address", lambda: attempt("known")), tries, chance)
    near, far = PASSWORD[:-1] + "6", "x" * len(PASSWORD)
    compare("How near a wrong password is", ("another one", lambda: attempt("known", far)),
            ("all but the last letter", lambda: attempt("known", near)), tries // 2, chance)


def links_by_mail(port, tries, chance):
    page = Page(Line(port), port, "/forgotten")
    # A mail goes to an address now and then only; the answer does not depend on it.
    compare("Asking for a link by mail",
            ("unknown address", lambda: page.send((200,), address="nobody@example.org")),
            ("known address", lambda: page.send((200,), address="person0@example.org")), tries, chance)


def tokens(port, token, web, tries, chance):
    line = Line(port)
    path = f"/database/1/{CONTAINER}/development/public/users/caller?"

    def ask(expected, api, user=None):
        query = {"ckAPIToken": api} | ({"ckWebAuthToken": user} if user else {})
        return line.ask("GET", path + urllib.parse.urlencode(query), expected=expected)

    def altered(text):
        return text[:-1] + ("0" if text[-1] != "0" else "1")

    def other(text):
        return "".join(chance.choice("0123456789abcdef") for _ in text)

    # The same text again and again, as the other kind is.
    stranger, strange_web = other(token), other(web)
    compare("Wrong API tokens", ("another one", lambda: ask((401,), stranger)),
            ("all but the last letter", lambda: ask((401,), altered(token))), tries, chance)
    compare("Wrong web auth tokens", ("another one", lambda: ask((401, 421), token, strange_web)),
            ("all but the last letter", lambda: ask((401, 421), token, altered(web))), tries, chance)


def people(port, data, tries, chance):
    """Whether finding people tells an account that does not want to be found from none; person0 has never answered."""
    line = Line(port)
    app = make_token(data, CONTAINER, "--people")
    askers = []
    # Each may look up a thousand in an hour (lookupsPerHour of /limits).
    for number in range(-(-(2 * tries + 40) // 900)):
        run("user", "add", f"asker{number}", "--data", data, "--container", CONTAINER)
        askers.append(make_token(data, CONTAINER, "--user", f"asker{number}"))
    path = f"/database/1/{CONTAINER}/development/public/users/discover?"

    def ask(address):
        web = askers[line.count % len(askers)]
        return line.ask(
            "POST", path + urllib.parse.urlencode({"ckAPIToken": app, "ckWebAuthToken": web}),
            json.dumps({"lookupInfos": [{"emailAddress": address}]}), {"Content-Type": "application/json"}, (200,))

    compare("Finding people by an address", ("unknown address", lambda: ask("nobody0@example.org")),
            ("who has not agreed", lambda: ask("person0@example.org")), tries, chance)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=10_000)
    parser.add_argument("--passwords", type=int, default=200)
    parser.add_argument("--unstretched", action="store_true", help="passwords alone, which are not stretched: a debug build")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    if options.unstretched:
        os.environ["STRATUS_STRETCHING"] = "1"
    with Workplace("timing") as place:
        port = free_port()
        server = place.start("serve", "data", port, "--address-rate", "0", "--token-rate", "0")
        server.wait_until_ready()
        data = str(place.path / "data")
        run("sign-in", "set", "open", "--data", data, "--container", CONTAINER)
        if options.unstretched:
            return passwords(port, LoggedLinks(server), options.tries, chance)
        token = make_token(data, CONTAINER)
        web = run("token", "create", "--user", "ada", "--data", data, "--container", CONTAINER, check=False)
        if web.returncode:
            run("user", "add", "ada", "--data", data, "--container", CONTAINER)
            web = run("token", "create", "--user", "ada", "--data", data, "--container", CONTAINER)
        passwords(port, LoggedLinks(server), options.passwords, chance)
        links_by_mail(port, options.tries, chance)
        tokens(port, token, web.stdout.strip(), options.tries, chance)
        people(port, data, options.tries, chance)


if __name__ == "__main__":
    main()
