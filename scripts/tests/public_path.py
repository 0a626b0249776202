#!/usr/bin/env python3
"""A server under a path of a host: a proxy takes the path away, and browsers still find everything.

Behind the proxy is `serve --public-url http://127.0.0.1:PORT/api/pb`. Outside of the path, the host has nothing. The sign-in page of a
container, the console and the start page are read; whatever they name is asked for by the address that they name.
"""

import html.parser
import http.client
import http.server
import re
import threading
import urllib.parse

from support import Workplace, expect, free_port, main, make_token, run

CONTAINER = "iCloud.path"
PATH = "/api/pb"
ADDRESSES = {"href", "src", "action", "formaction"}


def proxy(port, target):
    """A proxy that knows nothing but its path, and takes it away."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def pass_on(self):
            length = int(self.headers.get("Content-Length") or 0)
            body = self.rfile.read(length)
            status, fields, text = 404, [], b"elsewhere"
            if self.path == PATH or self.path.startswith((PATH + "/", PATH + "?")):
                connection = http.client.HTTPConnection("127.0.0.1", target, timeout=60)
                rest = self.path[len(PATH):]
                fields = {name: value for name, value in self.headers.items() if name.lower() != "connection"}
                connection.request(self.command, rest if rest.startswith("/") else "/" + rest, body, fields)
                answer = connection.getresponse()
                status, text = answer.status, answer.read()
                fields = [(name, value) for name, value in answer.getheaders()
                          if name.lower() not in ("content-length", "connection", "transfer-encoding")]
                connection.close()
            self.send_response_only(status)
            for name, value in fields:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(text)

        do_GET = do_POST = do_HEAD = pass_on

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


class Page(html.parser.HTMLParser):
    """What a page names, and the fields of its forms."""

    def __init__(self, text):
        super().__init__()
        self.named, self.forms = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        values = dict(attributes)
        self.named += [(tag, name, values[name]) for name in ADDRESSES & values.keys() if values[name]]
        if tag == "form":
            self.forms.append((values.get("action"), {}))
        elif tag in ("input", "button") and self.forms and values.get("name"):
            self.forms[-1][1][values["name"]] = values.get("value", "")


class Browser:
    """Follows redirections, and sends cookies where their path says so."""

    def __init__(self, port):
        self.port, self.cookies = port, {}

    def ask(self, path, form=None, follows=True):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = [f"{name}={value}" for (name, place), value in self.cookies.items()
                if path.split("?")[0] == place or path.startswith(place.rstrip("/") + "/")]
        fields = {"Accept": "text/html", "Cookie": "; ".join(sent)}
        body = None
        if form is not None:
            body = urllib.parse.urlencode(form)
            fields |= {"Content-Type": "application/x-www-form-urlencoded", "Sec-Fetch-Site": "same-origin",
                       "Origin": f"http://127.0.0.1:{self.port}"}
        connection.request("GET" if form is None else "POST", path, body, fields)
        answer = connection.getresponse()
        text = answer.read().decode()
        connection.close()
        for name, value in answer.getheaders():
            if name.lower() == "set-cookie":
                pair, *more = value.split("; ")
                place = next(item[5:] for item in more if item.startswith("Path="))
                expect(place.startswith(PATH + "/"), f"A cookie of {path} counts at {place}.")
                self.cookies[(pair.partition("=")[0], place)] = pair.partition("=")[2]
        location = answer.getheader("Location")
        if follows and location:
            expect(location.startswith(PATH + "/") and answer.status in (301, 302, 303), f"{path} leads to {location}.")
            return self.ask(location)
        return answer.status, text

    def walk(self, path):
        """A page, all that it names being there."""
        status, text = self.ask(path)
        expect(status == 200, f"{path} answers {status}.")
        page = Page(text)
        for tag, name, address in page.named:
            if not address.startswith("/"):
                continue
            expect(address.startswith(PATH + "/"), f"{path}: <{tag} {name}={address}> is outside of {PATH}.")
            if tag in ("link", "script", "img", "a"):
                found, body = self.ask(address)
                expect(found == 200, f"{path}: {address} answers {found}.")
                if address.split("?")[0].endswith(".js"):
                    for other in re.findall(r'from "(/[^"]*)"', body):
                        expect(False, f"{address} loads {other}.")
        return page


def test():
    with Workplace("path") as workplace:
        port, public = free_port(), free_port()
        server = workplace.start("serve", "data", port, "--public-url", f"http://127.0.0.1:{public}{PATH}")
        server.wait_until_ready()
        proxy(public, port)
        data = str(server.data)
        token = make_token(data, CONTAINER)
        run("sign-in", "set", "open", "--data", data, "--container", CONTAINER)
        secret = run("operator", "add", "ada", "--data", data).stdout
        browser = Browser(public)

        page = browser.walk(f"{PATH}/sign-in/{CONTAINER}/development?ckAPIToken={token}")
        action, fields = next(form for form in page.forms if "password" in form[1])
        status, text = browser.ask(action, fields | {"address": "ada@example.org", "password": "a raven of 1845"})
        expect(status == 401, f"The form of the sign-in page is answered {status}: {text[:300]}")
        browser.walk(f"{PATH}/sign-in/{CONTAINER}/development/sign-up")

        browser.walk(f"{PATH}/")
        found = re.search(r"[0-9a-f]{64}|[A-Za-z0-9_-]{43}", secret)
        expect(found, f"'operator add' prints no secret: {secret}")
        page = browser.walk(f"{PATH}/console/")
        action, fields = next(form for form in page.forms if "secret" in form[1])
        status, _ = browser.ask(action, fields | {"secret": found.group()})
        expect(status == 200, f"Signing in to the console is answered {status}.")
        for place in ("/", "/users", "/requests", "/audit", f"/c/{CONTAINER}/development",
                      f"/c/{CONTAINER}/development/schema"):
            status, text = browser.ask(f"{PATH}/console{place}")
            if status == 404:
                continue
            page = Page(text)
            wrong = [item for item in page.named if item[2].startswith("/") and not item[2].startswith(PATH + "/")]
            expect(status == 200 and not wrong, f"/console{place}: {status}, {wrong[:3]}")
    print("ok: under a path, the sign-in page, the console and the start page find all that they name")


if __name__ == "__main__":
    main(test)
