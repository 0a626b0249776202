"""The console in Chromium, used as a person does who has read nothing: `stratus serve` with empty data."""

import json
import pathlib
import re
import tempfile
import unittest

from selenium.webdriver.common.by import By

from console import ConsoleTestCase
from support import commands, start_server, write_photo

CONTAINER = "iCloud.com.example.places"


class ConsoleTests(ConsoleTestCase):
    @classmethod
    def setUpClass(cls):
        cls.port, cls.data = start_server(cls, "serve")
        cls.origin = f"http://127.0.0.1:{cls.port}"
        # Its log has no link in it: only a terminal is shown one.
        cls.link = commands.run("operator", "link", "admin", "--data", str(cls.data)).stdout.strip()
        secret = commands.run("operator", "add", "ada", "--data", str(cls.data)).stdout
        cls.secret = commands.TOKEN.search(secret).group()

    def enter(self, path="/console/", **look):
        """A window in which ada has signed in."""
        page = self.open(f"{self.origin}{path}", **look)
        self.fill(page, secret=self.secret)
        self.press(page, "Sign in")
        self.wait(page, lambda page: page.find_elements(By.CSS_SELECTOR, "nav.menu"), "Nobody is let in.")
        return page

    def enter_container(self, container, path=""):
        """A window that shows a new container."""
        page = self.enter()
        self.fill(page, container=container)
        self.press(page, "Make the container")
        self.said(page, "was created")
        page.get(f"{page.current_url}{path}")
        return page

    def make_token(self, page, user=None):
        """A token, copied from the page that shows it once."""
        self.fill(page, token__user=f"the user {user}" if user else "an app", token__label="browser test")
        self.press(page, "Make the token")
        self.wait_for_text(page, "#new-token", "^[0-9a-f]{64}$")
        return page.find_element(By.ID, "new-token").text

    def make_user(self, page, name):
        self.fill(page, user__name=name)
        self.press(page, "Add the user")
        self.said(page, f"'{name}' is a user")

    def client(self, page, container, user, environment="development", database="private"):
        """A client with tokens that the pages made; the page shows the users."""
        tokens = []
        for whose in (None, user):
            tokens.append(self.make_token(page, whose))
            self.follow(page, "Done")
            self.heading(page, "Users and tokens")
        client = commands.Client(self.port, container, database, *tokens, environment)
        self.addCleanup(client.close)
        return client

    # The way of a stranger, from the first page to the request in the log.

    def test_a_stranger_finds_the_way(self):
        page = self.open(f"{self.origin}/")
        self.follow(page, "Console")
        self.heading(page, "Sign in")
        page.get(self.link)
        self.press(page, "Enter")
        self.said(page, "Welcome, admin")
        self.fill(page, container=CONTAINER)
        self.press(page, "Make the container")
        self.said(page, "was created")

        self.follow(page, "New record type")
        self.fill(page, name="Place", field__1="title", field__2="visits", type__2="INT64", field__3="photo", type__3="ASSET")
        self.press(page, "Make the type")
        self.said(page, "Add its first record")
        self.add_records(page)
        self.query(page)

        self.follow(page, "Schema")
        self.wait_for_text(page, ".banner", r"Production lacks \d+ changes of development")
        self.follow(page, "Overview")
        self.wait_for_text(page, ".banner", r"Production lacks \d+ changes of development")
        self.follow(page, "Look at them and deploy")
        self.wait_for_text(page, "li code", "Place.photo")
        self.press(page, "Deploy to production")
        self.said(page, "Production has development's schema now")
        self.wait_for_text(page, "h2", "Place")
        self.assertEqual(page.find_element(By.CSS_SELECTOR, ".environments [aria-current]").text, "production")
        self.find_request(page)
        self.assert_quiet(page)

    def add_records(self, page):
        for title, visits in (("Harbour", "3"), ("Market", "12")):
            if "/new-record" not in page.current_url:
                self.follow(page, "New record")
            page.find_element(By.NAME, "v.title").send_keys(title)
            page.find_element(By.NAME, "v.visits").send_keys(visits)
            with tempfile.TemporaryDirectory() as folder:
                photo = pathlib.Path(folder) / "photo.png"
                write_photo(photo, 320, 240)
                page.find_element(By.NAME, "file.photo").send_keys(str(photo))
                self.press(page, "Make the record")
                self.said(page, "The record was created")
            self.wait_for_text(page, ".facts", "operator admin")
            self.follow(page, "Place")
            self.heading(page, "Place")

    def query(self, page):
        self.wait(page, lambda page: self.photos(page) == [320, 320], "The photos are not in the list.")
        page.find_element(By.CSS_SELECTOR, "#query summary").click()
        page.find_element(By.CSS_SELECTOR, "[data-add=filters]").click()
        self.choose(page, "visits", "is greater than", "5")
        self.press(page, "Show records")
        self.wait(page, lambda page: self.photos(page) == [320], "The filter lets more or less through than one.")
        self.press(page, "Add this index")
        self.wait_for_text(page, ".plan", "Served by an index on visits")
        self.assertIn("Market", page.find_element(By.CSS_SELECTOR, ".records tbody").text)
        self.follow(page, "Clear")
        self.wait(page, lambda page: "visits" not in page.current_url.split("?")[1], "The filter stays.")
        if not page.find_element(By.ID, "predicate").is_displayed():
            page.find_element(By.CSS_SELECTOR, "#query summary").click()
        self.fill(page, predicate="visits < 5 AND title BEGINSWITH 'Har'")
        self.press(page, "Show records")
        self.wait(page, lambda page: "predicate=" in page.current_url, "The form is not sent.")
        self.wait(page, lambda page: self.photos(page) == [320], "The predicate lets more or less through than one.")
        self.assertIn("Harbour", page.find_element(By.CSS_SELECTOR, ".records tbody").text)

    def choose(self, page, field, comparison, value):
        """Fills in the row of a filter that has the focus."""
        row = page.find_element(By.CSS_SELECTOR, "#filters .row:last-of-type")
        for name, text in (("f", field), ("c", comparison)):
            chosen = next(
                option for option in row.find_elements(By.CSS_SELECTOR, f"[name={name}] option") if option.text.startswith(text))
            chosen.click()
        row.find_element(By.NAME, "v").send_keys(value)

    def photos(self, page):
        """The widths of the pictures that are shown."""
        return page.execute_script("return [...document.querySelectorAll('td img.thumb')].map((image) => image.naturalWidth)")

    def find_request(self, page):
        """Writes to production what it lacks, and finds that request by its id."""
        self.follow(page, "Users")
        self.make_user(page, "bob")
        client = self.client(page, CONTAINER, "bob", "production", "public")
        _, answer = client.post("records/modify", {"operations": [{
            "operationType": "create",
            "record": {"recordType": "Place", "fields": {"title": {"value": "Tower"}, "height": {"value": 7}}}}]})
        text = json.dumps(answer)
        self.assertIn("serverErrorCode", text)
        uuid = re.search(r'"uuid": "([0-9A-Fa-f-]+)"', text).group(1)
        self.follow(page, "Requests")
        self.heading(page, "Requests")
        self.fill(page, id=uuid)
        self.press(page, "Show")
        self.wait_for_text(page, "main", "height")
        self.assertIn(uuid.replace("-", "")[:8].lower(), page.find_element(By.TAG_NAME, "main").text.replace("-", "").lower())

    # Users, tokens, zones.

    def test_a_token_is_shown_once_and_revoked(self):
        page = self.enter_container("iCloud.tokens", "/users")
        self.make_user(page, "grace")
        token = self.make_token(page)
        self.follow(page, "Done")
        self.wait(page, lambda page: "iCloud.tokens" in page.title or page.find_elements(By.ID, "tokens-title"), "No users.")
        self.assertNotIn(token, page.page_source)
        client = commands.Client(self.port, "iCloud.tokens", "public", token)
        self.addCleanup(client.close)
        query = {"query": {"recordType": "Users"}}
        self.assertNotEqual(client.post("records/query", query)[0], 401)
        page.find_element(By.XPATH, "//button[normalize-space()='Revoke']").click()
        page.switch_to.alert.accept()
        self.said(page, "is revoked")
        self.wait(page, lambda _: client.post("records/query", query)[0] == 401, "The token is taken for good.")

    def test_zones_show_their_changes(self):
        page = self.enter_container("iCloud.zones", "/users")
        self.make_user(page, "lin")
        client = self.client(page, "iCloud.zones", "lin")
        self.follow(page, "zones")
        self.heading(page, "Zones")
        # Browsers take `..` out of paths.
        for name in ("Notes", ".."):
            self.fill(page, zone__name=name)
            self.press(page, "Make the zone")
            self.said(page, f"'{name}' is there")
            zone = {"zoneName": name}
            client.ask("records/modify", {"zoneID": zone, "operations": [
                {"operationType": "create", "record": {"recordName": each, "recordType": "Note", "fields": {"text": {"value": each}}}}
                for each in ("kept", "gone")]})
            client.ask("records/modify", {"zoneID": zone, "operations": [
                {"operationType": "forceDelete", "record": {"recordName": "gone"}}]})
            self.follow(page, "changes")
            self.heading(page, name)
            self.assertEqual(list(zip(self.cells(page, 1), self.cells(page, 3))), [("gone", "tombstone"), ("kept", "live")])
            self.follow(page, "All zones")
            self.press(page, "Delete")
            page.switch_to.alert.accept()
            self.said(page, f"The zone '{name}' and its records were deleted")
            self.assertNotIn(name, self.cells(page, 0))

    # The schema as text, and what is noted of all this.

    def test_schema_text_points_at_mistakes_and_asks_before_losses(self):
        page = self.enter_container("iCloud.text", "/schema/text")
        before = page.find_element(By.ID, "text").get_attribute("value")
        self.text(page, "DEFINE SCHEMA\n    RECORD TYPE Song (\n        title STRING QUERYABEL\n    );\n")
        self.wait_for_text(page, ".problem", r"Line 3, column \d+")
        self.wait_for_text(page, ".problem pre", r"title STRING QUERYABEL\n\s+\^")
        song = "\n    RECORD TYPE Song (\n        title STRING QUERYABLE,\n        plays INT64\n    );\n"
        self.text(page, f"{before}{song}")
        self.wait_for_text(page, "[aria-labelledby=preview]", "Song")
        self.press(page, "Make it development's schema")
        self.said(page, "The text is development's schema now")
        page.get(page.current_url.replace("/schema", "/new-record?type=Song"))
        page.find_element(By.NAME, "v.plays").send_keys("9")
        self.press(page, "Make the record")
        self.said(page, "The record was created")
        page.get(re.sub("/records/.*", "/schema/text", page.current_url))
        after = page.find_element(By.ID, "text").get_attribute("value")
        self.assertIn("plays", after)
        self.text(page, re.sub(r",?\n\s+plays [^\n]*?(,?)\n", r"\1\n", after))
        self.wait_for_text(page, "[aria-labelledby=preview]", "1 records? loses? values")
        self.press(page, "Make it development's schema")
        consent = page.find_element(By.NAME, "loss")
        self.assertTrue(page.execute_script("return arguments[0].matches(':invalid:focus')", consent), "Consent is not asked for.")
        consent.click()
        self.press(page, "Make it development's schema")
        self.said(page, "The text is development's schema now")

    def text(self, page, text):
        """Puts a text into the box, and asks what it would change."""
        page.execute_script("document.getElementById('text').value = arguments[0]", text)
        self.press(page, "Show what it would change")
        self.wait(page, lambda page: page.find_elements(By.CSS_SELECTOR, ".problem, #preview"), "Nothing is said of the text.")

    def test_what_operators_do_is_noted(self):
        page = self.enter_container("iCloud.noted", "/users")
        self.make_user(page, "mary")
        self.make_token(page, "mary")
        self.follow(page, "Audit")
        rows = list(zip(self.cells(page, 1), self.cells(page, 4)))
        mine = [who for who, where in rows if where.startswith("iCloud.noted")]
        self.assertEqual(mine, ["ada"] * len(mine))
        self.assertGreaterEqual(len(mine), 3, "a container, a user and a token were made")
        self.assert_quiet(page)

    def test_signing_out_ends_it(self):
        page = self.enter("/console/audit")
        page.find_element(By.XPATH, "//button[normalize-space()='Sign out']").click()
        self.said(page, "You are signed out")
        page.get(f"{self.origin}/console/audit")
        self.heading(page, "Sign in")
        self.fill(page, secret="wrong")
        self.press(page, "Sign in")
        self.wait_for_text(page, "[role=alert]", "No operator has this secret")
        self.fill(page, secret=self.secret)
        self.press(page, "Sign in")
        self.wait(page, lambda page: page.current_url.endswith("/console/audit"), "It does not go on where it was.")


if __name__ == "__main__":
    unittest.main()
