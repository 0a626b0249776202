"""What the tests of the console share: getting in, and forms filled as a person does."""

import re

from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import Select

from support import BrowserTestCase


class ConsoleTestCase(BrowserTestCase):
    """Tests of a class whose `origin` is a server's address."""

    def enter_demo(self, path="/console/", **look):
        """A window of the demo's console, which lets everybody in."""
        page = self.open(f"{self.origin}/console/", **look)
        self.press(page, "Enter as")
        self.wait(page, lambda page: page.find_elements(By.CSS_SELECTOR, "nav.menu"), "Nobody is let in.")
        page.get(self.origin + path)
        return page

    def press(self, page, words):
        """Presses the button with these words."""
        page.find_element(By.XPATH, f'//main//button[contains(normalize-space(), "{words}")]').click()

    def follow(self, page, words):
        """Follows the link with these words."""
        page.find_element(By.XPATH, f"//a[normalize-space()='{words}']").click()

    def fill(self, page, **fields):
        """Fills in fields by their ids; `__` stands for the dash in an id."""
        for name, text in fields.items():
            field = page.find_element(By.ID, name.replace("__", "-"))
            if field.tag_name == "select":
                select = Select(field)
                value = next(option for option in select.options if option.text.startswith(text))
                select.select_by_visible_text(value.text)
            else:
                field.clear()
                field.send_keys(text)

    def said(self, page, pattern):
        """Waits for the sentence that tells what was done."""
        self.wait_for_text(page, ".flash", pattern)

    def heading(self, page, text):
        self.wait_for_text(page, "h1", f"^{re.escape(text)}$")

    def cells(self, page, column):
        """The texts of a table's column."""
        return page.execute_script(
            "return [...document.querySelectorAll('tbody tr')].map((row) => row.cells[arguments[0]].innerText.trim())", column)
