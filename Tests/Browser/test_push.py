"""Web Push up to the service worker: what the server sends to a push service is decrypted in Chromium, handed to the worker of
Documentation/Push.md by the debugging protocol, and shown as a notification.

Chromium's own push service is on the internet, and a headless Chromium never finishes subscribing to it. So the page makes the
keys of a subscription itself, the push service is a server of this test, and the last step, from the push service's connection
to the worker's `push` event, is Chromium's debugging command for it. The decryption is the browser's Web Crypto.
"""

import base64
import http.server
import json
import queue
import re
import shutil
import tempfile
import threading
import time
import urllib.parse
import urllib.request

import websocket

from support import ROOT, SECONDS, BrowserTestCase, FileServer, commands, start_server

CONTAINER = "iCloud.push"
HERE = ROOT / "Tests/Browser"


class PushService(http.server.ThreadingHTTPServer):
    """Takes pushes as the push service of a browser's maker does, and keeps them."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), PushHandler)
        self.taken = queue.Queue()
        self.endpoint = f"http://127.0.0.1:{self.server_port}/push/1"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def close(self):
        self.shutdown()
        self.server_close()


class PushHandler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        self.server.taken.put((dict(self.headers.items()), body))
        self.send_response(201)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


class Debugger:
    """Chromium's debugging protocol of one page, where its events are needed, which selenium does not hand on."""

    def __init__(self, window):
        address = window.capabilities["goog:chromeOptions"]["debuggerAddress"]
        with urllib.request.urlopen(f"http://{address}/json", timeout=SECONDS) as answer:
            targets = json.load(answer)
        target = next(one for one in targets if one["type"] == "page" and one["url"] == window.current_url)
        # A page of another origin may not connect, and this is no page.
        self.socket = websocket.create_connection(
            target["webSocketDebuggerUrl"], suppress_origin=True, timeout=SECONDS)
        self.number, self.events = 0, []

    def ask(self, method, **parameters):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "method": method, "params": parameters}))
        while (message := json.loads(self.socket.recv())).get("id") != self.number:
            self.events.append(message)
        if "error" in message:
            raise AssertionError(f"{method}: {message['error']}")
        return message["result"]

    def registration(self, scope):
        """The number of the service worker's registration."""
        self.ask("ServiceWorker.enable")
        deadline = time.monotonic() + SECONDS
        while time.monotonic() < deadline:
            for event in self.events:
                for one in event.get("params", {}).get("registrations", []):
                    if one["scopeURL"] == scope and not one["isDeleted"]:
                        return one["registrationId"]
            self.events.append(json.loads(self.socket.recv()))
        raise AssertionError(f"Chromium tells of no service worker of {scope}")

    def close(self):
        self.socket.close()


