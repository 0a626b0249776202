"""Every page of the console in Chromium: how it looks, how it is used without a mouse, without scripts, without a network."""

import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from console import ConsoleTestCase
from support import DESKTOP, ONLINE, PHONE, commands, start_server

DEVELOPMENT = "/console/c/iCloud.stratus.demo/development"
PRODUCTION = "/console/c/iCloud.stratus.demo/production"
PAGES = [
    "/", "/console/", "/console/requests", "/console/charts", "/console/audit", "/console/backups", "/console/nowhere",
    DEVELOPMENT, f"{DEVELOPMENT}/schema", f"{DEVELOPMENT}/schema/new", f"{DEVELOPMENT}/schema/text",
    f"{DEVELOPMENT}/schema/deploy", f"{DEVELOPMENT}/zones", f"{DEVELOPMENT}/users", f"{DEVELOPMENT}/shares", f"{DEVELOPMENT}/access", f"{DEVELOPMENT}/subscriptions", f"{DEVELOPMENT}/webhooks", f"{DEVELOPMENT}/assets",
    f"{DEVELOPMENT}/records", f"{DEVELOPMENT}/records?type=Restaurant&f=rating&c=EQUALS&v=4",
    f"{DEVELOPMENT}/records/restaurant-0000001", f"{DEVELOPMENT}/new-record?type=Post",
    f"{DEVELOPMENT}/delete-record?name=restaurant-0000001", f"{DEVELOPMENT}/records-import",
    PRODUCTION, f"{PRODUCTION}/schema", f"{PRODUCTION}/records", f"{PRODUCTION}/users",
]
OFFLINE = {**ONLINE, "offline": True}
SLOW = {**ONLINE, "latency": 2500}


