"""People open links to what others share: on a phone and at a desk, in the light and in the dark."""

import base64
import json
import pathlib
import unittest
import urllib.error
import urllib.request

from selenium.webdriver.common.by import By

from support import DESKTOP, PHONE, SCREENSHOTS, BrowserTestCase, commands, start_server

CONTAINER = "iCloud.shares"
PASSWORD = "a raven of 1845"
TITLE = "Weekend in the mountains"


def picture(width=96, height=64):
    """A PNG of one colour."""
    import struct
    import zlib

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes((36, 87, 197)) * width for _ in range(height))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class ShareTests(BrowserTestCase):
    @classmethod
    def setUpClass(cls):
        port, data = start_server(cls, "serve")
        cls.data = str(data)
        cls.address = f"http://127.0.0.1:{port}"
        cls.options = ["--data", cls.data, "--container", CONTAINER]
        commands.run("sign-in", "set", "open", "--title", "Outings", "--app-link", "outings://share/{link}", *cls.options)
        commands.run("user", "add", "olga", *cls.options)
        cls.tokens = commands.make_token(data, CONTAINER), commands.make_token(data, CONTAINER, "--user", "olga")
        cls.ask("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Trips"}}}]})

    @classmethod
    def ask(cls, path, body):
        """Olga's private database."""
        query = f"ckAPIToken={cls.tokens[0]}&ckWebAuthToken={cls.tokens[1]}"
        address = f"{cls.address}/database/1/{CONTAINER}/development/private/{path}?{query}"
        with urllib.request.urlopen(address, json.dumps(body).encode(), 30) as answer:
            return json.load(answer)

    @classmethod
    def share(cls, root, **terms):
        """Shares a trip with its stops; the link's page."""
        def create(**record):
            return {"operationType": "create", "record": record}

        image = base64.b64encode(picture()).decode()
        stops = [
            create(recordType="Stop", recordName=f"{root}-{number}", parent={"recordName": root},
                   fields={"name": {"value": f"Hut {number}"}, "height": {"value": 1800 + number},
                           "note": {"value": "Bring cash & a sleeping bag. " * 3}})
            for number in range(60)]
        answer = cls.ask("records/modify", {"zoneID": {"zoneName": "Trips"}, "atomic": True, "operations": [
            create(recordType="Trip", recordName=root, createShortGUID=True, fields={"name": {"value": "Hut to hut"}}),
            *stops,
            create(recordType="cloudkit.share", recordName=f"{root}-share", forRecord={"recordName": root}, fields={
                "cloudkit.title": {"value": TITLE}, "cloudkit.thumbnailImageData": {"value": image, "type": "BYTES"}},
                **terms)]})
        return f"{cls.address}/share/{answer['records'][0]['shortGUID']}"

    def standing(self, root):
        answer = self.ask("records/lookup", {"zoneID": {"zoneName": "Trips"}, "records": [{"recordName": f"{root}-share"}]})
        return [person["acceptanceStatus"] for person in answer["records"][0]["participants"][1:]]

    @staticmethod
    def invited(*addresses, permission="READ_WRITE"):
        return [{"userIdentity": {"lookupInfo": {"emailAddress": address}}, "permission": permission} for address in addresses]

    def assert_good(self, window, name=None, size=PHONE):
        """The page can be used and read, in the dark as well, and on the narrowest of phones."""
        def shown(width, height, theme):
            window.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
                "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})
            window.execute_cdp_cmd("Emulation.setEmulatedMedia", {
                "features": [{"name": "prefers-color-scheme", "value": theme}]})
            self.assert_fits(window)
            self.assert_readable(window)
            self.assert_labelled(window)
            self.assert_structured(window)
            if name:
                SCREENSHOTS.mkdir(parents=True, exist_ok=True)
                (SCREENSHOTS / f"share-{name}-{theme}-{width}.png").write_bytes(window.get_screenshot_as_png())

        shown(320, 640, "light")
        shown(*DESKTOP, "dark")
        shown(*size, "light")

    def test_somebody_without_an_account_makes_one_and_comes_back(self):
        page = self.share("trip", participants=self.invited("ada@example.org"))
        window = self.open(page + "#Weekend_in_the_mountains", size=PHONE)
        self.wait_for_text(window, "h1", "A shared link")
        self.assertNotIn(TITLE, window.page_source)
        self.assert_good(window, "closed")
        window.find_element(By.LINK_TEXT, "Create an account").click()
        self.wait_for_text(window, "h1", "Create an account")
        self.assertIn("share=", window.current_url)
        address = window.find_element(By.NAME, "address")
        address.send_keys("ada@example.org")
        address.submit()
        # Without a server for mails, the link is in the log and in the console.
        log = pathlib.Path(self.data).parent / f"{pathlib.Path(self.data).name}.log"
        link = self.wait(window, lambda window: commands.re.search(
            r"/sign-in/\S+/link/[0-9a-f]{64}\?lang=en&share=[\w-]{25}", log.read_text().replace("\\/", "/")), "No link in the log.")
        window.get(self.address + link.group())
        password = window.find_element(By.NAME, "password")
        password.send_keys(PASSWORD)
        password.submit()
        self.wait_for_text(window, "h1", TITLE)
        self.wait_for_text(window, "main", "You may look at it and change it")
        image = window.find_element(By.CSS_SELECTOR, "img.picture")
        self.wait(window, lambda window: window.execute_script("return arguments[0].naturalWidth", image) == 96,
                  "The picture is not shown.")
        self.assertEqual(window.find_element(By.LINK_TEXT, "Open in the app").get_attribute("href"),
                         f"outings://share/{page[-25:]}")
        self.assert_good(window, "invited")
        self.assertEqual(self.standing("trip"), ["INVITED"])
        window.find_element(By.XPATH, "//button[.='Accept']").click()
        self.wait_for_text(window, "#shared-title", "What is shared")
        self.assertEqual(self.standing("trip"), ["ACCEPTED"])
        self.assertEqual(len(window.find_elements(By.CSS_SELECTOR, ".records li")), 50)
        self.assert_good(window, "taken")
        window.find_element(By.LINK_TEXT, "More").click()
        self.wait(window, lambda window: len(window.find_elements(By.CSS_SELECTOR, ".records li")) == 10, "No second page.")
        window.find_element(By.LINK_TEXT, "Back to the beginning").click()
        self.wait_for_text(window, "main", "Hut to hut")
        window.find_element(By.LINK_TEXT, "Deutsch").click()
        self.wait_for_text(window, "#shared-title", "Was geteilt ist")
        self.assert_fits(window)
        window.find_element(By.XPATH, "//button[.='Verlassen']").click()
        self.wait_for_text(window, "main", "können Sie zurückkommen")
        self.assertEqual(self.standing("trip"), ["UNSUBSCRIBED"])
        self.assert_quiet(window)

    def test_whoever_is_signed_in_elsewhere_asks_for_access_or_learns_nothing(self):
        closed = self.share("closed", participants=self.invited("cleo@example.org"))
        asking = self.share("asking", denyAccessRequests=False)
        link = commands.run("account", "invite", "bob@example.org", "--url", self.address, *self.options).stdout.strip()
        window = self.open(link, size=PHONE)
        field = window.find_element(By.NAME, "password")
        field.send_keys(PASSWORD)
        field.submit()
        self.wait_for_text(window, "h1", "You are signed in")
        window.get(closed)
        self.wait_for_text(window, "main", "leads to nothing that is shared with you")
        self.assert_good(window, "nothing")
        window.get(asking)
        self.wait_for_text(window, "h1", TITLE)
        self.assert_good(window, "asking")
        window.find_element(By.XPATH, "//button[.='Ask for access']").click()
        self.wait_for_text(window, "main", "You have asked for access")
        self.assert_good(window)
        self.assertEqual(window.find_elements(By.CSS_SELECTOR, "#shared-title"), [])

    def test_a_share_that_is_open_to_everybody_needs_the_operator(self):
        page = self.share("open", publicPermission="READ_ONLY", publicAnonymousAccess=True)
        window = self.open(page, size=PHONE)
        self.wait_for_text(window, "h1", "A shared link")
        commands.run("sign-in", "set", "--show-shares", *self.options)
        self.addCleanup(commands.run, "sign-in", "set", "--no-show-shares", *self.options)
        window.get(page)
        self.wait_for_text(window, "main", "Everybody who has the link may look at it")
        self.wait_for_text(window, "#shared-title", "What is shared")
        self.assert_good(window, "everybody", size=DESKTOP)
        commands.run("sign-in", "set", "--no-show-shares", *self.options)
        window.get(page)
        self.wait_for_text(window, "h1", "A shared link")

    def test_an_operator_says_which_apps_open_links(self):
        wrong = commands.run("sign-in", "set", "--linked-app", "everything", *self.options, check=False)
        self.assertNotEqual(wrong.returncode, 0)
        commands.run("sign-in", "set", "--linked-app", "ABCDE12345.com.example.outings", *self.options)
        with urllib.request.urlopen(f"{self.address}/.well-known/apple-app-site-association", timeout=30) as answer:
            self.assertEqual(answer.headers["Content-Type"], "application/json")
            details = json.load(answer)["applinks"]["details"]
        self.assertEqual(details, [{"appIDs": ["ABCDE12345.com.example.outings"], "components": [{"/": "/share/*"}]}])
        with self.assertRaises(urllib.error.HTTPError) as missing:
            urllib.request.urlopen(f"{self.address}/.well-known/anything", timeout=30)
        self.assertEqual(missing.exception.code, 404)


if __name__ == "__main__":
    unittest.main()
