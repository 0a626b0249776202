"""What the browser tests share: programs that run while a test does, and Chromium.

Needs Debian's packages chromium and chromium-driver, and selenium for Python.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import traceback
from pathlib import Path

from selenium import webdriver
from selenium.common.exceptions import NoSuchElementException, StaleElementReferenceException
from selenium.webdriver.support.ui import WebDriverWait

ROOT = Path(__file__).resolve().parent.parent.parent
BINARIES = ROOT / ".build" / os.environ.get("CONFIGURATION", "debug")
SCREENSHOTS = ROOT / ".build" / "screenshots"
# How long a page or a program may take before a test fails, in seconds.
PATIENCE = 30


class Program:
    """A program that is started, waited for until it prints a line, and stopped in the end."""

    def __init__(self, command, ready):
        self.process = subprocess.Popen([str(part) for part in command], stdout=subprocess.PIPE, text=True)
        self.lines = []
        self.line = None
        deadline = threading.Timer(PATIENCE, self.process.kill)
        deadline.start()
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            if ready in line:
                self.line = self.lines[-1]
                break
        deadline.cancel()
        if self.line is None:
            raise AssertionError(f"{command[0]} ended without saying '{ready}': {self.lines}")
        # What it says later must not fill the pipe.
        threading.Thread(target=self.lines.extend, args=(self.process.stdout,), daemon=True).start()

    def stop(self, number=signal.SIGTERM):
        """Stops it as an operator does, and gives its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise AssertionError(f"It did not stop within {PATIENCE} seconds of signal {number}.") from None


@contextlib.contextmanager
def browser(width=1280, height=900, dark=False, reduced_motion=False):
    """A Chromium of its own, without a window of the desktop."""
    options = webdriver.ChromeOptions()
    for argument in ["--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--hide-scrollbars"]:
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    # The paths are named so that selenium looks for neither on the network.
    options.binary_location = shutil.which("chromium") or ""
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(shutil.which("chromedriver")))
    try:
        # The size of the page, not of the window around it.
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False},
        )
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        if reduced_motion:
            features.append({"name": "prefers-reduced-motion", "value": "reduce"})
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})
        driver.set_script_timeout(PATIENCE)
        yield driver
    except BaseException:
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{Path(sys.argv[0]).stem}-{os.getpid()}-{id(driver)}.png"
        with contextlib.suppress(Exception):
            driver.save_screenshot(str(path))
            print(f"screenshot: {path}", file=sys.stderr)
        raise
    finally:
        driver.quit()


def wait(driver, what, condition):
    """Waits until a condition of the page holds, and gives its value."""
    between_pages = [NoSuchElementException, StaleElementReferenceException]
    waiting = WebDriverWait(driver, PATIENCE, poll_frequency=0.05, ignored_exceptions=between_pages)
    return waiting.until(lambda _: condition(), f"waited for: {what}")


def complaints(driver):
    """What the browser's console holds against the page: errors of scripts, refused resources."""
    return [entry["message"] for entry in driver.get_log("browser") if entry["level"] == "SEVERE"]


def expect(condition, message):
    """Fails with a message unless the condition holds."""
    if not condition:
        raise AssertionError(message)


def main(tests):
    """Runs the functions, tells of each, and ends with 1 if one failed."""
    failed = 0
    for test in tests:
        start = time.monotonic()
        try:
            test()
            print(f"ok      {test.__name__} ({time.monotonic() - start:.1f} s)", flush=True)
        except Exception:
            failed += 1
            traceback.print_exc()
            print(f"FAILED  {test.__name__}", flush=True)
    sys.exit(1 if failed else 0)
