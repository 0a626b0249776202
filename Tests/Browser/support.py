"""What the browser tests share: programs that run while a test does, Chromium, and pictures of what failed.

Needs Debian's packages chromium and chromium-driver, and selenium for Python (scripts/browser-venv.sh).
"""

import atexit
import contextlib
import faulthandler
import functools
import http.server
import importlib.util
import os
import pathlib
import re
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
import threading
import unittest
import urllib.parse
import zlib

from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException, WebDriverException
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait
from urllib3.exceptions import HTTPError

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / ".build/screenshots"

# The command tests' helpers have this file's name, too.
_spec = importlib.util.spec_from_file_location("command_support", ROOT / "scripts/tests/support.py")
commands = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(commands)

# Where Chromium puts its profiles, and leaves some. It goes with the process, after the windows.
LEFTOVERS = tempfile.TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True)

# Whoever waits for an answer that never comes fails with the line that waits.
socket.setdefaulttimeout(60)
faulthandler.register(signal.SIGUSR1, all_threads=True)

PHONE = (390, 844)
DESKTOP = (1280, 900)
SECONDS = 30


class FileServer:
    """A directory at an address of its own: an origin that is not the server's."""

    def __init__(self, directory):
        handler = functools.partial(_QuietHandler, directory=str(directory))
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


class _QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


