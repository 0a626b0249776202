"""The console's pages about requests in Chromium: the list, one request, the live tail, the charts."""

import json
import unittest
import urllib.error
import urllib.request

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from support import DESKTOP, PHONE, BrowserTestCase, start_server

CONTAINER = "/database/1/iCloud.stratus.demo/development/public"


class RequestTests(BrowserTestCase):
    @classmethod
    def setUpClass(cls):
        port, _ = start_server(cls, "demo", "--players", "100", "--restaurants", "20")
        cls.address = f"http://127.0.0.1:{port}"

    def console(self, path, **more):
        """A window in which the demo's operator has signed in."""
        window = self.open(f"{self.address}/console/sign-in", **more)
        window.find_element(By.CSS_SELECTOR, "form:has([name='open']) button").click()
        self.wait(window, lambda window: window.find_elements(By.CSS_SELECTOR, ".menu"), "Nobody came in.")
        window.get(f"{self.address}/console{path}")
        return window

    def refuse(self, times=1):
        """A request that is refused; gives the id from its error."""
        for _ in range(times):
            request = urllib.request.Request(
                f"{self.address}{CONTAINER}/records/query?ckAPIToken=wrong", data=b"{}",
                headers={"User-Agent": "Club/1.0"})
            try:
                urllib.request.urlopen(request)
                raise AssertionError("a wrong token was let in")
            except urllib.error.HTTPError as error:
                uuid = json.load(error)["uuid"]
        return uuid

    def rows(self, window):
        return window.find_elements(By.CSS_SELECTOR, "#request-rows tr")

    def test_a_pasted_id_opens_its_request(self):
        uuid = self.refuse()
        window = self.console("/requests")
        field = window.find_element(By.ID, "id")
        field.send_keys(f" {uuid} ", Keys.ENTER)
        self.wait(window, lambda window: window.current_url.endswith(uuid), "The request did not open.")
        text = window.find_element(By.TAG_NAME, "main").text
        for word in ("AUTHENTICATION_FAILED", "records/query", "iCloud.stratus.demo", "Club/1.0"):
            self.assertIn(word, text)
        self.assert_labelled(window)
        self.assert_quiet(window)

    def test_the_tail_follows_pauses_and_catches_up(self):
        window = self.console("/requests?failed=1")
        button = window.find_element(By.CSS_SELECTOR, "#live-tail button")
        button.send_keys(Keys.ENTER)
        self.wait_for_text(window, "#live-state", "Following")
        first = self.refuse()
        link = f"#request-rows a[href$='{first}']"
        self.wait(window, lambda window: window.find_elements(By.CSS_SELECTOR, link), "It did not appear.")
        self.assertIn(first, self.rows(window)[0].get_attribute("innerHTML"), "the newest is first")
        button.click()
        self.wait_for_text(window, "#live-state", "Paused")
        meanwhile = [self.refuse() for _ in range(3)]
        button.click()
        self.wait(
            window, lambda window: all(uuid in window.page_source for uuid in meanwhile), "Some were missed.")
        shown = window.execute_script(
            "return Array.from(document.querySelectorAll('#request-rows a'), (a) => a.href.split('/').pop())")
        self.assertEqual(shown[:4], [*reversed(meanwhile), first])
        self.assertEqual(len(shown), len(set(shown)), "nothing stands there twice")
        self.assert_quiet(window)

    def test_the_list_pages_both_ways(self):
        self.refuse(130)
        window = self.console("/requests?code=AUTHENTICATION_FAILED")
        newest = [row.text for row in self.rows(window)]
        self.assertEqual(len(newest), 100)
        window.find_element(By.LINK_TEXT, "Older").click()
        self.assertGreaterEqual(len(self.rows(window)), 30)
        self.assertFalse(set(newest) & {row.text for row in self.rows(window)})
        window.find_element(By.LINK_TEXT, "Newer").click()
        self.assertEqual(self.rows(window)[0].text, newest[0])

    def test_pages_are_readable_everywhere(self):
        uuid = self.refuse()
        for size in (DESKTOP, PHONE):
            for dark in (False, True):
                window = self.console("/requests", size=size, dark=dark)
                for path in ("/requests", f"/requests/{uuid}", "/requests/1", "/charts?span=hour", "/charts?span=week"):
                    window.get(f"{self.address}/console{path}")
                    with self.subTest(path=path, size=size, dark=dark):
                        self.assert_fits(window)
                        self.assert_readable(window)
                        self.assert_labelled(window)

    def test_charts_have_numbers_for_everybody(self):
        self.refuse()
        window = self.console("/charts")
        self.assertEqual(len(window.find_elements(By.CSS_SELECTOR, "figure svg[role='img']")), 3)
        self.assertTrue(window.find_elements(By.XPATH, "//*[contains(text(), 'refused')]"))
        window.find_element(By.TAG_NAME, "summary").click()
        table = window.find_element(By.TAG_NAME, "table")
        self.assertTrue(table.is_displayed())
        self.assertEqual(len(table.find_elements(By.CSS_SELECTOR, "tbody tr")), 12)
        window.find_element(By.LINK_TEXT, "Last week").click()
        self.assert_quiet(window)


if __name__ == "__main__":
    unittest.main()
