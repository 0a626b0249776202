"""A record is broken and undone, deleted and brought back, in Chromium, served by `stratus demo`."""

import os
import unittest

from selenium.webdriver.common.by import By

from support import DESKTOP, PHONE, BrowserTestCase, start_server

PLAYER = "player-0000001"


class VersionsTests(BrowserTestCase):
    @classmethod
    def setUpClass(cls):
        port, _ = start_server(cls, "demo", "--players", "60", "--restaurants", "20")
        cls.origin = f"http://127.0.0.1:{port}"
        cls.base = f"{cls.origin}/console/c/iCloud.stratus.demo/development"

    def console(self, path, **more):
        page = self.open(f"{self.origin}/console/", **more)
        page.find_element(By.CSS_SELECTOR, "button.primary").click()
        self.wait(page, lambda page: page.find_elements(By.CSS_SELECTOR, "nav.menu"), "Nobody is let in.")
        page.get(self.base + path)
        return page

    def keep(self, page, record_type="Player"):
        page.get(f"{self.base}/schema")
        card = page.find_element(By.CSS_SELECTOR, f"section[aria-labelledby='type-{record_type}']")
        card.find_element(By.XPATH, ".//summary[starts-with(normalize-space(), 'Versions')]").click()
        card.find_element(By.NAME, "keep").click()
        self.wait_for_text(page, ".flash", f"Of each {record_type}, 20 versions are kept for 30 days")

    def rename(self, page, name):
        page.get(f"{self.base}/records/{PLAYER}")
        field = page.find_element(By.NAME, "v.name")
        field.clear()
        field.send_keys(name)
        page.find_element(By.CSS_SELECTOR, "#record button.primary").click()
        self.wait_for_text(page, ".flash", "Saved")

    def value(self, page):
        page.get(f"{self.base}/records/{PLAYER}")
        return page.find_element(By.NAME, "v.name").get_attribute("value")

    def test_a_wrong_save_is_undone(self):
        page = self.console("/schema")
        self.keep(page)
        before = self.value(page)
        self.rename(page, "Oops")
        page.find_element(By.LINK_TEXT, "Versions").click()
        cards = page.find_elements(By.CSS_SELECTOR, "section.once")
        self.assertEqual(len(cards), 2)
        row = cards[0].find_element(By.CSS_SELECTOR, "tbody tr")
        self.assertEqual([cell.text for cell in row.find_elements(By.CSS_SELECTOR, "th, td")], ["name", before, "Oops"])
        cards[1].find_element(By.TAG_NAME, "button").click()
        self.wait_for_text(page, ".flash", "is what it was then")
        self.assertEqual(self.value(page), before)
        page.get(f"{self.origin}/console/audit")
        self.assertIn("restore record", page.find_element(By.TAG_NAME, "main").text)

    def test_a_deleted_record_comes_back(self):
        page = self.console("/schema")
        self.keep(page, "Restaurant")
        page.get(f"{self.base}/records?type=Restaurant")
        names = [box.get_attribute("value") for box in page.find_elements(By.CSS_SELECTOR, "input[form=picked]")][:2]
        for name in names:
            page.get(f"{self.base}/delete-record?name={name}")
            self.assertIn("for 30 days", page.find_element(By.TAG_NAME, "main").text)
            page.find_element(By.CSS_SELECTOR, "main button.danger").click()
            self.wait_for_text(page, ".flash", "is deleted")
        page.get(f"{self.base}/records?type=Restaurant")
        page.find_element(By.LINK_TEXT, "Deleted").click()
        rows = page.find_elements(By.CSS_SELECTOR, "tbody tr")
        self.assertEqual([row.find_element(By.TAG_NAME, "a").text for row in rows], names[::-1])
        rows[0].find_element(By.TAG_NAME, "button").click()
        self.wait_for_text(page, ".flash", "1 record is back")
        page.find_element(By.LINK_TEXT, names[0]).click()
        page.find_element(By.CSS_SELECTOR, "section.once button").click()
        self.wait_for_text(page, ".flash", "is what it was then")
        page.get(f"{self.base}/bin?type=Restaurant")
        self.assertIn("No record of this type was deleted here", page.find_element(By.TAG_NAME, "main").text)

    def test_a_deleted_field_comes_back_on_a_phone(self):
        page = self.console("/schema", size=PHONE)
        path = "/schema/types/Restaurant/fields/name/delete"
        page.execute_script(
            "const form = document.querySelector(`form[action$='${arguments[0]}']`); form.submit()", path)
        self.wait(page, lambda page: page.find_elements(By.NAME, "confirm"), "Nobody asks for the name.")
        page.find_element(By.NAME, "confirm").send_keys("name")
        page.find_element(By.CSS_SELECTOR, "main button.danger").click()
        self.wait_for_text(page, ".flash", "can be brought back for 30 days")
        card = page.find_element(By.CSS_SELECTOR, "section[aria-labelledby='removed']")
        for button in card.find_elements(By.TAG_NAME, "button"):
            box = button.rect
            self.assertGreaterEqual(box["x"], 0)
            self.assertLessEqual(box["x"] + box["width"], PHONE[0], f"'{button.text}' needs a sideways scroll")
        self.assertFalse(card.find_elements(By.CSS_SELECTOR, ".scroll"))
        self.assert_fits(page)
        self.assert_readable(page)
        self.assert_labelled(page)
        if picture := os.environ.get("STRATUS_PICTURE"):
            card.screenshot(picture)
        card.find_element(By.XPATH, ".//button[contains(., 'Bring back')]").click()
        self.wait_for_text(page, ".flash", "Restaurant.name")
        self.assertFalse(page.find_elements(By.CSS_SELECTOR, "section[aria-labelledby='removed']"))

    def test_looks_right_on_every_screen(self):
        page = self.console("/schema")
        self.keep(page)
        self.rename(page, "A name " + "that is very long " * 12)
        name = "player-0000002"
        page.get(f"{self.base}/delete-record?name={name}")
        page.find_element(By.CSS_SELECTOR, "main button.danger").click()
        self.wait_for_text(page, ".flash", "is deleted")
        for size in (DESKTOP, PHONE):
            for dark in (False, True):
                page = self.console("/records", size=size, dark=dark)
                for path in [f"/record-versions?name={PLAYER}", f"/record-versions?name={name}", "/bin?type=Player", "/schema"]:
                    with self.subTest(path=path, size=size, dark=dark):
                        page.get(self.base + path)
                        for details in page.find_elements(By.XPATH, "//summary[starts-with(normalize-space(), 'Versions')]"):
                            details.click()
                        self.assert_fits(page)
                        self.assert_labelled(page)
                        self.assert_readable(page)
                        self.assert_quiet(page)


if __name__ == "__main__":
    unittest.main()