class ConsolePagesTests(ConsoleTestCase):
    @classmethod
    def setUpClass(cls):
        port, data = start_server(cls, "demo", "--players", "60", "--restaurants", "30")
        cls.origin = f"http://127.0.0.1:{port}"
        tokens = commands.TOKEN.findall((data.parent / f"{data.name}.log").read_text())[:2]
        client, caller = (
            commands.Client(port, "iCloud.stratus.demo", database, *tokens) for database in ("private", "public"))
        owner = caller.ask("users/caller", {})["userRecordName"]
        client.ask("zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": "Notes"}}}]})
        client.ask("records/modify", {"zoneID": {"zoneName": "Notes"}, "operations": [
            {"operationType": "create", "record": {"recordName": "note", "recordType": "Note", "fields": {"text": {"value": "?"}}}}]})
        client.ask("subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
            "subscriptionID": "long-notes", "subscriptionType": "query", "firesOn": ["create"],
            "query": {"recordType": "Note", "predicate": "text CONTAINS 'something that is not there'"}}}]})
        client.ask("records/modify", {"zoneID": {"zoneName": "Notes"}, "operations": [{"operationType": "create", "record": {
            "recordType": "cloudkit.share", "recordName": "cloudkit.zoneshare", "fields": {"cloudkit.title": {"value": "Notes for the trip"}},
            "participants": [{"permission": "READ_ONLY", "userIdentity": {"lookupInfo": {"emailAddress": "ben@example.com"}}}]}}]})
        client.ask("tokens/create", {"apnsEnvironment": "development"})
        client.ask("records/modify", {"operations": [
            {"operationType": "create", "record": {"recordName": "told", "recordType": "Note", "fields": {"text": {"value": "?"}}}}]})
        _, refusal = client.post("records/query", {"query": {"recordType": "Nothing"}})
        for one in (client, caller):
            one.close()
        cls.pages = PAGES + [
            f"/console/requests/{refusal['uuid']}", f"{DEVELOPMENT}/zones?db={owner}", f"{DEVELOPMENT}/zones/Notes?db={owner}",
            f"{DEVELOPMENT}/subscriptions?user={owner}", f"{DEVELOPMENT}/subscriptions/why?user={owner}&record=told",
            f"{DEVELOPMENT}/records?db={owner}&zone=Notes&type=Note",
            f"{DEVELOPMENT}/records/note?db={owner}&zone=Notes&why={owner}", f"{DEVELOPMENT}/access?why={owner}&record=restaurant-0000001"]

    def each_page(self, page, *checks, **look):
        """Shows one page after the other in the window and checks it."""
        for path in self.pages:
            with self.subTest(path=path, **look):
                page.get(self.origin + path)
                for check in checks:
                    check(page)
                self.assert_quiet(page, allowing=r"nowhere .* 404 ")

    def test_looks_right_on_every_screen(self):
        for size in (DESKTOP, PHONE):
            for dark in (False, True):
                # What moves in is faint for a moment.
                page = self.enter_demo(size=size, dark=dark, reduced_motion=True)
                self.each_page(page, self.assert_fits, self.assert_readable, size=size, dark=dark)

    def test_says_its_parts_to_those_who_do_not_see_them(self):
        self.each_page(self.enter_demo(), self.assert_structured, self.assert_labelled, self.assert_menu)

    def assert_menu(self, page):
        """The first thing passes over the menu, which says where one is."""
        path = page.current_url.removeprefix(self.origin)
        if path == "/":
            return
        page.find_element(By.CSS_SELECTOR, "a.skip").send_keys(Keys.ENTER)
        self.assertEqual(page.switch_to.active_element.get_attribute("id"), "main")
        marked = page.find_elements(By.CSS_SELECTOR, "nav.menu [aria-current=page]")
        self.assertEqual(len(marked), 0 if path in ("/console/", "/console/nowhere") else 1)

    def test_is_used_by_keyboard(self):
        self.each_page(self.enter_demo(), self.assert_focus_order)

    def test_fits_at_twice_the_size(self):
        self.each_page(self.enter_demo(reduced_motion=True), self.assert_zooms)

    def test_the_way_in_is_for_everybody(self):
        for path in ("/console/sign-in", "/console/enter/none"):
            for size, dark in ((DESKTOP, False), (PHONE, True)):
                with self.subTest(path=path, size=size):
                    page = self.open(f"{self.origin}{path}", size=size, dark=dark, reduced_motion=True)
                    for check in (self.assert_fits, self.assert_readable, self.assert_structured, self.assert_labelled,
                                  self.assert_focus_order, self.assert_zooms, self.assert_quiet):
                        check(page)

    def test_works_without_scripts(self):
        page = self.open("about:blank")
        page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        page.get(f"{self.origin}/console/")
        self.press(page, "Enter as")
        self.heading(page, "Containers")
        page.get(f"{self.origin}{DEVELOPMENT}/schema/new")
        self.fill(page, name="Plain", field__1="words", field__2="number", type__2="INT64")
        self.press(page, "Make the type")
        self.said(page, "'Plain' was created")
        for words, number in (("One", "1"), ("Two", "2")):
            page.get(f"{self.origin}{DEVELOPMENT}/new-record?type=Plain")
            page.find_element(By.NAME, "v.words").send_keys(words)
            page.find_element(By.NAME, "v.number").send_keys(number)
            self.press(page, "Make the record")
            self.said(page, "The record was created")
        page.find_element(By.NAME, "v.words").send_keys(" and more")
        self.press(page, "Save")
        self.said(page, "Saved")
        page.get(f"{self.origin}{DEVELOPMENT}/records?type=Plain")
        page.find_element(By.CSS_SELECTOR, "#query summary").click()
        row = page.find_element(By.CSS_SELECTOR, "#filters .row")
        for name, text in (("f", "number"), ("c", "is at least")):
            row.find_element(By.XPATH, f".//select[@name='{name}']/option[normalize-space()='{text}']").click()
        row.find_element(By.NAME, "v").send_keys("2")
        self.press(page, "Show records")
        self.wait_for_text(page, ".records tbody", "Two and more")
        self.assertNotIn("One", page.find_element(By.CSS_SELECTOR, ".records tbody").text)
        page.get(f"{self.origin}{DEVELOPMENT}/schema/deploy")
        self.press(page, "Deploy to production")
        self.said(page, "Production has development's schema now")

    def test_says_when_the_network_is_slow_or_gone(self):
        page = self.enter_demo(f"{DEVELOPMENT}/users")
        page.execute_cdp_cmd("Network.enable", {})
        page.execute_cdp_cmd("Network.emulateNetworkConditions", OFFLINE)
        self.wait_for_text(page, "#notice", "There is no network")
        self.fill(page, user__name="patient")
        self.press(page, "Add the user")
        self.wait_for_text(page, "#notice[role=alert]", "cannot be reached")
        retry = page.find_element(By.CSS_SELECTOR, "#notice button")
        self.assertEqual(page.find_element(By.ID, "user-name").get_attribute("value"), "patient")
        self.assert_readable(page)
        page.execute_cdp_cmd("Network.emulateNetworkConditions", SLOW)
        retry.click()
        self.wait_for_text(page, "form button[aria-busy=true]", "Working…")
        self.wait_for_text(page, "#notice[role=status]", "Waiting for the server")
        self.said(page, "'patient' is a user")
        self.assertEqual(self.cells(page, 0).count("patient"), 1)

    def test_a_form_is_sent_once(self):
        page = self.enter_demo(f"{DEVELOPMENT}/users")
        page.execute_cdp_cmd("Network.enable", {})
        page.execute_cdp_cmd("Network.emulateNetworkConditions", {**ONLINE, "latency": 300})
        page.execute_script("""
            document.getElementById('token-label').value = 'pressed often';
            const button = document.getElementById('token-label').form.querySelector('button');
            for (let press = 0; press < 5; press += 1) button.click();""")
        self.wait_for_text(page, "#new-token", "^[0-9a-f]{64}$")
        page.execute_cdp_cmd("Network.emulateNetworkConditions", ONLINE)
        page.get(f"{self.origin}{DEVELOPMENT}/users")
        self.assertEqual(page.find_element(By.TAG_NAME, "main").text.count("pressed often"), 1)

    def test_shows_files_and_their_space(self):
        page = self.enter_demo(f"{DEVELOPMENT}/assets")
        facts = [fact.text for fact in page.find_elements(By.CSS_SELECTOR, ".stats dd")]
        self.assertEqual(facts[0], "21")
        self.assertRegex(facts[1], r"^[\d.]+ (KiB|MiB)$")
        self.wait(page, lambda page: page.execute_script(
            "return [...document.querySelectorAll('img.thumb')].slice(0, 5).every((image) => image.naturalWidth > 0)"),
            "The files are not shown.")
        self.follow(page, "Restaurant")
        self.heading(page, "Restaurant")


if __name__ == "__main__":
    unittest.main()
