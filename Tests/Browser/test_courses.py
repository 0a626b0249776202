#!/usr/bin/env python3
"""Windows that show a course stay equal to each other and to the store while another window edits it.

What is compared is the text of the elements, and a list that the server fetches without the controller. The page
compares a digest of its elements with the server's after each batch as well; it must never differ.
"""

import json
import signal
import socket
import tempfile
import urllib.error
import urllib.parse
import urllib.request

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from programs import BINARIES, Program, browser, complaints, expect, main, wait

COURSES = BINARIES / "Courses"
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
        command = [COURSES, "serve", "--port", port, "--store", store]
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

    def __init__(self, driver, site, order="ascending"):
        self.driver, self.site, self.order = driver, site, order
        driver.get(f"{site.address}/courses/7?order={order}")
        self.await_state("live")

    def find(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def await_state(self, state):
        wait(self.driver, state, lambda: self.find("#connection").get_attribute("data-state") == state)

    @property
    def shown(self):
        return self.driver.execute_script(SHOWN)

    def await_list(self):
        """Waits until the elements show what the store holds, and gives it."""
        held = self.site.list(self.order)
        wait(self.driver, f"the {self.order} list of the store", lambda: self.shown == held)
        return held

    def check(self):
        """The page has applied every batch so far, and no digest ever differed."""
        expect(self.find("#list").get_attribute("data-mismatches") == "0", "the page found itself to differ")
        expect(complaints(self.driver) == [], "the console has errors")


def windows_follow_random_edits():
    with Site() as site, browser() as first, browser(390, 844, dark=True) as second, browser() as third:
        forwards, backwards = Window(first, site), Window(second, site, "descending")
        editing = Window(third, site)
        twin = Window(open_tab(first), site)
        statuses = third.execute_async_script(EDIT, EDITS)
        expect(statuses == [204] * EDITS, f"edits were refused: {sorted(set(statuses))}")
        held = editing.await_list()
        expect(twin.await_list() == held, "two windows differ")
        expect(backwards.await_list() != held, "the other direction is the same list")
        twin.check()
        first.switch_to.window(first.window_handles[0])
        expect(forwards.await_list() == held, "two windows differ")
        versions = {int(window.find("#list").get_attribute("data-version")) for window in (forwards, editing)}
        expect(len(versions) == 1, f"windows heard of different numbers of changes: {versions}")
        expect(versions.pop() > EDITS // 2, "most edits did not reach the windows")
        for window in (forwards, backwards, editing):
            window.check()


def open_tab(driver):
    driver.switch_to.new_window("tab")
    return driver


def every_edit_shows_in_another_window():
    with Site() as site, browser() as first, browser(reduced_motion=True) as second:
        window, other = Window(first, site), Window(second, site)
        window.find("#add [name=title]").send_keys("<b>Bold</b> & \"quoted\"")
        window.find("#add [name=chapter]").send_keys("New & Shiny" + Keys.ENTER)
        wait(second, "the new lesson", lambda: other.shown[-1]["name"] == "New & Shiny")
        expect(other.shown[-1]["rows"][0]["title"] == "<b>Bold</b> & \"quoted\"", "the title is not what was typed")

        window.find("#list section:last-child [data-action=edit]").click()
        field = window.find("#editor [name=title]")
        field.send_keys(Keys.CONTROL, "a")
        field.send_keys("Plain")
        window.find("#editor [name=chapter]").send_keys("Shipping")
        window.find("#editor .main").click()
        wait(second, "the lesson in its chapter", lambda: other.shown[-1]["rows"][-1]["title"] == "Plain")

        window.find("#list section:last-child [data-action=rename]").click()
        window.find("#editor [name=title]").send_keys("Out of the Door" + Keys.ENTER)
        wait(second, "the chapter's name", lambda: other.shown[-1]["name"] == "Out of the Door")

        window.find("#list section:last-child li:last-child [data-action=edit]").click()
        window.find("#delete").click()
        wait(second, "its end", lambda: other.shown[-1]["rows"][-1]["title"] == "Release")

        window.find("#list section:first-child [data-action=rename]").click()
        window.find("#editor [name=title]").send_keys("Out of the Door" + Keys.ENTER)
        wait(first, "a refusal in words", lambda: "already" in window.find("#message").text)
        expect(window.await_list() == other.await_list(), "two windows differ")
        other.check()


def a_row_is_moved_with_the_keyboard():
    with Site() as site, browser() as driver:
        window = Window(driver, site)
        first, second, third = [row["title"] for row in window.shown[0]["rows"]]
        for _ in range(60):
            driver.switch_to.active_element.send_keys(Keys.TAB)
            if driver.switch_to.active_element.get_attribute("aria-label") == f"Move {first} down":
                break
        for expected in ([second, first, third], [second, third, first], [second, third, first]):
            driver.switch_to.active_element.send_keys(Keys.ENTER)
            wait(driver, expected, lambda: [row["title"] for row in window.shown[0]["rows"]] == expected)
            label = driver.switch_to.active_element.get_attribute("aria-label")
            expect(label == f"Move {first} down", f"the focus went to {label}")
        driver.switch_to.active_element.send_keys(Keys.TAB, Keys.ENTER)
        expect(driver.switch_to.active_element.get_attribute("name") == "title", "the dialog has no focus")
        driver.switch_to.active_element.send_keys(Keys.ESCAPE)
        wait(driver, "the button", lambda: driver.switch_to.active_element.get_attribute("aria-label") == f"Edit {first}")
        window.await_list()
        window.check()


def a_window_comes_back_after_a_restart():
    with Site() as site, browser() as driver:
        window = Window(driver, site)
        port = int(site.address.rsplit(":", 1)[1])
        expect(site.program.stop(signal.SIGINT) == 0, "Ctrl-C with an open window did not end with 0")
        window.await_state("reconnecting")
        site.start(port)
        for _ in range(20):
            site.post("/courses/7/edits", edit="random")
        window.await_state("live")
        window.await_list()
        expect(window.find("#list").get_attribute("data-mismatches") == "0", "the page found itself to differ")


def marks_are_kept_and_counted():
    with Site() as site, browser(390, 844) as driver:
        driver.get(site.address)
        count = lambda name: driver.find_element(By.CSS_SELECTOR, f"[data-count={name}]").text
        counts = lambda: [count(name) for name in ("favourites", "later", "free", "history", "paths")]
        press = lambda name: driver.find_element(By.ID, name).send_keys(Keys.ENTER)
        expect(counts() == ["0", "0", "3", "0", "2"], f"the first counts are {counts()}")
        press("recent-7-favourite")
        wait(driver, "a favourite", lambda: count("favourites") == "1")
        pressed = driver.find_element(By.ID, "favourites-7-favourite").get_attribute("aria-pressed")
        expect(pressed == "true", "the button does not say that it is pressed")
        press("free-9-later")
        wait(driver, "one for later", lambda: count("later") == "1")
        press("recent-8-watch")
        wait(driver, "history", lambda: count("history") == "1")
        press("favourites-7-favourite")
        wait(driver, "no favourite", lambda: count("favourites") == "0")
        expect(counts() == ["0", "1", "3", "1", "2"], f"the last counts are {counts()}")
        driver.find_element(By.LINK_TEXT, "Core Data, Anywhere").click()
        wait(driver, "live", lambda: driver.find_element(By.ID, "connection").text == "live")
        expect(complaints(driver) == [], "the console has errors")


def wrong_requests_are_answered():
    with Site() as site:
        page = "/courses/7/edits"
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
            answered = site.post(path, **fields)
            expect(answered == status, f"{path} {str(fields)[:60]}: {answered} instead of {status}")
        for path in ["/courses/8", "/courses/8/events", "/courses/8/list.json", "/nowhere", "/courses/-7"]:
            try:
                urllib.request.urlopen(site.address + path)
                raise AssertionError(f"{path} is there")
            except urllib.error.HTTPError as error:
                expect(error.code == 404, f"{path}: {error.code}")
        readers = [open_stream(site, "/courses/7/events") for _ in range(50)]
        expect(site.program.stop() == 0, "SIGTERM with open streams did not end with 0")
        for reader in readers:
            reader.close()


def open_stream(site, path):
    """A reader that never reads."""
    host, port = site.address.removeprefix("http://").split(":")
    connection = socket.create_connection((host, int(port)))
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    connection.recv(16)
    return connection


if __name__ == "__main__":
    main([
        windows_follow_random_edits, every_edit_shows_in_another_window, a_row_is_moved_with_the_keyboard,
        a_window_comes_back_after_a_restart, marks_are_kept_and_counted, wrong_requests_are_answered,
    ])
