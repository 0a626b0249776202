"""Two browsers and a Swift program show the same live query while another client edits, and through a kill -9 of the server."""

import os
import random
import shutil
import subprocess
import tempfile
import threading
import unittest
import urllib.parse

from support import ROOT, SECONDS, BrowserTestCase, FileServer, Program, commands

CONTAINER = "iCloud.org.stratus.lists"
PROGRAM = ["--testing-library", "swift-testing", "--filter", "LiveListProgramTests/followList"]


class SwiftProgram:
    """`LiveListProgramTests.swift`, which prints the list whenever it is another one."""

    def __init__(self, server, tokens):
        self.process = subprocess.Popen(
            [str(Program.path("stratusPackageTests.xctest")), *PROGRAM], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, env=os.environ | {
                "STRATUS_LIVE_LIST": CONTAINER, "STRATUS_URL": server, "STRATUS_API_TOKEN": tokens[0],
                "STRATUS_WEB_AUTH_TOKEN": tokens[1]})
        self.list, self.changed = None, threading.Condition()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        with self.process.stdout as output:
            for line in output:
                if line.startswith("LIST"):
                    with self.changed:
                        self.list = line.split()[1:]
                        self.changed.notify_all()

    def shows(self, items):
        """Whether it shows the items now, or soon."""
        with self.changed:
            return self.changed.wait_for(lambda: self.list == items, SECONDS)

    def close(self):
        self.process.kill()
        self.process.wait()


class LiveTests(BrowserTestCase):
    def setUp(self):
        work = commands.Workplace("live")
        work.__enter__()
        self.addCleanup(work.__exit__, None, None, None)
        self.work, self.port = work, commands.free_port()
        self.server, self.tokens = commands.start_with_user(work, CONTAINER, self.port)
        self.address = f"http://127.0.0.1:{self.port}"
        self.connect()
        self.numbers = {}

    def connect(self):
        self.client = commands.Client(self.port, CONTAINER, "private", *self.tokens)
        self.addCleanup(self.client.close)

    def browser(self):
        with tempfile.TemporaryDirectory(prefix="live-") as folder:
            shutil.copy(ROOT / "Tests/Browser/live.html", f"{folder}/index.html")
            files = FileServer(folder)
            self.addCleanup(files.close)
            page = self.open(f"{files.address}/?" + urllib.parse.urlencode({
                "server": self.address, "container": CONTAINER, "apiToken": self.tokens[0],
                "webAuthToken": self.tokens[1]}))
            self.wait(page, lambda page: page.execute_script("return document.querySelector('#list').dataset.ready"),
                      "The list does not come.")
        return page

    def edit(self, name, number):
        """Puts an item somewhere in the list, or out of it, or deletes it."""
        operation = {"operationType": "forceDelete", "record": {"recordName": name}} if number is None else {
            "operationType": "forceUpdate", "record": {
                "recordName": name, "recordType": "Item", "fields": {"number": {"value": number}}}}
        answer = self.client.ask("records/modify", {"operations": [operation]})
        self.assertNotIn("serverErrorCode", answer["records"][0])
        if number is None:
            self.numbers.pop(name, None)
        else:
            self.numbers[name] = number

    def edit_some(self, source, count):
        for _ in range(count):
            # Numbers are each an item's own, so that the order is one.
            name = f"i{source.randrange(12)}"
            number = source.randrange(0, 150) // 12 * 12 + int(name[1:])
            self.edit(name, None if name in self.numbers and source.random() < 0.2 else number)

    @property
    def items(self):
        """What a query would show."""
        return [f"{name}={number}" for name, number in sorted(self.numbers.items(), key=lambda item: item[1]) if number < 100]

    def check(self, pages, program):
        items = self.items
        script = "return [...document.querySelectorAll('#list li')].map((item) => item.textContent)"
        for page in pages:
            self.wait(page, lambda page: page.execute_script(script) == items, f"A browser does not show {items}.")
        self.assertTrue(program.shows(items), f"The program shows {program.list}, not {items}")

    def test_all_show_the_same_list_through_a_kill(self):
        source = random.Random(14)
        self.edit("i0", 0)
        program = SwiftProgram(self.address, self.tokens)
        self.addCleanup(program.close)
        pages = [self.browser(), self.browser()]
        self.check(pages, program)
        for _ in range(3):
            self.edit_some(source, 20)
            self.check(pages, program)
        self.server.kill()
        self.server = self.work.start("serve", "data", self.port)
        self.server.wait_until_ready()
        # Edited before they all are back.
        self.connect()
        self.edit_some(source, 20)
        self.check(pages, program)
        self.assertGreater(len(self.items), 2)
        self.assertEqual([page.execute_script("return window.loads") for page in pages], [1, 1])


if __name__ == "__main__":
    unittest.main()