class PushTests(BrowserTestCase):
    keeps_windows = False

    @classmethod
    def setUpClass(cls):
        # The push service of the test is on this machine, to which nothing is sent otherwise.
        port, data = start_server(cls, "serve", "--webhook-targets", "any")
        commands.run("user", "add", "ada", "--data", str(data), "--container", CONTAINER)
        tokens = commands.make_token(data, CONTAINER), commands.make_token(data, CONTAINER, "--user", "ada")
        cls.client = commands.Client(port, CONTAINER, "private", *tokens)
        cls.service = PushService()
        cls.addClassCleanup(cls.service.close)
        folder = tempfile.TemporaryDirectory(prefix="push-")
        cls.addClassCleanup(folder.cleanup)
        shutil.copy(HERE / "push.html", f"{folder.name}/index.html")
        # The worker that people are told to write.
        page = (ROOT / "Documentation/Push.md").read_text()
        worker = re.search(r"```js\n(// worker\.js\n.*?)```", page, re.DOTALL).group(1)
        with open(f"{folder.name}/worker.js", "w", encoding="utf-8") as file:
            file.write(worker)
        cls.files = FileServer(folder.name)
        cls.addClassCleanup(cls.files.close)
        cls.settings = {
            "server": f"http://127.0.0.1:{port}", "container": CONTAINER, "apiToken": tokens[0],
            "webAuthToken": tokens[1], "endpoint": cls.service.endpoint}

    def call(self, page, expression, *arguments):
        """What a promise of the page comes to."""
        done = page.execute_async_script(
            f"const done = arguments[arguments.length - 1]; ({expression})"
            ".then((value) => done({ value: value ?? null }), (error) => done({ error: String(error) }));", *arguments)
        self.assertNotIn("error", done)
        return done["value"]

    def save(self, name, text):
        answer = self.client.ask("records/modify", {"operations": [{"operationType": "forceUpdate", "record": {
            "recordName": name, "recordType": "Note", "fields": {"text": {"value": text}}}}]})
        self.assertNotIn("serverErrorCode", answer["records"][0])

    def take(self, page):
        """The next push, decrypted by the page."""
        headers, body = self.service.taken.get(timeout=SECONDS)
        headers = {name.lower(): value for name, value in headers.items()}
        self.assertEqual((headers["content-encoding"], headers["ttl"]), ("aes128gcm", "604800"))
        claims = self.call(page, "pushes.claims(arguments[0])", headers["authorization"])
        self.assertEqual(claims["aud"], self.service.endpoint.removesuffix("/push/1"))
        return self.call(page, "pushes.decrypt(arguments[0])", base64.b64encode(body).decode())

    def test_a_change_is_shown_by_the_documented_worker(self):
        self.save("first", "?")
        self.client.ask("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
            "subscriptionID": "notes", "subscriptionType": "query", "firesOn": ["create", "update"],
            "query": {"recordType": "Note"}, "notificationInfo": {
                "title": "Notes", "alertBody": "A note is new", "additionalFields": ["text"]}}}]})
        page = self.open(f"{self.files.address}/?{urllib.parse.urlencode(self.settings)}")
        page.execute_cdp_cmd("Browser.grantPermissions", {
            "origin": self.files.address, "permissions": ["notifications"]})
        self.wait(page, lambda page: page.execute_script("return document.body.dataset.ready"), "The page does not begin.")
        self.assertEqual(self.call(page, "pushes.example()"), "When I grow up, I want to be a watermelon")
        self.call(page, "pushes.register()")
        debugger = Debugger(page)
        self.addCleanup(debugger.close)
        registration = debugger.registration(f"{self.files.address}/")
        shown = []
        for number, name in enumerate(("a", "ä and €", "last")):
            self.save(f"n{number}", name)
            payload = self.take(page)
            event = json.loads(payload)
            self.assertEqual(event["ck"]["qry"]["af"], {"text": name})
            shown.append({"title": "Notes", "body": "A note is new", "tag": event["ck"]["nid"], "data": event["ck"]})

            def deliver():
                debugger.ask("ServiceWorker.deliverPushMessage", origin=self.files.address,
                             registrationId=registration, data=payload)
                return time.monotonic() + 5

            # A push service may send one again: the tag makes one notification of all. Chromium on a busy machine
            # now and then loses what its debugger delivers, so it is sent a third time after a while.
            deliver()
            again = deliver()

            def is_shown(page):
                nonlocal again
                if time.monotonic() > again:
                    again = deliver()
                return len(self.call(page, "pushes.shown()")) >= len(shown)

            self.wait(page, is_shown, f"The worker did not show the push of '{name}'.")
        by_tag = lambda notifications: sorted(notifications, key=lambda one: one["tag"])
        self.assertEqual(by_tag(self.call(page, "pushes.shown()")), by_tag(shown))
        self.assertEqual([one["data"]["qry"]["rid"] for one in by_tag(shown)], ["n0", "n1", "n2"])
        self.assertTrue(self.service.taken.empty())
        self.assert_quiet(page)
