"""The console's pages about records in Chromium, served by `stratus demo`."""

import json
import pathlib
import re
import tempfile
import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from support import DESKTOP, ONLINE, PHONE, BrowserTestCase, start_server, write_photo

OFFLINE = {**ONLINE, "offline": True}

class RecordsTests(BrowserTestCase):
    @classmethod
    def setUpClass(cls):
        port, _ = start_server(cls, "demo", "--players", "1200", "--restaurants", "20")
        cls.origin = f"http://127.0.0.1:{port}"
        cls.base = f"{cls.origin}/console/c/iCloud.stratus.demo/development"

    def console(self, path, **more):
        page = self.open(f"{self.origin}/console/", **more)
        page.find_element(By.CSS_SELECTOR, "button.primary").click()
        self.wait(page, lambda page: page.find_elements(By.CSS_SELECTOR, "nav.menu"), "Nobody is let in.")
        page.get(self.base + path)
        return page

    def names(self, page):
        return [box.get_attribute("value") for box in page.find_elements(By.CSS_SELECTOR, "input[form=picked]")]

    def test_looks_right_on_every_screen(self):
        paths = ["/records?type=Player&s=likes&d=desc", "/records?type=Player&f=level&c=EQUALS&v=50", "/records/player-0000001",
                 "/records/player-0000001?view=json", "/new-record?type=Player", "/records-import?type=Player",
                 "/records-delete-all?type=Player&f=level&c=EQUALS&v=50", "/delete-record?name=player-0000001",
                 "/new-record?type=Restaurant"]
        for size in (DESKTOP, PHONE):
            for dark in (False, True):
                page = self.console("/records", size=size, dark=dark)
                for path in paths:
                    with self.subTest(path=path, size=size, dark=dark):
                        page.get(self.base + path)
                        self.assert_fits(page)
                        self.assert_labelled(page)
                        self.assert_readable(page)
                        self.assert_quiet(page)

    def test_a_wide_table_scrolls_in_its_box(self):
        page = self.console("/records")
        self.make_type(page, "Wide", ["title STRING"] + [f"field{number} STRING" for number in range(20)])
        page.find_element(By.NAME, "v.title").send_keys("only this")
        self.make(page)
        self.wait_for_text(page, ".flash", "The record was created")
        for size in (DESKTOP, PHONE):
            page = self.console("/records?type=Wide", size=size)
            self.assert_fits(page)
            wide = page.execute_script("const box = document.querySelector('.records'); return box.scrollWidth > box.clientWidth")
            self.assertTrue(wide, "The table fits, so nothing was tested")

    def test_sorting_keeps_the_tables_place(self):
        page = self.console("/records?type=Player", size=PHONE)
        place = "const box = document.querySelector('.records'); return [Math.round(window.scrollY), Math.round(box.scrollLeft)]"
        page.execute_script("window.scrollTo({ top: 60, behavior: 'instant' }); document.querySelector('.records').scrollLeft = 40")
        self.assertEqual(page.execute_script(place), [60, 40], "The table fits, so nothing was tested")
        address = page.current_url
        # By a script, since the driver would scroll to the heading first.
        page.execute_script("document.querySelectorAll('.records thead a')[1].click()")
        self.wait(page, lambda page: page.current_url != address, "The heading sorts nothing.")
        self.wait(page, lambda page: page.execute_script(place) == [60, 40], "The table is at another place after sorting.")

    def test_pages_go_forward_and_back(self):
        page = self.console("/records?type=Player&s=level&limit=50")
        seen = [self.names(page)]
        for _ in range(3):
            page.find_element(By.LINK_TEXT, "Next →").click()
            seen.append(self.names(page))
        self.assertEqual(len(set(sum(seen, []))), 200)
        for names in reversed(seen[:-1]):
            page.find_element(By.LINK_TEXT, "← Previous").click()
            self.assertEqual(self.names(page), names)
        self.wait_for_text(page, ".count", "1,200 in all")

    def test_builds_a_filter_by_keyboard(self):
        page = self.console("/records?type=Player")
        summary = page.find_element(By.CSS_SELECTOR, "#query summary")
        summary.send_keys(Keys.ENTER)
        page.find_element(By.CSS_SELECTOR, "[data-add=filters]").send_keys(Keys.ENTER)
        self.assertEqual(page.switch_to.active_element.get_attribute("name"), "f")
        Select(page.switch_to.active_element).select_by_visible_text("level")
        comparator = Select(page.find_element(By.CSS_SELECTOR, "#filters [name=c]"))
        self.assertNotIn("begins with", [option.text for option in comparator.options])
        comparator.select_by_visible_text("is at least")
        page.find_element(By.CSS_SELECTOR, "#filters [name=v]").send_keys("90", Keys.ENTER)
        self.wait(page, lambda page: "v=90" in page.current_url, "The form is not sent.")
        self.assertNotIn("predicate=", page.current_url)
        levels = page.execute_script(
            "return [...document.querySelectorAll('.records tbody tr')].map(row => Number(row.cells[5].textContent))")
        self.assertTrue(levels and all(level >= 90 for level in levels), levels)
        # The search is remembered.
        page.get(self.base + "/records?type=Player")
        self.wait_for_text(page, "#recent", "")
        self.assertIn("level is at least 90", page.find_element(By.ID, "recent").get_attribute("textContent"))

    def test_completes_predicates_and_points_at_mistakes(self):
        page = self.console("/records?type=Player")
        page.find_element(By.CSS_SELECTOR, "#query summary").click()
        box = page.find_element(By.ID, "predicate")
        self.assertEqual(box.aria_role, "combobox")
        box.send_keys("lev")
        options = self.wait(page, lambda page: page.find_elements(By.CSS_SELECTOR, "[role=option]"), "Nothing is offered.")
        self.assertEqual(options[0].get_attribute("data-text"), "level")
        box.send_keys(Keys.ARROW_DOWN)
        self.assertEqual(box.get_attribute("aria-activedescendant"), options[0].get_attribute("id"))
        box.send_keys(Keys.ENTER)
        self.assertEqual(box.get_attribute("value"), "level ")
        self.assertEqual(box.get_attribute("aria-expanded"), "false")
        box.send_keys("> > 5")
        self.wait_for_text(page, "#predicate-problem pre", r"level > > 5\n\s+\^")
        self.assertEqual(box.get_attribute("aria-invalid"), "true")
        box.send_keys(Keys.BACKSPACE * 5)
        box.send_keys("> 5 AND nam == 'x'")
        self.wait_for_text(page, "#predicate-problem", "Unknown field 'nam'")
        box.send_keys(Keys.BACKSPACE * len(" AND nam == 'x'"))
        self.wait(page, lambda _: box.get_attribute("aria-invalid") == "false", "The mistake stays.")
        box.send_keys(Keys.CONTROL, Keys.ENTER)
        self.wait(page, lambda page: "predicate=level" in page.current_url, "The form is not sent.")
        self.assert_quiet(page)

    def test_makes_the_index_that_is_missing(self):
        """In development a query of the console has its index made, beside writes."""
        page = self.console("/records?type=Player&f=city&c=EQUALS&v=Lisbon&f=position&c=EQUALS&v=forward&s=likes&d=desc")
        self.wait_for_text(page, ".plan", "Looked through all records")
        before = self.names(page)

        def is_served(window):
            window.refresh()
            return "Served by an index on city, position, likes" in window.find_element(By.CSS_SELECTOR, ".plan").text

        self.wait(page, is_served, "The index is not made.")
        self.assertEqual(self.names(page), before)

    def test_edits_conflicts_and_deletes(self):
        page = self.console("/new-record?type=Player")
        page.find_element(By.ID, "record-name").send_keys("browser-1")
        page.find_element(By.NAME, "v.name").send_keys("Ada")
        page.find_element(By.NAME, "v.level").send_keys("7")
        page.find_element(By.CSS_SELECTOR, "#record .primary").click()
        self.wait_for_text(page, ".flash", "The record was created")
        other = self.console("/records/browser-1?view=json")
        box = other.find_element(By.ID, "json")
        self.assertEqual(json.loads(box.get_attribute("value"))["level"]["value"], 7)
        box.clear()
        box.send_keys('{"name": ')
        self.wait(other, lambda _: box.get_attribute("aria-invalid") == "true", "Broken JSON is taken for good.")
        box.send_keys('{"value": "Grace"}, "level": {"value": 8}}')
        other.find_element(By.CSS_SELECTOR, "#record .primary").click()
        self.wait_for_text(other, ".flash", "Saved")
        name = page.find_element(By.NAME, "v.name")
        name.clear()
        name.send_keys("Mine")
        page.find_element(By.CSS_SELECTOR, "#record .primary").click()
        self.wait_for_text(page, ".problem", "Somebody else changed the same fields")
        self.assertEqual([cell.text for cell in page.find_elements(By.CSS_SELECTOR, ".version")], ["Mine", "Grace", "Ada"])
        self.assertIn("Only they changed, and it stays so: level", page.find_element(By.ID, "conflict").text)
        # The order of focus is not asked for: the tab key visits one choice of two.
        for check in (self.assert_fits, self.assert_labelled, self.assert_readable, self.assert_structured):
            check(page)
        save = page.find_element(By.CSS_SELECTOR, "#conflict .primary")
        save.click()
        self.assertTrue(page.execute_script("return document.activeElement.matches(':invalid[type=radio]')"), "No choice is asked for.")
        page.switch_to.active_element.send_keys(Keys.SPACE)
        save.click()
        self.wait_for_text(page, ".flash", "Saved")
        self.assertEqual(page.find_element(By.NAME, "v.name").get_attribute("value"), "Mine")
        self.assertEqual(page.find_element(By.NAME, "v.level").get_attribute("value"), "8")
        self.merge(page, other)
        page.find_element(By.LINK_TEXT, "Delete…").click()
        page.find_element(By.XPATH, "//button[text()='Delete it']").click()
        self.wait_for_text(page, ".flash", "browser-1 is deleted")

    def merge(self, page, other):
        """Two windows change different fields: nobody is asked."""
        other.get(self.base + "/records/browser-1")
        for window, name, text in ((other, "v.level", "9"), (page, "v.name", "Both")):
            field = window.find_element(By.NAME, name)
            field.clear()
            field.send_keys(text)
            window.find_element(By.CSS_SELECTOR, "#record .primary").click()
            self.wait_for_text(window, ".flash", "Saved")
        self.wait_for_text(page, ".flash", "Kept as changed meanwhile: level")
        self.assertEqual(page.find_element(By.NAME, "v.name").get_attribute("value"), "Both")
        self.assertEqual(page.find_element(By.NAME, "v.level").get_attribute("value"), "9")

    def test_picks_rows_and_deletes_them(self):
        page = self.console("/records?type=Player&s=___createdTimestamp&d=desc&limit=50")
        doomed = self.names(page)[:3]
        boxes = page.find_elements(By.CSS_SELECTOR, "input[form=picked]")
        button = page.find_element(By.ID, "delete-picked")
        self.assertFalse(button.is_enabled())
        for box in boxes[:3]:
            page.execute_script("arguments[0].click()", box)
        self.assertIn("(3)", button.text)
        page.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
        button.click()
        page.switch_to.alert.accept()
        self.wait_for_text(page, ".flash", "3 records are deleted")
        self.assertFalse(set(doomed) & set(self.names(page)))

    def test_imports_a_file_in_parts_and_deletes_it_again(self):
        rows = 9_000
        text = "id,title,score\r\n" + "".join(
            f'imported-{number},"Title, {number} {"x" * 60}",{"many" if number == 17 else number}\r\n' for number in range(rows))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "titles.csv"
            path.write_text(text)
            self.assertGreater(path.stat().st_size, 512 * 1024)
            page = self.console("/records-import")
            page.find_element(By.ID, "import-type").send_keys("Title")
            page.find_element(By.ID, "file").send_keys(str(path))
            page.find_element(By.CSS_SELECTOR, "#choose .primary").click()
            self.wait(page, lambda page: page.find_elements(By.CSS_SELECTOR, "#run"), "There is no preview.")
            self.assertTrue(page.find_element(By.CSS_SELECTOR, "[value=id][type=radio]").is_selected())
            Select(page.find_element(By.NAME, "type.2")).select_by_visible_text("INT64")
            page.find_element(By.CSS_SELECTOR, "#run .primary").click()
            self.wait_for_text(page, "#done", r"100 %: 8,999 records imported, 1 rows rejected\. Done", seconds=60)
        self.wait_for_text(page, "#failures", "Line 19: score: 'many' is not of type INT64")
        self.assertTrue(page.find_element(By.ID, "report").is_displayed())
        page.find_element(By.ID, "show").click()
        self.wait(page, lambda page: "type=Title" in page.current_url and self.names(page), "The imported records are not shown.")
        page.get(self.base + "/records-delete-all?type=Title")
        page.find_element(By.ID, "confirm").send_keys("Title")
        page.find_element(By.CSS_SELECTOR, "#delete-all .danger").click()
        self.wait_for_text(page, "#done", r"8,999 deleted\. Done", seconds=60)
        page.get(self.base + "/records?type=Title")
        self.assertEqual(self.names(page), [])

    def test_imports_what_a_german_excel_saves(self):
        text = "Name;Größe;Stück\r\n" + "".join(f"Müller {number};1.234,{number % 90 + 10};{number}\r\n" for number in range(40))
        with tempfile.TemporaryDirectory() as folder:
            page = self.console("/records-import")
            for number, (encoding, words) in enumerate([("cp1252", "windows-1252"), ("utf-8-sig", None), ("utf-16", "utf-16")]):
                path = pathlib.Path(folder) / f"Waren {number}.csv"
                path.write_bytes(text.encode(encoding))
                page.get(self.base + "/records-import")
                page.find_element(By.ID, "import-type").send_keys("Ware")
                page.find_element(By.ID, "file").send_keys(str(path))
                page.find_element(By.CSS_SELECTOR, "#choose .primary").click()
                self.wait(page, lambda page: page.find_elements(By.CSS_SELECTOR, "#run"), "There is no preview.")
                finding = page.find_element(By.ID, "finding").text
                self.assertIn("separated by ';', with decimal commas", finding)
                self.assertEqual(words is not None and words in finding, words is not None, finding)
                self.assertEqual(page.find_element(By.NAME, "field.1").get_attribute("value"), "groesse")
                self.assertIn("1234.10", page.find_element(By.CSS_SELECTOR, "table.mapping").text)
                self.assertIn("Müller 0", page.find_element(By.CSS_SELECTOR, "table.mapping").text)
                page.find_element(By.CSS_SELECTOR, "#run .primary").click()
                self.wait_for_text(page, "#done", r"100 %: 40 records imported\. Done", seconds=60)
            sheet = pathlib.Path(folder) / "Waren.xlsx"
            sheet.write_bytes(b"PK\x03\x04 and more")
            for name in ("Waren.xlsx", "Waren 4.csv"):
                page.get(self.base + "/records-import")
                page.find_element(By.ID, "import-type").send_keys("Ware")
                page.find_element(By.ID, "file").send_keys(str(sheet.rename(pathlib.Path(folder) / name)))
                sheet = pathlib.Path(folder) / name
                page.find_element(By.CSS_SELECTOR, "#choose .primary").click()
                self.wait_for_text(page, "#import-problem", re.escape(name) + " is a spreadsheet")
        # It is the same text in each encoding, and so the same records.
        page.get(self.base + "/records-delete-all?type=Ware")
        page.find_element(By.ID, "confirm").send_keys("Ware")
        page.find_element(By.CSS_SELECTOR, "#delete-all .danger").click()
        self.wait_for_text(page, "#done", r"40 deleted\. Done", seconds=60)

    def test_an_import_goes_on_after_the_network_and_the_session_were_gone(self):
        text = "\n\nid,score\n" + "".join(f"lost-{number},{number}\n" for number in range(300))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "scores.csv"
            path.write_text(text)
            page = self.console("/records-import")
            page.find_element(By.ID, "import-type").send_keys("Score")
            page.find_element(By.ID, "file").send_keys(str(path))
            page.execute_cdp_cmd("Network.enable", {})
            # Looking at the file: without a network, then without a session.
            page.execute_cdp_cmd("Network.emulateNetworkConditions", OFFLINE)
            page.find_element(By.CSS_SELECTOR, "#choose .primary").click()
            self.wait_for_text(page, "#notice[role=alert]", "The server cannot be reached")
            page.execute_cdp_cmd("Network.emulateNetworkConditions", ONLINE)
            page.execute_cdp_cmd("Network.clearBrowserCookies", {})
            page.find_element(By.CSS_SELECTOR, "#notice button").click()
            self.sign_in_again(page)
            self.wait(page, lambda page: page.find_elements(By.CSS_SELECTOR, "#run"), "There is no preview.")
            self.assertEqual(page.find_element(By.NAME, "field.1").get_attribute("value"), "score")
            # Importing it, without a session.
            page.execute_cdp_cmd("Network.clearBrowserCookies", {})
            page.find_element(By.CSS_SELECTOR, "#run .primary").click()
            self.sign_in_again(page)
            self.wait_for_text(page, "#done", r"100 %: 300 records imported\. Done", seconds=60)
            # What comes next stands out.
            self.assertIn("primary", page.find_element(By.ID, "show").get_attribute("class"))
            again = page.find_element(By.CSS_SELECTOR, "#run .actions button")
            self.assertEqual((again.text, again.get_attribute("class")), ("Import again", ""))
            # A file that is gone is no reason to wait for the server.
            path.unlink()
            again.click()
            self.wait_for_text(page, "#done", "It stopped at line 1: The file cannot be read any more")
        page.get(self.base + "/records-delete-all?type=Score")
        page.find_element(By.ID, "confirm").send_keys("Score")
        page.execute_cdp_cmd("Network.clearBrowserCookies", {})
        page.execute_script("document.getElementById('delete-all').requestSubmit()")
        self.sign_in_again(page)
        self.wait_for_text(page, "#done", r"300 deleted\. Done", seconds=60)

    def sign_in_again(self, page, label="Go on"):
        """Enters in the window that the notice leads to, and goes on in this one."""
        self.wait_for_text(page, "#notice[role=alert]", "Your session has ended")
        here = page.current_window_handle
        page.find_element(By.CSS_SELECTOR, "#notice a").click()
        self.wait(page, lambda page: len(page.window_handles) == 2, "There is no second window.")
        page.switch_to.window(next(handle for handle in page.window_handles if handle != here))
        self.wait(page, lambda page: page.find_elements(By.CSS_SELECTOR, "button.primary"), "There is no sign-in page.")
        page.find_element(By.CSS_SELECTOR, "button.primary").click()
        self.wait(page, lambda page: page.find_elements(By.CSS_SELECTOR, "nav.menu"), "Nobody is let in.")
        page.close()
        page.switch_to.window(here)
        page.find_element(By.XPATH, f"//*[@id='notice']//button[normalize-space()='{label}']").click()

    def test_opens_records_of_odd_names_and_times(self):
        page = self.console("/records-import")
        page.find_element(By.ID, "import-type").send_keys("Odd")
        page.find_element(By.CSS_SELECTOR, "#paste summary").click()
        page.find_element(By.ID, "text").send_keys("recordName,at\n.,8640000000000001\n..,1\n'=x,-9223372036854775808\n")
        page.find_element(By.CSS_SELECTOR, "#choose .primary").click()
        self.wait(page, lambda page: page.find_elements(By.CSS_SELECTOR, "#run"), "There is no preview.")
        Select(page.find_element(By.NAME, "type.1")).select_by_visible_text("TIMESTAMP")
        page.find_element(By.CSS_SELECTOR, "#run .primary").click()
        self.wait_for_text(page, "[role=status] strong", "3 records imported")
        page.get(self.base + "/records?type=Odd")
        self.assertEqual(set(self.names(page)), {".", "..", "=x"})
        # The page's scripts live: rows can be picked.
        self.assertTrue(page.find_element(By.CSS_SELECTOR, "[data-pick-all]").is_displayed())
        for name in (".", "..", "=x"):
            page.get(self.base + "/records?type=Odd")
            page.find_element(By.LINK_TEXT, name).click()
            self.wait_for_text(page, "dl.facts code", f"^{re.escape(name)}$")
            page.find_element(By.LINK_TEXT, "JSON").click()
            self.wait(page, lambda page: page.find_elements(By.ID, "json"), f"There is no JSON of {name}.")
            page.find_element(By.LINK_TEXT, "Delete…").click()
            self.wait_for_text(page, "main", "will be deleted for good")
            page.find_element(By.LINK_TEXT, "Keep it").click()
            self.wait_for_text(page, "dl.facts code", f"^{re.escape(name)}$")

    def photo_type(self, page, name):
        """Makes a record type with a photo and a list of further ones, and shows its form."""
        self.make_type(page, name, ["title STRING", "stars INT64", "taken TIMESTAMP", "photo ASSET", "more LIST<ASSET>"])

    def make_type(self, page, name, fields):
        """Makes a record type, and shows the form of a new record."""
        page.get(self.base + "/schema/text")
        text = page.find_element(By.ID, "text").get_attribute("value")
        page.execute_script(
            "document.getElementById('text').value = arguments[0]",
            f"{text}\n    RECORD TYPE {name} (\n        " + ",\n        ".join(fields) + "\n    );\n")
        page.find_element(By.XPATH, "//button[contains(., 'Show what it would change')]").click()
        self.wait(page, lambda page: page.find_elements(By.ID, "preview"), "The schema is refused.")
        page.find_element(By.XPATH, "//button[contains(., 'Make it development')]").click()
        self.wait_for_text(page, ".flash", "development's schema now")
        page.get(f"{self.base}/new-record?type={name}")

    def photos(self, folder, *widths):
        """Paths of pictures of these widths."""
        paths = [pathlib.Path(folder) / f"{width}.png" for width in widths]
        for path, width in zip(paths, widths):
            write_photo(path, width, 20)
        return "\n".join(map(str, paths))

    def shown(self, page):
        """The widths of the pictures that a record's page shows."""
        return page.execute_script("return [...document.querySelectorAll('.files img.thumb')].map((image) => image.naturalWidth)")

    def make(self, page):
        page.find_element(By.CSS_SELECTOR, "#record .primary").click()

    def test_makes_a_record_with_its_photos(self):
        page = self.console("/records")
        self.photo_type(page, "Photo")
        with tempfile.TemporaryDirectory() as folder:
            page.find_element(By.NAME, "v.title").send_keys("Harbour")
            page.find_element(By.NAME, "file.photo").send_keys(self.photos(folder, 30))
            page.find_element(By.NAME, "file.more").send_keys(self.photos(folder, 40, 50))
            self.wait(page, lambda page: page.execute_script(
                "return [...document.querySelectorAll('.chosen img')].map((image) => image.naturalWidth)") == [40, 50, 30], "No preview.")
            for check in (self.assert_fits, self.assert_labelled, self.assert_readable, self.assert_structured, self.assert_focus_order):
                check(page)
            self.make(page)
            self.wait_for_text(page, ".flash", "The record was created")
            self.wait(page, lambda page: self.shown(page) == [40, 50, 30], "The photos are not shown.")
            # One of a list goes, one comes, and what was typed is saved with it.
            page.find_element(By.CSS_SELECTOR, "[name='drop.more'][value='0']").click()
            page.find_element(By.NAME, "file.more").send_keys(self.photos(folder, 60))
            page.find_element(By.NAME, "v.title").send_keys(" view")
            self.make(page)
            self.wait_for_text(page, ".flash", "^Saved")
        self.wait(page, lambda page: self.shown(page) == [50, 60, 30], "The list is not as it was edited.")
        self.assertEqual(page.find_element(By.NAME, "v.title").get_attribute("value"), "Harbour view")
        page.get(self.base + "/records?type=Photo")
        self.wait(page, lambda page: self.width(page, "td img.thumb") > 1, "The photos are not in the list.")
        self.assert_quiet(page)

    def test_makes_a_record_with_its_photo_without_scripts(self):
        page = self.console("/records")
        self.photo_type(page, "Plain")
        page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
        page.refresh()
        with tempfile.TemporaryDirectory() as folder:
            page.find_element(By.ID, "record-name").send_keys("plain-1")
            page.find_element(By.NAME, "v.title").send_keys("Kept ☃")
            page.find_element(By.NAME, "file.photo").send_keys(self.photos(folder, 30))
            # Only the server knows that it is too large a number.
            page.find_element(By.NAME, "v.stars").send_keys("9" * 30)
            self.make(page)
            self.wait_for_text(page, "[role=alert]", "is not of type INT64")
        # The file is gone from the disk, and does not have to be sent again.
        self.assertEqual(page.find_element(By.NAME, "v.title").get_attribute("value"), "Kept ☃")
        self.wait_for_text(page, ".files", "30.png.*is saved with the record")
        stars = page.find_element(By.NAME, "v.stars")
        stars.clear()
        stars.send_keys("5")
        self.make(page)
        self.wait_for_text(page, ".flash", "The record was created")
        page.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
        page.refresh()
        self.wait(page, lambda page: self.shown(page) == [30], "The photo is not shown.")
        self.assertEqual(page.find_element(By.NAME, "v.stars").get_attribute("value"), "5")

    def test_loses_nothing_that_was_typed(self):
        page = self.console("/records")
        self.photo_type(page, "Careful")
        with tempfile.TemporaryDirectory() as folder:
            page.find_element(By.NAME, "v.title").send_keys("Typed")
            chooser = page.find_element(By.NAME, "file.photo")
            large = pathlib.Path(folder) / "large.png"
            with large.open("wb") as file:
                file.truncate(52_428_801)
            chooser.send_keys(str(large))
            self.make(page)
            self.wait_for_text(page, ".chosen .mistake", "larger than 50 MiB")
            chooser.send_keys(self.photos(folder, 30))
            page.execute_cdp_cmd("Network.enable", {})
            page.execute_cdp_cmd("Network.emulateNetworkConditions", {**ONLINE, "offline": True})
            self.make(page)
            self.wait_for_text(page, ".chosen .mistake", "The server cannot be reached")
            self.assertEqual(page.find_element(By.NAME, "v.title").get_attribute("value"), "Typed")
            page.execute_cdp_cmd("Network.emulateNetworkConditions", ONLINE)
            page.execute_cdp_cmd("Network.clearBrowserCookies", {})
            self.make(page)
            self.sign_in_again(page)
            self.wait_for_text(page, ".flash", "The record was created")
        self.wait(page, lambda page: self.shown(page) == [30], "The photo is not shown.")
        title = page.find_element(By.NAME, "v.title")
        self.assertEqual(title.get_attribute("value"), "Typed")
        title.send_keys(" again")
        page.execute_cdp_cmd("Network.clearBrowserCookies", {})
        self.make(page)
        self.sign_in_again(page, "Send it")
        self.wait_for_text(page, ".flash", "Saved")
        self.assertEqual(page.find_element(By.NAME, "v.title").get_attribute("value"), "Typed again")

    def test_moments_need_no_seconds(self):
        page = self.console("/records")
        self.photo_type(page, "Moment")
        taken = page.find_element(By.NAME, "v.taken")
        taken.send_keys("11212026", Keys.TAB, "1000AM")
        self.assertIn("UTC", page.find_element(By.CSS_SELECTOR, ".zone").text)
        self.make(page)
        self.wait_for_text(page, ".flash", "The record was created")
        self.assertEqual(page.find_element(By.NAME, "v.taken").get_attribute("value"), "2026-11-21T10:00")
        page.find_element(By.CSS_SELECTOR, ".seconds").click()
        taken = page.find_element(By.NAME, "v.taken")
        taken.send_keys(Keys.TAB * 5, "07")
        self.make(page)
        self.wait_for_text(page, ".flash", "Saved")
        self.assertEqual(page.find_element(By.NAME, "v.taken").get_attribute("value"), "2026-11-21T10:00:07")

    def width(self, page, selector):
        return page.execute_script(f"return document.querySelector('{selector}')?.naturalWidth")

    def test_copies_the_query_as_code(self):
        page = self.console("/records?type=Player&f=city&c=EQUALS&v=Saint-Jean%27s+%22x%22")
        codes = [code.get_attribute("textContent") for code in page.find_elements(By.CSS_SELECTOR, ".snippets code")]
        self.assertEqual(len(codes), 3)
        self.assertIn('"Saint-Jean\'s \\"x\\""', codes[0])
        self.assertIn("performQuery", codes[1])
        self.assertIn("Saint-Jean'\\''s", codes[2])


if __name__ == "__main__":
    unittest.main()