class Program:
    """A program that is started, waited for until it prints a line, and stopped in the end."""

    def __init__(self, command, ready):
        self.process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
        self.lines = []
        self.line = None
        deadline = threading.Timer(SECONDS, self.process.kill)
        deadline.start()
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if ready in line:
                self.line = self.lines[-1]
                break
        deadline.cancel()
        if self.line is None:
            raise AssertionError(f"{command[0]} ended without saying '{ready}': {self.lines}")
        threading.Thread(target=self._read_on, daemon=True).start()

    def _read_on(self):
        """What it says later must not fill the pipe."""
        with self.process.stdout as output:
            self.lines.extend(output)

    @staticmethod
    def path(name):
        """A program that was built beside the command under test."""
        return pathlib.Path(commands.stratus()).parent / name

    def stop(self, number=signal.SIGTERM):
        """Stops it as an operator does, and gives its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"It did not stop within {SECONDS} seconds of signal {number}.") from None


class Chromium:
    """Chromium windows without a desktop. One that was put back is cleaned and used again: starting one takes a while."""

    _spare = []

    @classmethod
    def window(cls, size=DESKTOP, dark=False, reduced_motion=False, scale=1):
        """A window without a past; its size is that of the page itself."""
        window = cls._spare.pop() if cls._spare else cls._start()
        window.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": scale, "mobile": False})
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        if reduced_motion:
            features.append({"name": "prefers-reduced-motion", "value": "reduce"})
        window.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        return window

    @staticmethod
    def _start():
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        # Named, so that selenium asks no other host for them.
        options.binary_location = shutil.which("chromium")
        service = webdriver.ChromeService(shutil.which("chromedriver"), env=os.environ | {"TMPDIR": LEFTOVERS.name})
        window = webdriver.Chrome(options=options, service=service)
        window.set_script_timeout(SECONDS)
        window.origins = set()
        return window

    @classmethod
    def put_back(cls, window):
        """Makes the window forget what it saw; one with tabs or a dialog is closed instead."""
        try:
            if len(window.window_handles) > 1 or len(cls._spare) >= 2:
                raise WebDriverException("not worth cleaning")
            url = urllib.parse.urlsplit(window.current_url)
            origins = window.origins | {f"{url.scheme}://{url.netloc}"}
            window.get("about:blank")
            for command, parameters in [
                ("Network.enable", {}), ("Network.clearBrowserCookies", {}), ("Network.clearBrowserCache", {}),
                ("Network.emulateNetworkConditions", ONLINE),
                ("Network.disable", {}), ("Emulation.setTouchEmulationEnabled", {"enabled": False}),
                ("Emulation.setScriptExecutionDisabled", {"value": False}),
                *[("Storage.clearDataForOrigin", {"origin": origin, "storageTypes": "all"}) for origin in origins],
            ]:
                window.execute_cdp_cmd(command, parameters)
            window.get_log("browser")
            window.origins = set()
            cls._spare.append(window)
        except WebDriverException:
            window.quit()
        except HTTPError:
            # Chromium hangs: it gets no time to clean up.
            window.service.process.kill()

    @classmethod
    def quit(cls):
        while cls._spare:
            cls._spare.pop().quit()


atexit.register(Chromium.quit)
ONLINE = {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1}


class BrowserTestCase(unittest.TestCase):
    """Tests with Chromium windows, each of which is photographed when its test fails."""

    # Whether windows may be cleaned and used again: not where a service worker is, whose data Chromium now and then
    # never finishes clearing.
    keeps_windows = True

    def run(self, result=None):
        self._windows = []
        result = result or self.defaultTestResult()
        before = len(result.failures) + len(result.errors)
        failed = True
        try:
            super().run(result)
            failed = len(result.failures) + len(result.errors) > before
            if failed:
                self._photograph()
        finally:
            for window in self._windows:
                if failed or not self.keeps_windows:
                    window.quit()
                else:
                    Chromium.put_back(window)
        return result

    def _photograph(self):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        for number, window in enumerate(self._windows, start=1):
            path = SCREENSHOTS / f"{self.id()}-{number}.png"
            with contextlib.suppress(WebDriverException):
                window.save_screenshot(str(path))
                print(f"  A picture of the failure is at {path}")

    def open(self, url, **look):
        """A window of its own that shows the page."""
        window = Chromium.window(**look)
        self._windows.append(window)
        address = urllib.parse.urlsplit(url)
        window.origins.add(f"{address.scheme}://{address.netloc}")
        window.get(url)
        return window

    def wait(self, window, truth, sentence, seconds=SECONDS):
        """What `truth` gives once it is true of the window."""
        between_pages = [NoSuchElementException, StaleElementReferenceException]
        waiting = WebDriverWait(window, seconds, poll_frequency=0.05, ignored_exceptions=between_pages)

        def truth_of_one_page(window):
            try:
                return truth(window)
            except WebDriverException as error:
                # What Chromium says now and then for an element of the page that went.
                if "does not belong to the document" in str(error):
                    return False
                raise

        return waiting.until(truth_of_one_page, sentence)

    def click(self, window, selector):
        """Clicks on an element of a list that may be drawn again at any moment."""
        def clicked(window):
            window.find_element(By.CSS_SELECTOR, selector).click()
            return True
        self.wait(window, clicked, f"There is no '{selector}' to click on.")

    def wait_for_text(self, window, selector, pattern, seconds=SECONDS):
        """Waits until the text of an element matches."""
        def matches(window):
            texts = [element.text for element in window.find_elements(By.CSS_SELECTOR, selector)]
            return any(re.search(pattern, text) for text in texts)
        self.wait(window, matches, f"No '{selector}' says '{pattern}'.", seconds)

    def assert_quiet(self, window, allowing=None):
        """Nothing was blocked, missing or thrown, as far as the browser's console tells."""
        severe = [entry["message"] for entry in window.get_log("browser") if entry["level"] == "SEVERE"]
        self.assertEqual([line for line in severe if not (allowing and re.search(allowing, line))], [])

    def assert_fits(self, window):
        """Nothing has to be scrolled to the side."""
        width, inner = window.execute_script("return [document.documentElement.scrollWidth, innerWidth]")
        self.assertLessEqual(width, inner)

    def assert_readable(self, window):
        """Every visible text stands out from what is behind it by 4.5 to 1 (WCAG 2, AA)."""
        self.assertEqual(window.execute_script(_FAINT_TEXT), [])

    def assert_labelled(self, window):
        """Whatever can be used has a name for those who do not see it."""
        # A link or button with text is named by it; each of the others is asked, in some milliseconds.
        asked = window.execute_script("""
            return [...document.querySelectorAll("a, button, input, select, textarea")].filter((element) =>
                element.checkVisibility({visibilityProperty: true})
                && !(element.matches("a, button") && element.innerText.trim() && !element.matches("[aria-label]")));""")
        nameless = [element.get_attribute("outerHTML")[:120] for element in asked if not element.accessible_name]
        self.assertEqual(nameless, [])


    def assert_structured(self, window):
        """The page says its language, its title and its parts to those who cannot see them."""
        facts = window.execute_script("""
            const count = (selector) => document.querySelectorAll(selector).length;
            const levels = [...document.querySelectorAll("h1, h2, h3, h4")].map((heading) => Number(heading.tagName[1]));
            const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
            const named = [...document.querySelectorAll("[for], [aria-labelledby], [aria-describedby]")].flatMap((element) =>
                ["for", "aria-labelledby", "aria-describedby"].flatMap((name) => (element.getAttribute(name) ?? "").split(" ")));
            return {
                language: document.documentElement.lang, title: document.title.trim() !== "",
                headings: count("h1"), main: count("main"), zoom: document.querySelector("meta[name=viewport]").content,
                skipped: levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1),
                twice: ids.filter((id, index) => ids.indexOf(id) !== index),
                nowhere: named.filter((id) => id && !document.getElementById(id)),
                pictures: count("img:not([alt])"), jumping: count("[tabindex]:not([tabindex='0'], [tabindex='-1'])")};""")
        self.assertEqual(facts, {
            "language": "en", "title": True, "headings": 1, "main": 1, "zoom": "width=device-width, initial-scale=1",
            "skipped": [], "twice": [], "nowhere": [], "pictures": 0, "jumping": 0})

    def assert_focus_order(self, window):
        """The tab key visits what can be used in the order of the page, shows where it is, and leaves in the end."""
        window.execute_script("""
            // From the beginning, wherever the page itself put the focus.
            document.body.tabIndex = -1;
            document.body.focus();
            document.body.removeAttribute("tabindex");
            scrollTo(0, 0);""")
        expected = window.execute_script(_FOCUSABLE)
        visited = []
        for _ in range(3 * len(expected) + 10):
            ActionChains(window).send_keys(Keys.TAB).perform()
            number, outline, words = window.execute_script(_FOCUSED)
            if number == "body" or (visited and number == "0"):
                break
            if number is None or (visited and visited[-1] == number):
                continue
            self.assertEqual(outline, "solid", f"the focus cannot be seen at {words}")
            visited.append(number)
        else:
            self.fail(f"the focus stays at {words}")
        self.assertEqual(visited, expected)

    def assert_zooms(self, window):
        """At 200 % nothing has to be scrolled to the side; tables scroll by themselves."""
        window.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": 640, "height": 450, "deviceScaleFactor": 2, "mobile": False})
        self.assert_fits(window)


