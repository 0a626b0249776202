"""shareWithUI: a person opens a list to others in a dialog, by mouse and by keyboard, and they get it. On another origin, under a
strict policy."""

import json
import urllib.parse

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from support import (
    _FAINT_TEXT, DESKTOP, PHONE, ROOT, BrowserTestCase, FileServer, commands, start_server)

CONTAINER = "iCloud.sharing"
HOST = "[data-cloudkit-share]"
LANGUAGES = ("en", "de", "es", "fr", "ja")

# A zone with a list, ready to be shared; gives the zone's name.
MAKE_LIST = """
const done = arguments[arguments.length - 1];
(async () => {
    const zoneID = `Lists${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6)}`;
    const { errors: [error] } = await database.saveRecordZones([{ zoneName: zoneID }]);
    if (error) throw error;
    const { records: [record], errors: [failed] } = await database.saveRecords(
        { recordType: "List", recordName: "list", createShortGUID: true, fields: { name: { value: "Cafés" } } }, { zoneID });
    if (failed) throw failed;
    window.options = { record, zoneID, shareTitle: "Cafés", shareType: "org.example.list" };
    return zoneID;
})().then(done, (error) => done({ error: String(error) }));
"""


class SharingTests(BrowserTestCase):
    @classmethod
    def setUpClass(cls):
        cls.port, cls.data = start_server(cls, "serve")
        for name in ("ada", "bob", "eve"):
            commands.run("user", "add", name, "--data", str(cls.data), "--container", CONTAINER)
        cls.api_token = commands.make_token(cls.data, CONTAINER)
        cls.tokens = {name: commands.make_token(cls.data, CONTAINER, "--user", name) for name in ("ada", "bob", "eve")}
        cls.files = FileServer(ROOT / "Tests/Browser")
        cls.addClassCleanup(cls.files.close)

    # Pages.

    def open_page(self, user="ada", locale="en", **look):
        window = self.open(f"{self.files.address}/sharing.html?" + urllib.parse.urlencode({
            "server": f"http://127.0.0.1:{self.port}", "container": CONTAINER, "apiToken": self.api_token,
            "webAuthToken": self.tokens[user], "locale": locale}), **look)
        self.wait(window, lambda window: window.execute_script("return document.body.dataset.ready !== undefined"),
                  "The page does not begin.")
        return window

    def open_list(self, **look):
        """A page with a list to share, and the zone of the list."""
        window = self.open_page(**look)
        zone = window.execute_async_script(MAKE_LIST)
        self.assertIsInstance(zone, str, zone)
        return window, zone

    def ask(self, window, script, *arguments):
        """What a promise of the page gives; `guest(name)` is the container as another user."""
        answer = window.execute_async_script(
            "const tokens = arguments[arguments.length - 2]; const done = arguments[arguments.length - 1];"
            "const as = (name) => connect(tokens[name]);"
            f"(async (...given) => {{ {script} }})(...[...arguments].slice(0, -2))"
            ".then((value) => done({ value }), (error) => done({ error: String(error) }));", *arguments, self.tokens)
        self.assertNotIn("error", answer, script)
        return answer.get("value")

    def client(self, user, database):
        client = commands.Client(self.port, CONTAINER, database, self.api_token, self.tokens[user])
        self.addCleanup(client.close)
        return client

    # The dialog.

    def find(self, window, selector):
        return window.find_element(By.CSS_SELECTOR, HOST).shadow_root.find_elements(By.CSS_SELECTOR, selector)

    def show(self, window):
        window.find_element(By.ID, "share").click()
        self.wait(window, lambda window: self.find(window, "section"), "The dialog does not come.")

    def press(self, window, selector):
        """Presses what there is one of, and waits until what it began is over."""
        self.wait(window, lambda window: self.find(window, selector), f"There is no '{selector}'.")
        element, *others = self.find(window, selector)
        self.assertEqual(others, [])
        element.click()
        self.wait_until_done(window)

    def confirm(self, window):
        """Says yes to the question."""
        self.press(window, "[role=alertdialog] .danger")
        self.wait(window, lambda window: not self.find(window, "[role=alertdialog]"), "The question stays.")
        self.wait_until_done(window)

    def wait_until_done(self, window):
        self.wait(window, lambda window: not self.find(window, "[aria-busy]"), "It does not end.")

    def said(self, window):
        """The error and the message."""
        return tuple(self.find(window, selector)[0].text for selector in ("[role=alert]", "[role=status]"))

    def people(self, window):
        return [row.text.split("\n")[:2] for row in self.find(window, "[aria-labelledby=people] li")]

    def choose(self, window, label, value):
        select = next(one for one in self.find(window, "select") if one.accessible_name == label)
        select.find_element(By.CSS_SELECTOR, f"option[value={value}]").click()
        self.wait_until_done(window)

    def invite(self, window, address):
        field = self.find(window, "[type=email]")[0]
        field.clear()
        field.send_keys(address)
        self.press(window, "form button")

    def close(self, window, key="done"):
        """Closes the dialog, and gives what the promise did."""
        if key == "done":
            self.find(window, "[data-key=done]")[0].click()
        else:
            ActionChains(window).send_keys(key).perform()
        result = self.wait(window, lambda window: window.execute_script("return document.body.dataset.result"), "No result")
        self.assertEqual(window.find_elements(By.CSS_SELECTOR, HOST), [])
        return json.loads(result)

    def assert_dialog(self, window):
        """Nothing is cut off, every text can be read, and whatever can be used has a name."""
        self.wait(window, lambda window: window.execute_script(
            "return document.querySelector(arguments[0]).shadowRoot.querySelector('dialog').getAnimations().length === 0", HOST),
                  "It moves on and on.")
        facts = window.execute_script("""
            const root = document.querySelector(arguments[0]).shadowRoot;
            const dialog = root.querySelector("dialog");
            const { left, right, top, bottom } = dialog.getBoundingClientRect();
            const wide = [...root.querySelectorAll("dialog, main, li, .row")].filter((one) => one.scrollWidth > one.clientWidth + 1);
            return [right - left > 300 && left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight, wide.map((one) => one.outerHTML.slice(0, 80))];
        """, HOST)
        self.assertEqual(facts, [True, []])
        self.assertEqual(window.execute_script(
            _FAINT_TEXT.replace("document.body", f"document.querySelector('{HOST}').shadowRoot").replace(
                "at = at.parentElement", "at = at.parentElement ?? at.getRootNode().host")), [])
        used = self.find(window, "button, input, select")
        self.assertEqual([one.get_attribute("outerHTML") for one in used if not one.accessible_name], [])
        dialog = self.find(window, "dialog")[0]
        self.assertEqual((dialog.aria_role, dialog.accessible_name), ("dialog", self.find(window, "h2")[0].text))

    # The tests.

    def test_a_web_app_shares_by_link_and_goes_on_by_plain_requests(self):
        window, zone = self.open_list()
        self.show(window)
        self.press(window, "[data-key=access-PUBLIC]")
        self.assertEqual(self.said(window), ("", "Saved."))
        share = self.close(window)["share"]
        self.assertEqual(share["publicPermission"], "READ_WRITE")
        self.assertEqual(share["fields"]["cloudkit.title"]["value"], "Cafés")
        guid = self.ask(window, "return (await database.fetchRecords('list', { zoneID: given[0] })).records[0].shortGUID", zone)
        self.assertEqual(guid, share["shortGUID"])

        info, accepted = self.ask(window, """
            const guest = as("bob");
            const { results: [info] } = await guest.fetchRecordInfos([given[0]]);
            const { results: [accepted] } = await guest.acceptShares([given[0]]);
            return [info, accepted];""", guid)
        self.assertEqual((info["rootRecordName"], info["databaseScope"]), ("list", "SHARED"))
        self.assertNotEqual(info["participantStatus"], "ACCEPTED")
        self.assertEqual(accepted["participantStatus"], "ACCEPTED")

        place = {"zoneName": info["zoneID"]["zoneName"], "ownerRecordName": info["zoneID"]["ownerRecordName"]}
        bob = self.client("bob", "shared")
        found = bob.ask("records/lookup", {"zoneID": place, "records": [{"recordName": "list"}]})["records"][0]
        self.assertEqual(found["fields"]["name"]["value"], "Cafés")
        item = {"recordType": "Item", "recordName": "item", "parent": {"recordName": "list"}, "fields": {"text": {"value": "Olive"}}}
        saved = bob.ask("records/modify", {"zoneID": place, "operations": [{"operationType": "create", "record": item}]})
        self.assertEqual(saved["records"][0]["recordName"], "item")
        own = self.client("ada", "private").ask("records/lookup", {"zoneID": {"zoneName": zone}, "records": [{"recordName": "item"}]})
        self.assertEqual(own["records"][0]["fields"]["text"]["value"], "Olive")
        self.assert_quiet(window)

    def test_people_are_invited_changed_and_removed(self):
        window, zone = self.open_list()
        self.show(window)
        self.assertEqual(self.people(window), [])
        self.invite(window, "carol@example.com")
        self.assertEqual(self.said(window), ("", "carol@example.com is invited. The link below lets them in."))
        self.assertEqual(self.people(window), [["You", "Owner"], ["carol@example.com", "Invited"]])
        self.invite(window, "Carol@example.com")
        self.assertEqual(self.said(window), ("Carol@example.com is invited already.", ""))
        self.choose(window, "Permission of carol@example.com", "READ_ONLY")
        self.press(window, "[data-key=one-time]")
        self.assertEqual(self.people(window)[2], ["One-time link", "Not opened yet"])
        share = self.close(window)["share"]
        self.assertEqual([one["permission"] for one in share["participants"]], ["READ_WRITE", "READ_ONLY", "READ_WRITE"])

        # Who opens the link first is in, and others are not.
        [link] = share["oneTimeStableUrlInfo"]["oneTimeLinks"]
        self.ask(window, "await as('bob').acceptShares(given[0])", link["webpageURL"])
        self.assertEqual(self.ask(window, "return (await as('eve').acceptShares(given[0])).errors[0]?.ckErrorCode",
                                  link["webpageURL"]), "NOT_FOUND")
        self.show(window)
        self.assertEqual([state for _, state in self.people(window)], ["Owner", "Invited", "Has joined"])
        self.press(window, f"[data-key='remove-{link['participantId']}']")
        self.press(window, "[aria-label='Remove carol@example.com']")
        self.assertEqual(self.people(window), [["You", "Owner"]])
        self.close(window)
        zones = self.ask(window, "return (await as('bob').sharedCloudDatabase.fetchAllRecordZones()).zones.map((z) => z.zoneID.zoneName)")
        self.assertNotIn(zone, zones)

    def test_those_who_ask_are_let_in_denied_and_blocked(self):
        window, _ = self.open_list()
        self.show(window)
        self.press(window, "[data-key=requests]")
        guid = self.close(window)["share"]["shortGUID"]

        def request(user):
            self.ask(window, "await as(given[1]).requestAccess(given[0])", guid, user)
            self.show(window)
            return len(self.find(window, "[aria-labelledby=requests] li"))

        def press_first(action):
            self.press(window, f"[aria-labelledby=requests] li:first-child button[data-key^={action}]")
            self.assertEqual(self.said(window), ("", "Saved."))
            self.assertEqual(self.find(window, "[aria-labelledby=requests] li"), [])
            self.close(window)

        self.assertEqual(request("eve"), 1)
        press_first("deny")
        self.assertEqual(request("eve"), 1)
        press_first("block")
        self.assertEqual(request("eve"), 0)
        self.press(window, "[aria-labelledby=blocked] button")
        self.assertEqual(self.find(window, "[aria-labelledby=blocked]"), [])
        self.close(window)
        self.assertEqual(request("eve"), 1)
        press_first("approve")
        self.assertEqual(self.ask(window, "return (await as('eve').acceptShares(given[0])).results[0]?.participantStatus", guid), "ACCEPTED")
        self.show(window)
        self.assertEqual([state for _, state in self.people(window)], ["Owner", "Has joined"])
        self.close(window)

    def test_everybody_with_the_link_then_only_people_again(self):
        window, _ = self.open_list()
        self.show(window)
        self.invite(window, "carol@example.com")
        self.press(window, "[data-key=access-PUBLIC]")
        self.assertIn("not accepted", self.find(window, "[role=alertdialog]")[0].text)
        # Thought better of it.
        self.press(window, "[role=alertdialog] button:not(.danger)")
        self.assertTrue(self.find(window, "[data-key=access-PRIVATE]")[0].is_selected())
        self.press(window, "[data-key=access-PUBLIC]")
        self.confirm(window)
        self.assertEqual(self.people(window), [["You", "Owner"]])
        self.assertEqual(self.find(window, "[type=email], [data-key=one-time], [data-key^=remove]"), [])
        self.choose(window, "Permission of anyone with the link", "READ_ONLY")
        share = self.close(window)["share"]
        self.assertEqual(share["publicPermission"], "READ_ONLY")
        self.ask(window, "await as('bob').acceptShares(given[0])", share["shortGUID"])
        self.show(window)
        self.assertEqual(self.people(window)[1][1], "Joined by the link")
        self.press(window, "[data-key=access-PRIVATE]")
        self.confirm(window)
        self.assertEqual(self.people(window), [["You", "Owner"]])
        self.assertEqual(self.close(window)["share"]["publicPermission"], "NONE")

    def test_someone_joins_while_the_dialog_is_open(self):
        window, _ = self.open_list()
        self.show(window)
        self.press(window, "[data-key=one-time]")
        link = self.ask(window, """
            const { records: [root] } = await database.fetchRecords('list', window.options);
            const { records: [share] } = await database.fetchRecords(root.share.recordName, window.options);
            return share.oneTimeStableUrlInfo.oneTimeLinks[0].webpageURL;""")
        self.ask(window, "await as('bob').acceptShares(given[0])", link)
        # The share that the dialog knows is outdated; the invitation comes beside what has happened.
        self.invite(window, "carol@example.com")
        self.assertEqual(self.said(window)[0], "")
        self.assertEqual([state for _, state in self.people(window)], ["Owner", "Has joined", "Invited"])
        self.close(window)

    def test_closing_it_shares_nothing_and_stopping_ends_it(self):
        window, _ = self.open_list()
        self.show(window)
        self.assertEqual(self.close(window, Keys.ESCAPE)["ckErrorCode"], "SHARE_UI_CANCELLED")
        self.assertNotIn("share", self.ask(window, "return (await database.fetchRecords('list', window.options)).records[0]"))
        self.show(window)
        self.press(window, "[data-key=copy]")
        self.assertTrue(self.find(window, "[data-key=link]")[0].get_attribute("value").startswith("http"))
        self.press(window, "[data-key=end]")
        self.confirm(window)
        self.assertEqual(self.close(window), {"share": None})
        # What was shared once can be shared again, by the same link.
        self.show(window)
        self.press(window, "[data-key=access-PUBLIC]")
        self.assertEqual(self.said(window), ("", "Saved."))
        self.assertIn("shortGUID", self.close(window)["share"])

    def test_a_new_record_and_a_whole_zone_are_shared(self):
        window, zone = self.open_list()
        window.execute_script("options.record = { recordType: 'List', recordName: 'new', fields: { name: { value: 'New' } } };")
        self.show(window)
        self.press(window, "[data-key=access-PUBLIC]")
        self.assertEqual(self.said(window), ("", "Saved."))
        share = self.close(window)["share"]
        self.assertEqual(share["forRecord"]["recordName"], "new")
        # A share itself is opened as well.
        window.execute_script("options.record = arguments[0]", share)
        self.show(window)
        self.assertEqual(self.people(window), [["You", "Owner"]])
        self.assertEqual(self.close(window)["share"]["recordName"], share["recordName"])
        self.ask(window, "await database.saveRecordZones('Whole'); window.options = { zoneID: 'Whole', shareTitle: 'All' };")
        self.show(window)
        self.press(window, "[data-key=access-PUBLIC]")
        self.assertEqual(self.said(window), ("", "Saved."))
        share = self.close(window)["share"]
        self.assertEqual(share["recordName"], "cloudkit.zoneshare")
        result = self.ask(window, "return (await as('bob').acceptShares(given[0])).results[0]", share["shortGUID"])
        self.assertEqual((result["zoneID"]["zoneName"], result.get("rootRecordName")), ("Whole", None))

    def test_a_participant_sees_who_is_in_and_leaves(self):
        window, _ = self.open_list()
        self.show(window)
        self.press(window, "[data-key=access-PUBLIC]")
        guid = self.close(window)["share"]["shortGUID"]
        guest = self.open_page("bob", size=PHONE)
        self.ask(guest, """
            const { results: [{ zoneID, rootRecordName }] } = await container.acceptShares(given[0]);
            window.database = container.sharedCloudDatabase;
            window.options = { record: { recordName: rootRecordName }, zoneID };""", guid)
        self.show(guest)
        self.assertEqual([state for _, state in self.people(guest)], ["Owner", "Joined by the link"])
        self.assertEqual(self.find(guest, "[type=email], [type=radio], select, [data-key^=remove]"), [])
        self.assert_dialog(guest)
        self.press(guest, "[data-key=end]")
        self.find(guest, "[role=alertdialog] .danger")[0].click()
        result = self.wait(guest, lambda guest: guest.execute_script("return document.body.dataset.result"), "It does not close.")
        self.assertEqual(json.loads(result), {"share": None})
        self.show(window)
        self.assertEqual(self.people(window), [["You", "Owner"], ["Somebody", "Has left"]])
        self.close(window)

    def test_by_keyboard_alone(self):
        window, _ = self.open_list()
        keys = lambda *given: ActionChains(window).send_keys(*given).perform()
        focused = lambda: window.execute_script(
            "return (document.activeElement.shadowRoot?.activeElement ?? document.activeElement).dataset.key ?? document.activeElement.id")
        window.execute_script("document.querySelector('#share').focus()")
        keys(Keys.ENTER)
        self.wait(window, lambda window: self.find(window, "section"), "The dialog does not come.")
        visited = []
        for _ in range(12):
            keys(Keys.TAB)
            visited.append(focused())
        # Nothing of the page behind it is reached.
        self.assertNotIn("share", visited)
        self.assertEqual(
            visited[:7], ["access-PRIVATE", "address", "permission-invite", "invite", "copy", "one-time", "requests"])
        while focused() != "address":
            keys(Keys.TAB)
        keys("carol@example.com", Keys.ENTER)
        self.wait(window, lambda window: len(self.people(window)) == 2, "Nobody was invited.")
        self.assertEqual(focused(), "address")
        keys(Keys.ESCAPE)
        self.wait(window, lambda window: window.execute_script("return document.body.dataset.result"), "It does not close.")
        self.assertEqual(window.execute_script("return document.activeElement.id"), "share")
        self.assertNotIn("c", window.execute_script("return document.body.dataset.keys"))

    def test_a_server_that_cannot_be_reached(self):
        window, _ = self.open_list()
        self.show(window)
        window.execute_cdp_cmd("Network.enable", {})
        window.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/records/modify*"]})
        self.invite(window, "carol@example.com")
        self.assertEqual(self.said(window), ("The server could not be reached. Try again.", ""))
        self.assertEqual(self.find(window, "[type=email]")[0].get_attribute("value"), "carol@example.com")
        window.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})
        self.press(window, "form button")
        self.assertEqual(self.people(window)[1:], [["carol@example.com", "Invited"]])
        self.close(window)

    def test_what_the_app_supports_is_what_can_be_chosen(self):
        window, _ = self.open_list()
        for access, permissions, choices in (("PRIVATE", ["READ_ONLY"], 0), (["PUBLIC"], ["READ_ONLY"], 0), (None, None, 2)):
            window.execute_script("Object.assign(options, { supportedAccess: arguments[0], supportedPermissions: arguments[1] })",
                                  access, permissions)
            self.show(window)
            self.assertEqual(len(self.find(window, "[type=radio]")), choices)
            self.assertEqual(len(self.find(window, "select")), 1 if permissions is None else 0)
            self.assertEqual(len(self.find(window, "[type=email]")), 0 if access == ["PUBLIC"] else 1)
            self.close(window, Keys.ESCAPE)
        window.execute_script("options.supportedAccess = ['PUBLIC']; options.supportedPermissions = ['READ_ONLY']")
        self.show(window)
        self.press(window, "[data-key=copy]")
        self.assertEqual(self.close(window)["share"]["publicPermission"], "READ_ONLY")

    def test_looks_and_languages(self):
        window, _ = self.open_list()
        self.show(window)
        self.invite(window, "somebody.with.a.rather.long.address@department.of.names.example.com")
        self.press(window, "[data-key=one-time]")
        self.close(window)
        zone = window.execute_script("return options.zoneID")
        titles = set()
        looks = [(DESKTOP, False), (PHONE, False), (DESKTOP, True), (PHONE, True), ((320, 600), False)]
        for language, (size, dark) in zip(LANGUAGES, looks):
            other = self.open_page(locale=language, size=size, dark=dark, reduced_motion=dark)
            # What the page does to its elements does not reach the dialog.
            other.execute_script("""
                const sheet = new CSSStyleSheet();
                sheet.replaceSync("body > div { display: none !important; opacity: .1 } button, h2 { color: #eee; font-size: 40px }");
                document.adoptedStyleSheets = [sheet];""")
            other.execute_script("window.options = { record: { recordName: 'list' }, zoneID: arguments[0] }", zone)
            self.show(other)
            self.assert_dialog(other)
            self.assertEqual(self.find(other, "dialog")[0].get_attribute("lang"), language)
            titles.add(self.find(other, "h2")[0].text)
            self.assert_quiet(other)
        self.assertEqual(len(titles), len(LANGUAGES))
