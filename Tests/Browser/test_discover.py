"""Discover: newest first, pictures as they come into view, no restaurant twice, a photo added, and read offline."""

import pathlib
import re
import shutil
import signal
import tempfile

from selenium.webdriver.common.by import By
from support import DESKTOP, PHONE, ROOT, BrowserTestCase, commands, write_photo

RESTAURANTS = 60
PAGE = 24
OPTIONS = ("--players", "1", "--restaurants", str(RESTAURANTS), "--apps", str(ROOT / "Examples"))


class DiscoverTests(BrowserTestCase):
    keeps_windows = False

    @classmethod
    def setUpClass(cls):
        """Data that each test begins with."""
        cls.made = commands.Workplace("discover-data")
        cls.made.__enter__()
        cls.addClassCleanup(cls.made.__exit__, None, None, None)
        server = cls.made.start("demo", "data", commands.free_port(), *OPTIONS)
        server.wait_until_ready()
        server.send(signal.SIGTERM)
        server.wait()

    def setUp(self):
        """A server for each test: what one adds, the others must not see."""
        self.work = commands.Workplace("discover")
        self.work.__enter__()
        self.addCleanup(self.work.__exit__, None, None, None)
        shutil.copytree(self.made.path / "data", self.work.path / "data")
        self.port = commands.free_port()
        self.start()
        self.address = f"http://127.0.0.1:{self.port}/apps/discover/"

    def start(self):
        self.server = self.work.start("demo", "data", self.port, *OPTIONS)
        self.server.wait_until_ready()

    def stop(self):
        self.server.send(signal.SIGTERM)
        self.assertEqual(self.server.wait(), 0)

    # What the page shows.

    def names(self, window):
        return window.execute_script(
            "return [...document.querySelectorAll('#restaurants li')].map((cell) => cell.dataset.recordName)")

    def pictures(self, window):
        """How many cells in view have their picture, and how many there are."""
        return window.execute_script("""
            const inView = [...document.querySelectorAll('#restaurants li')].filter((cell) => {
                const { top, bottom } = cell.getBoundingClientRect();
                return bottom > 0 && top < innerHeight;
            });
            const shown = inView.filter((cell) => {
                const image = cell.querySelector('img');
                return !image.hidden && image.complete && image.naturalWidth > 0;
            });
            return [shown.length, inView.length];""")

    def wait_for_cells(self, window, count):
        self.wait(window, lambda window: len(self.names(window)) >= count, f"There are not {count} cells.")

    def wait_for_pictures(self, window):
        def all_shown(window):
            shown, cells = self.pictures(window)
            return cells > 0 and shown == cells
        self.wait(window, all_shown, "Cells in view have no picture.")

    # The tests.

    def test_newest_first_and_pictures_in_view(self):
        for size in (DESKTOP, PHONE):
            for dark in (False, True):
                window = self.open(self.address, size=size, dark=dark)
                self.wait_for_cells(window, 1)
                names = self.names(window)
                self.assertEqual(len(set(names)), len(names))
                self.wait_for_pictures(window)
                self.assert_fits(window)
                self.assert_readable(window)
                self.assert_labelled(window)
                self.assert_quiet(window)
        below = window.execute_script("""
            return [...document.querySelectorAll('#restaurants li')].at(-1).querySelector('img').hidden""")
        self.assertTrue(below, "A picture far below was fetched already.")
        window.execute_script("scrollTo(0, 3000)")
        self.wait_for_pictures(window)

    def test_placeholders_come_before_pictures(self):
        window = self.open("about:blank")
        window.execute_cdp_cmd("Network.enable", {})
        window.execute_cdp_cmd("Network.setBypassServiceWorker", {"bypass": True})
        window.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/assets/get/*"]})
        window.get(self.address)
        self.wait_for_cells(window, PAGE)
        cell = window.find_element(By.CSS_SELECTOR, "#restaurants li")
        self.assertTrue(cell.find_element(By.TAG_NAME, "svg").is_displayed())
        self.assertFalse(cell.find_element(By.TAG_NAME, "img").is_displayed())
        self.assertTrue(cell.find_element(By.TAG_NAME, "h2").text)
        self.assertTrue(cell.find_element(By.CLASS_NAME, "location").text)

    def test_scrolling_and_refreshing_repeat_nothing(self):
        window = self.open(self.address)
        self.wait_for_cells(window, PAGE)
        for count in [*range(PAGE, RESTAURANTS, PAGE), RESTAURANTS]:
            window.execute_script("scrollTo(0, document.body.scrollHeight)")
            self.wait_for_cells(window, count)
        self.wait_for_refresh(window)
        names = self.names(window)
        self.assertEqual(len(names), RESTAURANTS)
        self.assertEqual(len(set(names)), RESTAURANTS)
        self.assertFalse(window.find_element(By.ID, "more").is_displayed())
        window.execute_script("scrollTo(0, 0)")
        for _ in range(2):
            window.find_element(By.ID, "refresh").click()
            self.wait_for_refresh(window)
            again = self.names(window)
            self.assertEqual(len(set(again)), len(again))
            self.assertEqual(again, names[:len(again)])

    def test_pulling_refreshes(self):
        window = self.open(self.address, size=PHONE)
        self.wait_for_cells(window, PAGE)
        first = self.names(window)[0]
        self.add_without_page("Pulled in")
        window.execute_cdp_cmd("Emulation.setTouchEmulationEnabled", {"enabled": True})
        for kind, y in (("touchStart", 200), ("touchMove", 260), ("touchMove", 400), ("touchEnd", None)):
            points = [] if y is None else [{"x": 200, "y": y}]
            window.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
        self.wait_for_text(window, "#restaurants li:first-child h2", "Pulled in")
        self.assertEqual(self.names(window)[1], first)

    def test_adding_with_a_photo(self):
        window = self.open(self.address)
        self.wait_for_cells(window, PAGE)
        before = self.names(window)
        with tempfile.TemporaryDirectory() as folder:
            photo = pathlib.Path(folder) / "photo.png"
            write_photo(photo, 3000, 2000)
            window.find_element(By.ID, "add").click()
            for name, text in (("name", "The New One"), ("type", "Café"), ("location", "Here 1, Town")):
                window.find_element(By.NAME, name).send_keys(text)
            window.find_element(By.NAME, "photo").send_keys(str(photo))
            self.wait(window, lambda window: window.find_element(By.ID, "preview").is_displayed(), "No preview")
            window.find_element(By.CSS_SELECTOR, "#adding .primary").click()
            self.wait_for_text(window, "#restaurants li:first-child h2", "^The New One$")
        self.assertFalse(window.find_element(By.ID, "adding").is_displayed())
        self.wait_for_pictures(window)
        width = window.execute_script("return document.querySelector('#restaurants li img').naturalWidth")
        self.assertEqual(width, 1024)
        kind = window.execute_async_script("""
            const done = arguments[0];
            fetch(document.querySelector('#restaurants li img').src).then((answer) => answer.blob())
                .then((blob) => done(blob.type));""")
        self.assertEqual(kind, "image/jpeg")
        self.assertEqual(self.names(window)[1:], before)
        # Another visitor sees it as well.
        other = self.open(self.address)
        self.wait_for_text(other, "#restaurants li:first-child h2", "^The New One$")
        self.wait_for_pictures(other)
        self.assert_quiet(window)

    def test_a_file_that_is_no_photo(self):
        window = self.open(self.address)
        self.wait_for_cells(window, PAGE)
        window.find_element(By.ID, "add").click()
        window.find_element(By.NAME, "photo").send_keys(str(ROOT / "Package.swift"))
        self.wait_for_text(window, "#adding-problem", "no photo")

    def test_what_was_seen_can_be_read_offline(self):
        window = self.open(self.address)
        self.wait_for_cells(window, PAGE)
        self.wait_for_pictures(window)
        names = self.names(window)[:PAGE]
        self.stop()
        window.refresh()
        self.wait_for_text(window, "#offline", r"Offline: showing what was seen at \d\d:\d\d")
        self.wait_for_cells(window, PAGE)
        self.assertEqual(self.names(window)[:PAGE], names)
        self.wait_for_pictures(window)
        self.assert_readable(window)
        self.start()
        window.find_element(By.ID, "refresh").click()
        self.wait(window, lambda window: not window.find_element(By.ID, "offline").text, "It says it is offline.")
        self.wait_for_cells(window, PAGE)

    def test_a_first_visit_offline_says_why(self):
        window = self.open(self.address)
        self.wait_for_cells(window, PAGE)
        window.execute_async_script("""
            const done = arguments[0];
            caches.delete('answers').then(done);""")
        self.stop()
        window.refresh()
        self.wait_for_text(window, "#problem", "could not be reached")
        self.start()
        window.find_element(By.CSS_SELECTOR, "#problem button").click()
        self.wait_for_cells(window, PAGE)
        self.assertFalse(window.find_element(By.ID, "problem").is_displayed())

    def test_two_people_see_a_list_of_favourites_change(self):
        self.options = ["--data", str(self.work.path / "data"), "--container", "iCloud.stratus.demo"]
        commands.run("sign-in", "set", "open", *self.options)
        ada = self.sign_in("ada@example.org", size=DESKTOP)
        self.wait_for_text(ada, "#nothing", "Nothing yet")
        ada.find_element(By.CSS_SELECTOR, "nav a").click()
        self.wait_for_cells(ada, PAGE)
        hearts = ada.find_elements(By.CSS_SELECTOR, "#restaurants .heart")
        for heart in hearts[:2]:
            heart.click()
        self.wait(ada, lambda window: self.hearts(window) == [True, True, False], "The hearts are not filled.")
        ada.find_element(By.ID, "favourites").click()
        self.wait(ada, lambda window: len(self.favourites(window)) == 2, "The list does not come.")
        first, second = self.favourites(ada)
        self.look(ada)

        ada.find_element(By.CSS_SELECTOR, ".share").click()
        def find(selector):
            return ada.find_element(By.CSS_SELECTOR, "[data-cloudkit-share]").shadow_root.find_elements(By.CSS_SELECTOR, selector)
        self.wait(ada, lambda window: find("[type=email]"), "The dialog does not come.")
        find("[type=email]")[0].send_keys("bob@example.org")
        find("form button")[0].click()
        self.wait(ada, lambda window: "bob@example.org" in find("main")[0].text, "Bob is not invited.")
        link = find("[data-key=link]")[0].get_attribute("value")
        find("[data-key=done]")[0].click()

        bob = self.sign_in("bob@example.org", size=PHONE)
        bob.find_element(By.ID, "link").send_keys(link)
        bob.find_element(By.CSS_SELECTOR, "#opening button").click()
        self.wait(bob, lambda window: self.favourites(window) == [first, second], "Bob does not see the list.")
        self.look(bob)
        # What one does, both see at once.
        bob.find_element(By.CSS_SELECTOR, ".favourites li .heart").click()
        for window in (ada, bob):
            self.wait(window, lambda window: self.favourites(window) == [second], "What Bob removed stays.")
        # Before somebody signs in, the server says that nobody is.
        for window in (ada, bob):
            self.assert_quiet(window, allowing="users/caller")

    # Helpers.

    def sign_in(self, address, **look):
        """A window with the page of favourites, where somebody with a new account has signed in."""
        link = commands.run("account", "invite", address, "--url", f"http://127.0.0.1:{self.port}", *self.options).stdout.strip()
        window = self.open(f"{self.address}favourites.html?people", **look)
        app = window.current_window_handle
        self.click(window, "#apple-sign-in-button button")
        self.wait(window, lambda window: len(window.window_handles) == 2, "No window was opened.")
        window.switch_to.window(next(handle for handle in window.window_handles if handle != app))
        window.get(link)
        field = window.find_element(By.NAME, "password")
        field.send_keys("a raven of 1845")
        field.submit()
        self.wait(window, lambda window: len(window.window_handles) == 1, "The window did not close.")
        window.switch_to.window(app)
        self.wait(window, lambda window: window.find_element(By.ID, "opening").is_displayed(), "Nobody is signed in.")
        return window

    def favourites(self, window):
        return window.execute_script("return [...document.querySelectorAll('.favourites h3')].map((item) => item.textContent)")

    def hearts(self, window):
        return window.execute_script("""
            return [...document.querySelectorAll('#restaurants .heart')].slice(0, 3).map((heart) => heart.ariaPressed === 'true' && !heart.ariaBusy)""")

    def look(self, window):
        self.assert_structured(window)
        self.assert_fits(window)
        self.assert_readable(window)
        self.assert_labelled(window)

    def wait_for_refresh(self, window):
        self.wait(
            window, lambda window: not window.find_element(By.ID, "loading").is_displayed(), "It goes on loading.")

    def add_without_page(self, name):
        text = self.server.text
        url = re.search(r"http://[^\s']+records/query\?ckAPIToken=(\w+)", text)
        web = re.search(r"web auth token\s+(\w+)", text).group(1)
        client = commands.Client(
            self.port, "iCloud.stratus.demo", "public", url.group(1), web, "development")
        client.ask("records/modify", {"operations": [{
            "operationType": "create",
            "record": {"recordType": "Restaurant", "fields": {"name": {"value": name}}}}]})
        client.close()
