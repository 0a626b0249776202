"""What the browser tests share: servers, Chromium, and pictures of what failed."""

import functools
import http.server
import importlib.util
import pathlib
import re
import shutil
import threading
import unittest

from selenium import webdriver
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCREENSHOTS = ROOT / ".build/screenshots"

# The command tests' helpers have this file's name, too.
_spec = importlib.util.spec_from_file_location("command_support", ROOT / "scripts/tests/support.py")
commands = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(commands)

PHONE = (390, 844)
DESKTOP = (1280, 900)
SECONDS = 15


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


class BrowserTestCase(unittest.TestCase):
    """Tests with Chromium windows, each of which is photographed when its test fails."""

    def run(self, result=None):
        self._windows = []
        result = result or self.defaultTestResult()
        before = len(result.failures) + len(result.errors)
        try:
            super().run(result)
            if len(result.failures) + len(result.errors) > before:
                self._photograph()
        finally:
            for window in self._windows:
                window.quit()
        return result

    def _photograph(self):
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        for number, window in enumerate(self._windows, start=1):
            path = SCREENSHOTS / f"{self.id()}-{number}.png"
            window.save_screenshot(str(path))
            print(f"  A picture of the failure is at {path}")

    def open(self, url, size=DESKTOP, dark=False):
        """A window that shows the page; its size is that of the page itself."""
        options = webdriver.ChromeOptions()
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        # Named, so that selenium asks no other host for them.
        options.binary_location = shutil.which("chromium")
        window = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
        self._windows.append(window)
        window.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False})
        window.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        window.get(url)
        return window

    def wait(self, window, truth, sentence, seconds=SECONDS):
        """What `truth` gives once it is true of the window."""
        return WebDriverWait(window, seconds, poll_frequency=0.05).until(truth, sentence)

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
        nameless = [
            element.get_attribute("outerHTML")[:120]
            for element in window.find_elements(By.CSS_SELECTOR, "a, button, input, select, textarea")
            if element.is_displayed() and not element.accessible_name]
        self.assertEqual(nameless, [])


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


def start_server(test_class, verb, *more):
    """A server for all tests of a class; gives its port and the directory of its data."""
    work = commands.Workplace(test_class.__name__.lower())
    work.__enter__()
    test_class.addClassCleanup(work.__exit__, None, None, None)
    port = commands.free_port()
    work.start(verb, "data", port, *more).wait_until_ready()
    return port, work.path / "data"
