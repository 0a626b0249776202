"""cloudkit.js does in Chromium what it does under Node: the same scenarios, from a page of another origin."""

import json
import urllib.parse

from support import ROOT, BrowserTestCase, FileServer, commands, start_server

CONTAINER = "iCloud.browser"


class CloudKitJSTests(BrowserTestCase):
    @classmethod
    def setUpClass(cls):
        port, data = start_server(cls, "serve")
        for name in ("ada", "bob"):
            commands.run("user", "add", name, "--data", str(data), "--container", CONTAINER)
        # Links without an account are the operator's to allow.
        commands.run("sign-in", "set", "--show-shares", "--data", str(data), "--container", CONTAINER)
        cls.settings = {
            "server": f"http://127.0.0.1:{port}",
            "container": CONTAINER,
            "apiToken": commands.make_token(data, CONTAINER, "--people"),
            "webAuthToken": commands.make_token(data, CONTAINER, "--user", "ada"),
            "guestToken": commands.make_token(data, CONTAINER, "--user", "bob"),
        }
        cls.files = FileServer(ROOT / "Tests/JavaScript")
        cls.addClassCleanup(cls.files.close)

    def test_suite(self):
        page = self.open(f"{self.files.address}/browser.html?{urllib.parse.urlencode(self.settings)}")
        results = json.loads(self.wait(
            page, lambda page: page.execute_script("return document.body.dataset.results"),
            "The scenarios did not end.", seconds=60))
        for result in results:
            print(f"    {result['outcome']:7} {result['name']}")
        self.assertGreater(len(results), 15)
        self.assertEqual([result for result in results if result["outcome"] == "failed"], [])

    def test_plain_script(self):
        page = self.open(f"{self.files.address}/classic.html?{urllib.parse.urlencode(self.settings)}")
        results = json.loads(self.wait(
            page, lambda page: page.execute_script("return document.body.dataset.results"),
            "The script sent no event."))
        # Nothing but this is left behind in the page, and the server is the one that the script came from.
        self.assertEqual(results, {"globals": ["CloudKit"], "name": "Olive"})
