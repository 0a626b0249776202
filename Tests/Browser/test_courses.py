"""Windows that show a course stay equal to each other and to the store while another window edits it.

What is compared is the text of the elements, and a list that the server fetches without the controller. The page
compares a digest of its elements with the server's after each batch as well; it must never differ.
"""

import json
import signal
import socket
import tempfile
import unittest
import urllib.error
import urllib.parse
import urllib.request

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from support import DESKTOP, PHONE, BrowserTestCase, Program

EDITS = 300

SHOWN = """
return [...document.querySelectorAll('#list section')].map((section) => ({
  name: section.querySelector('.name').textContent,
  rows: [...section.querySelectorAll('li')].map((item) => ({
    duration: item.querySelector('.duration').textContent, id: item.dataset.id,
    title: item.querySelector('.title').textContent}))}));
"""
# Posts random edits, four at a time, and answers with their statuses.
EDIT = """
const [count, done] = arguments;
const statuses = [];
let left = count;
const worker = async () => {
  while (left-- > 0) {
    const body = new URLSearchParams({edit: 'random'});
    statuses.push((await fetch('/courses/7/edits', {method: 'POST', body})).status);
  }
};
Promise.all([1, 2, 3, 4].map(worker)).then(() => done(statuses));
"""


class Site:
    """The program with a store of its own."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="courses-")
        self.start(0)
        return self

    def start(self, port):
        store = f"{self.folder.name}/courses.sqlite"
        command = [Program.path("Courses"), "serve", "--port", port, "--store", store]
        self.program = Program(command, "Courses are at ")
        self.address = self.program.line.split(" ")[3].rstrip(",")

    def __exit__(self, *_):
        self.program.stop()
        self.folder.cleanup()

    def list(self, order="ascending", course=7):
        with urllib.request.urlopen(f"{self.address}/courses/{course}/list.json?order={order}") as answer:
            return json.load(answer)["sections"]

    def post(self, path, **fields):
        """The status of a posted form."""
        body = urllib.parse.urlencode(fields).encode()
        try:
            with urllib.request.urlopen(f"{self.address}{path}", data=body) as answer:
                return answer.status
        except urllib.error.HTTPError as error:
            return error.code


class Window:
    """A browser window that shows the course."""

    def __init__(self, test, driver, site, order="ascending"):
        self.test, self.driver, self.site, self.order = test, driver, site, order
        driver.get(f"{site.address}/courses/7?order={order}")
        self.await_state("live")

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def click(self, selector):
        self.test.click(self.driver, selector)

    def wait(self, what, condition):
        self.test.wait(self.driver, lambda _: condition(), f"waited for: {what}")

    def await_state(self, state):
        self.wait(state, lambda: self.find("#connection").get_attribute("data-state") == state)

    @property
    def shown(self):
        return self.driver.execute_script(SHOWN)

    @property
    def mismatches(self):
        return self.find("#list").get_attribute("data-mismatches")

    def await_list(self):
        """Waits until the elements show what the store holds, and gives it."""
        held = self.site.list(self.order)
        self.wait(f"the {self.order} list of the store", lambda: self.shown == held)
        return held

    def check(self):
        """The page has applied every batch so far, and no digest ever differed."""
        self.test.assertEqual(self.mismatches, "0", "the page found itself to differ")
        self.test.assert_quiet(self.driver)


class CoursesTests(BrowserTestCase):
    def setUp(self):
        self.site = self.enterContext(Site())

    def window(self, order="ascending", **look):
        return Window(self, self.open(self.site.address, **look), self.site, order)

    def test_windows_follow_random_edits(self):
        forwards, backwards = self.window(), self.window("descending", size=PHONE, dark=True)
        editing = self.window()
        first = forwards.driver
        first.switch_to.new_window("tab")
        twin = Window(self, first, self.site)
        statuses = editing.driver.execute_async_script(EDIT, EDITS)
        self.assertEqual(statuses, [204] * EDITS)
        held = editing.await_list()
        self.assertEqual(twin.await_list(), held)
        self.assertNotEqual(backwards.await_list(), held, "the other direction is the same list")
        twin.check()
        first.switch_to.window(first.window_handles[0])
        self.assertEqual(forwards.await_list(), held)
        versions = {int(window.find("#list").get_attribute("data-version")) for window in (forwards, editing)}
        self.assertEqual(len(versions), 1, f"windows heard of different numbers of changes: {versions}")
        self.assertGreater(versions.pop(), EDITS // 2, "most edits did not reach the windows")
        for window in (forwards, backwards, editing):
            window.check()

    def test_every_edit_shows_in_another_window(self):
        window, other = self.window(), self.window(reduced_motion=True)
        window.find("#add [name=title]").send_keys("<b>Bold</b> & \"quoted\"")
        window.find("#add [name=chapter]").send_keys("New & Shiny" + Keys.ENTER)
        other.wait("the new lesson", lambda: other.shown[-1]["name"] == "New & Shiny")
        self.assertEqual(other.shown[-1]["rows"][0]["title"], "<b>Bold</b> & \"quoted\"")

        window.click("#list section:last-child [data-action=edit]")
        field = window.find("#editor [name=title]")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys("Plain")
        window.find("#editor [name=chapter]").send_keys("Shipping")
        window.click("#editor .main")
        other.wait("the lesson in its chapter", lambda: other.shown[-1]["rows"][-1]["title"] == "Plain")

        window.click("#list section:last-child [data-action=rename]")
        window.find("#editor [name=title]").send_keys("Out of the Door" + Keys.ENTER)
        other.wait("the chapter's name", lambda: other.shown[-1]["name"] == "Out of the Door")

        window.click("#list section:last-child li:last-child [data-action=edit]")
        window.click("#delete")
        other.wait("its end", lambda: other.shown[-1]["rows"][-1]["title"] == "Release")

        window.click("#list section:first-child [data-action=rename]")
        window.find("#editor [name=title]").send_keys("Out of the Door" + Keys.ENTER)
        window.wait("a refusal in words", lambda: "already" in window.find("#message").text)
        self.assertEqual(window.await_list(), other.await_list())
        other.check()

    def test_a_row_is_moved_with_the_keyboard(self):
        window = self.window()
        driver = window.driver
        label = lambda: driver.switch_to.active_element.get_attribute("aria-label")
        first, second, third = [row["title"] for row in window.shown[0]["rows"]]
        for _ in range(60):
            driver.switch_to.active_element.send_keys(Keys.TAB)
            if label() == f"Move {first} down":
                break
        for expected in ([second, first, third], [second, third, first], [second, third, first]):
            driver.switch_to.active_element.send_keys(Keys.ENTER)
            window.wait(expected, lambda: [row["title"] for row in window.shown[0]["rows"]] == expected)
            self.assertEqual(label(), f"Move {first} down", "the focus went elsewhere")
        driver.switch_to.active_element.send_keys(Keys.TAB, Keys.ENTER)
        focused = driver.switch_to.active_element.get_attribute("name")
        self.assertEqual(focused, "title", "the dialog has no focus")
        driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        window.wait("the button", lambda: label() == f"Edit {first}")
        window.await_list()
        window.check()

    def test_a_window_comes_back_after_a_restart(self):
        site, window = self.site, self.window()
        port = int(site.address.rsplit(":", 1)[1])
        self.assertEqual(site.program.stop(signal.SIGINT), 0, "Ctrl-C with an open window did not end with 0")
        window.await_state("reconnecting")
        site.start(port)
        for _ in range(20):
            site.post("/courses/7/edits", edit="random")
        window.await_state("live")
        window.await_list()
        self.assertEqual(window.mismatches, "0", "the page found itself to differ")

    def test_marks_are_kept_and_counted(self):
        driver = self.open(self.site.address, size=PHONE)
        count = lambda name: driver.find_element(By.CSS_SELECTOR, f"[data-count={name}]").text
        counts = lambda: [count(name) for name in ("favourites", "later", "free", "history", "paths")]
        press = lambda name: driver.find_element(By.ID, name).send_keys(Keys.ENTER)
        await_count = lambda name, number: self.wait(driver, lambda _: count(name) == number, f"{name} are not {number}")
        self.assertEqual(counts(), ["0", "0", "3", "0", "2"])
        press("recent-7-favourite")
        await_count("favourites", "1")
        pressed = driver.find_element(By.ID, "favourites-7-favourite").get_attribute("aria-pressed")
        self.assertEqual(pressed, "true", "the button does not say that it is pressed")
        press("free-9-later")
        await_count("later", "1")
        press("recent-8-watch")
        await_count("history", "1")
        press("favourites-7-favourite")
        await_count("favourites", "0")
        self.assertEqual(counts(), ["0", "1", "3", "1", "2"])
        driver.find_element(By.LINK_TEXT, "Core Data, Anywhere").click()
        self.wait_for_text(driver, "#connection", "^live$")
        self.assert_quiet(driver)

    def test_wrong_requests_are_answered(self):
        site, page = self.site, "/courses/7/edits"
        for path, fields, status in [
            (page, {}, 400), (page, {"edit": "nothing"}, 400), (page, {"edit": "add", "title": "x"}, 400),
            (page, {"edit": "rename", "lesson": "x", "title": "y"}, 404),
            (page, {"edit": "delete", "lesson": "x-coredata:///Lesson/p1"}, 404),
            (page, {"edit": "add", "title": "x" * 121, "chapter": "y"}, 400),
            (page, {"edit": "add", "title": "a\nb", "chapter": "y"}, 400),
            (page, {"edit": "renameChapter", "chapter": "x", "title": "y"}, 404),
            (page, {"edit": "x" * 5_000_000}, 413),
            ("/courses/1000/edits", {"edit": "random"}, 404), ("/courses/x/edits", {"edit": "random"}, 400),
            ("/contents/1000/watch", {}, 404), ("/contents/1/eat", {}, 404),
            (f"/courses/{2 ** 32 + 7}/edits", {"edit": "random"}, 404),
        ]:
            with self.subTest(path=path, fields=str(fields)[:60]):
                self.assertEqual(site.post(path, **fields), status)
        for path in ["/courses/8", "/courses/8/events", "/courses/8/list.json", "/nowhere", "/courses/-7"]:
            with self.subTest(path=path), self.assertRaises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(site.address + path)
            self.assertEqual(caught.exception.code, 404)
        readers = [open_stream(site, "/courses/7/events") for _ in range(50)]
        self.assertEqual(site.program.stop(), 0, "SIGTERM with open streams did not end with 0")
        for reader in readers:
            reader.close()

    def test_fits_phones_and_desktops_in_light_and_dark(self):
        for size in (PHONE, DESKTOP):
            for dark in (False, True):
                page = self.open(self.site.address, size=size, dark=dark)
                for path in ("/", "/courses/7"):
                    with self.subTest(path=path, size=size, dark=dark):
                        page.get(self.site.address + path)
                        self.assert_fits(page)
                        self.assert_readable(page)
                        self.assert_labelled(page)
                        self.assert_quiet(page)


def open_stream(site, path):
    """A reader that never reads."""
    host, port = site.address.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)))
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    connection.recv(16)
    return connection


if __name__ == "__main__":
    unittest.main()