# Numbers what the tab key has to reach.
_FOCUSABLE = """
const all = [...document.querySelectorAll("a[href], button, input, select, textarea, summary, [tabindex='0']")]
    .filter((element) => element.checkVisibility({ visibilityProperty: true }) && !element.disabled && element.tabIndex >= 0);
all.forEach((element, index) => { element.dataset.order = index; });
return all.map((_, index) => String(index));
"""
_FOCUSED = """
const element = document.activeElement;
if (!element || element === document.body) return ["body", "", ""];
return [element.dataset.order ?? null, getComputedStyle(element).outlineStyle, element.outerHTML.slice(0, 120)];
"""
# Gives the texts that are too faint, with their ratio.
_FAINT_TEXT = """
const rgb = (text) => { const [r, g, b, a = 1] = text.match(/[\\d.]+/g).map(Number); return { r, g, b, a }; };
const linear = (part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4);
const luminance = ({ r, g, b }) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
        const colour = rgb(getComputedStyle(at).backgroundColor);
        if (colour.a > 0) return colour;
    }
    return { r: 255, g: 255, b: 255 };
};
const faint = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    if (!node.data.trim() || !element.checkVisibility() || element.closest("template, script, style")) continue;
    const [light, dark] = [rgb(getComputedStyle(element).color), behind(element)].map(luminance).sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    if (ratio < 4.5) faint.push(`${ratio.toFixed(2)}: ${node.data.trim().slice(0, 40)}`);
}
return faint;
"""


def write_photo(path, width, height):
    """A PNG of one colour, as large as a camera's photo."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = (b"\0" + bytes([201, 96, 64]) * width) * height
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


def start_server(test_class, verb, *more):
    """A server for all tests of a class, its `process`; gives its port and the directory of its data."""
    work = commands.Workplace(test_class.__name__.lower())
    work.__enter__()
    test_class.addClassCleanup(work.__exit__, None, None, None)
    port = commands.free_port()
    # A demo fills in its records first, which on a busy machine takes its time.
    test_class.process = work.start(verb, "data", port, *more)
    test_class.process.wait_until_ready(seconds=300)
    return port, work.path / "data"
