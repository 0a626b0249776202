"""People make accounts and sign in, on a phone: the page by itself, and from an app of another origin with cloudkit.js."""

import base64
import json
import pathlib
import re
import tempfile
import time
import urllib.parse
import urllib.request

from selenium.webdriver.common.by import By

from support import PHONE, BrowserTestCase, FileServer, commands, start_server

CONTAINER = "iCloud.people"
PASSWORD = "a raven of 1845"

APP = """<!doctype html><html lang="en"><meta charset="utf-8"><title>App</title>
<div id="apple-sign-in-button"></div><div id="apple-sign-out-button"></div><p id="who"></p>
<script type="module">
import CloudKit from "SERVER/cloudkit.js";
CloudKit.configure({ containers: [{ containerIdentifier: "CONTAINER", environment: "development",
    apiTokenAuth: { apiToken: "TOKEN", persist: true } }] });
const container = CloudKit.getDefaultContainer();
const who = document.getElementById("who");
function wait() {
    container.whenUserSignsIn().then((user) => { who.textContent = user.userRecordName; });
    container.whenUserSignsOut().then(() => { who.textContent = "nobody"; wait(); });
}
wait();
if (await container.setUpAuth() === null) who.textContent = "nobody";
</script></html>
"""

# A place of the app's own for tokens.
STORE = """const store = {
    putToken: (name, token) => { if (token) localStorage.setItem("own", token); else localStorage.removeItem("own"); },
    getToken: () => localStorage.getItem("own"),
};
"""


class SignInTests(BrowserTestCase):
    @classmethod
    def setUpClass(cls):
        port, data = start_server(cls, "serve")
        cls.data = str(data)
        cls.address = f"http://127.0.0.1:{port}"
        cls.page = f"{cls.address}/sign-in/{CONTAINER}/development"
        commands.run("sign-in", "set", "open", "--title", "Players", "--data", cls.data, "--container", CONTAINER)
        cls.token = commands.make_token(data, CONTAINER)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        app = APP.replace("SERVER", cls.address).replace("CONTAINER", CONTAINER).replace("TOKEN", cls.token)
        (pathlib.Path(folder.name) / "index.html").write_text(app)
        own = app.replace("persist: true } }] }", "} }], services: { authTokenStore: store } }")
        own = own.replace("CloudKit.configure", STORE + "CloudKit.configure", 1)
        (pathlib.Path(folder.name) / "own-store.html").write_text(own)
        cls.files = FileServer(folder.name)
        cls.addClassCleanup(cls.files.close)

    def invite(self, address):
        link = commands.run(
            "account", "invite", address, "--url", self.address, "--data", self.data, "--container", CONTAINER)
        return link.stdout.strip()

    def fill(self, window, button="main form button", **values):
        for name, value in values.items():
            field = window.find_element(By.NAME, name)
            field.clear()
            field.send_keys(value)
        window.find_element(By.CSS_SELECTOR, button).click()

    def assert_good(self, window):
        self.assert_fits(window)
        self.assert_readable(window)
        self.assert_labelled(window)
        self.assert_structured(window)
        self.assert_focus_order(window)

    def test_the_page_has_the_color_and_the_logo_of_the_app(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        logo = pathlib.Path(folder.name) / "logo.png"
        options = ["--data", self.data, "--container", "iCloud.looks"]
        picture = base64.b64decode(
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
        logo.write_bytes(picture)
        commands.run("sign-in", "set", "open", "--title", "Looks", "--color", "#0A3D62", "--logo", str(logo), *options)
        address = f"{self.address}/sign-in/iCloud.looks/development"
        color = "rgb(10, 61, 98)"
        for dark in (False, True):
            with self.subTest(dark=dark):
                window = self.open(address, size=PHONE, dark=dark)
                self.assert_good(window)
                button = window.find_element(By.CSS_SELECTOR, "button.primary")
                background = window.execute_script("return getComputedStyle(arguments[0]).backgroundColor", button)
                self.assertEqual(background, color)
                image = window.find_element(By.CSS_SELECTOR, "main > img.logo")
                self.wait(window, lambda window: window.execute_script("return arguments[0].naturalWidth", image) == 1,
                          "the logo is not shown")
        with urllib.request.urlopen(image.get_attribute("src")) as answer:
            self.assertEqual(answer.headers["Content-Type"], "image/png")
            self.assertIn("immutable", answer.headers["Cache-Control"])
            self.assertEqual(answer.read(), picture)
        commands.run("sign-in", "set", "--color", "", "--no-logo", *options)
        window.get(address)
        self.assertEqual(window.find_elements(By.CSS_SELECTOR, "img.logo"), [])
        self.assert_good(window)

    def test_a_phone_makes_an_account_and_leaves_again(self):
        window = self.open(self.page, size=PHONE)
        self.assert_good(window)
        window.get(self.page + "/sign-up")
        self.assert_good(window)
        self.fill(window, address="ada@example.org")
        self.wait_for_text(window, "main", "sends no mail")
        window.get(self.invite("ada@example.org"))
        self.assert_good(window)
        self.fill(window, password="password123")
        self.wait_for_text(window, ".problem", "tried first")
        self.assert_good(window)
        self.fill(window, password=PASSWORD)
        self.wait_for_text(window, "h1", "You are signed in")
        window.find_element(By.LINK_TEXT, "Your account").click()
        self.wait_for_text(window, "main", "Signed in as ada@example.org")
        self.assert_good(window)
        self.assert_quiet(window, allowing="422")
        self.fill(window)
        self.wait_for_text(window, "h1", "Sign in")
        self.fill(window, address="ada@example.org", password="wrong password")
        self.wait_for_text(window, ".problem", "wrong")

    def test_a_provider_is_offered_connected_and_may_be_out_of_reach(self):
        options = ["--data", self.data, "--container", "iCloud.providers"]
        page = f"{self.address}/sign-in/iCloud.providers/development"
        for name, title in (("example", "Example & Söhne"), ("other", "Other")):
            commands.run("sign-in", "provider", "add", name, "--title", title, "--issuer", f"http://127.0.0.1:9/{name}",
                         "--client-id", "stratus", "--unchecked", *options)
        window = self.open(page, size=PHONE)
        self.wait_for_text(window, "main", "Continue with Example & Söhne")
        self.assert_good(window)
        window.find_element(By.CSS_SELECTOR, "button[name=provider][value=other]").click()
        self.wait_for_text(window, ".problem", "Signing in with Other did not work")
        self.assert_good(window)
        link = commands.run("account", "invite", "cleo@example.org", "--url", self.address, *options).stdout.strip()
        window.get(link)
        self.fill(window, password=PASSWORD)
        # Stretching a password takes a moment, and who leaves meanwhile is not signed in.
        self.wait_for_text(window, "h1", "You are signed in")
        window.get(page + "/account")
        self.wait_for_text(window, "main", "Connect Example & Söhne")
        self.assert_good(window)
        field = window.find_element(By.ID, "current-for-example")
        field.send_keys("wrong password")
        field.submit()
        self.wait_for_text(window, ".problem", "password is wrong")

    def test_a_device_is_let_in_on_a_phone(self):
        body = urllib.parse.urlencode({"client_id": self.token, "device_name": "Lamp in the living room"}).encode()
        with urllib.request.urlopen(self.page + "/device/code", body, 30) as answer:
            codes = json.load(answer)
        window = self.open(codes["verification_uri_complete"], size=PHONE)
        start = window.current_url
        self.assertIn("user_code=", start)
        window.get(self.invite("dora@example.org"))
        self.fill(window, password=PASSWORD)
        self.wait_for_text(window, "h1", "You are signed in")
        window.get(codes["verification_uri_complete"])
        self.assertEqual(window.find_element(By.NAME, "code").get_attribute("value"), codes["user_code"])
        self.assert_good(window)
        self.fill(window, code="BBBB-BBBB")
        self.wait_for_text(window, ".problem", "No device waits")
        self.assert_good(window)
        self.fill(window, code=codes["user_code"].lower())
        self.wait_for_text(window, "main", "Lamp in the living room")
        self.assert_good(window)
        self.fill(window)
        self.wait_for_text(window, "main", "The device is signed in")
        self.assert_good(window)
        # A program of this machine: the page says so, and has one button.
        query = urllib.parse.urlencode({
            "ckAPIToken": self.token, "redirect_uri": "http://127.0.0.1:9/", "state": "12345678",
            "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256"})
        window.get(f"{self.page}?{query}")
        self.wait_for_text(window, "main", "A program on this computer")
        self.assert_good(window)

    def test_an_app_of_another_origin_is_told_who_signed_in(self):
        window = self.open(self.files.address)
        button = self.wait(
            window, lambda window: window.find_element(By.CSS_SELECTOR, "#apple-sign-in-button button"), "No button.")
        self.wait_for_text(window, "#who", "nobody")
        link = self.invite("bob@example.org")
        app = window.current_window_handle
        button.click()
        self.wait(window, lambda window: len(window.window_handles) == 2, "No window was opened.")
        page = next(handle for handle in window.window_handles if handle != app)
        window.switch_to.window(page)
        # Opened in the window of the app: that goes on by itself.
        window.get(link)
        self.fill(window, password=PASSWORD)
        self.wait(window, lambda window: len(window.window_handles) == 1, "The window did not close.")
        window.switch_to.window(app)
        self.wait_for_text(window, "#who", "^_[0-9a-f]{32}$")
        name = window.find_element(By.ID, "who").text
        # It is kept for the next visit.
        window.refresh()
        self.wait_for_text(window, "#who", name)
        self.click(window, "#apple-sign-out-button button")
        self.wait_for_text(window, "#who", "nobody")
        window.refresh()
        self.wait_for_text(window, "#who", "nobody")
        self.wait(
            window, lambda window: window.find_element(By.CSS_SELECTOR, "#apple-sign-in-button button"), "No button.")

    def sign_in_an_app(self, address, page):
        """Opens an app and signs somebody in; gives the window, and the user's name as the app shows it."""
        window = self.open(page)
        self.click(window, "#apple-sign-in-button button")
        self.wait(window, lambda window: len(window.window_handles) == 2, "No window was opened.")
        app = window.current_window_handle
        window.switch_to.window(next(handle for handle in window.window_handles if handle != app))
        window.get(self.invite(address))
        self.fill(window, password=PASSWORD)
        self.wait(window, lambda window: len(window.window_handles) == 1, "The window did not close.")
        window.switch_to.window(app)
        self.wait_for_text(window, "#who", "^_[0-9a-f]{32}$")
        return window, window.find_element(By.ID, "who").text

    def test_who_came_back_to_the_app_continues_with_one_click(self):
        window, name = self.sign_in_an_app("gus@example.org", self.files.address)
        app = window.current_window_handle
        self.click(window, "#apple-sign-out-button button")
        self.click(window, "#apple-sign-in-button button")
        self.wait(window, lambda window: len(window.window_handles) == 2, "No window was opened.")
        window.switch_to.window(next(handle for handle in window.window_handles if handle != app))
        # The page knows who it is, and still asks: nothing of before is left that would go on by itself.
        self.wait_for_text(window, "main", "Continue as gus@example.org")
        window.find_element(By.CSS_SELECTOR, "button.primary").click()
        self.wait(window, lambda window: len(window.window_handles) == 1, "The window did not close.")
        window.switch_to.window(app)
        self.wait_for_text(window, "#who", name)

    def test_a_link_in_a_tab_of_its_own_signs_no_window_of_an_app_in_that_did_not_ask_for_it(self):
        window = self.open(self.files.address)
        self.wait_for_text(window, "#who", "nobody")
        app = window.current_window_handle
        self.click(window, "#apple-sign-in-button button")
        self.wait(window, lambda window: len(window.window_handles) == 2, "No window was opened.")
        page = next(handle for handle in window.window_handles if handle != app)
        window.switch_to.new_window("tab")
        # An operator's invitation is no app's.
        window.get(self.invite("hal@example.org"))
        self.fill(window, password=PASSWORD)
        self.wait_for_text(window, "h1", "You are signed in")
        window.switch_to.window(page)
        self.wait_for_text(window, "h1", "Sign in")
        window.switch_to.window(app)
        self.assertEqual(window.find_element(By.ID, "who").text, "nobody")

    def test_a_mailed_link_in_a_tab_of_its_own_brings_the_window_of_the_app_to_its_end(self):
        window = self.open(self.files.address)
        app = window.current_window_handle
        self.click(window, "#apple-sign-in-button button")
        self.wait(window, lambda window: len(window.window_handles) == 2, "No window was opened.")
        window.switch_to.window(next(handle for handle in window.window_handles if handle != app))
        window.get(window.current_url.replace("/development?", "/development/sign-up?"))
        self.fill(window, address="ines@example.org")
        self.wait_for_text(window, "main", "sends no mail")
        link = self.wait(window, lambda _: [
            found[0] for line in self.process.text.splitlines() if "ines@example.org" in line
            if (found := re.search(r"/sign-in/\S+?/link/[0-9a-f]{64}\?lang=\w\w", line))], "No link in the log.")[-1]
        window.switch_to.new_window("tab")
        window.get(self.address + link)
        self.fill(window, password=PASSWORD)
        self.wait_for_text(window, "h1", "You are signed in")
        self.wait(window, lambda window: len(window.window_handles) == 2, "The window of the app did not close.")
        window.switch_to.window(app)
        self.wait_for_text(window, "#who", "^_[0-9a-f]{32}$")

    def test_who_signs_out_in_one_window_is_signed_out_in_all(self):
        for page, address in (("index.html", "erik@example.org"), ("own-store.html", "fay@example.org")):
            with self.subTest(page):
                window, name = self.sign_in_an_app(address, f"{self.files.address}/{page}")
                first = window.current_window_handle
                window.switch_to.new_window("tab")
                window.get(f"{self.files.address}/{page}")
                self.wait_for_text(window, "#who", name)
                self.click(window, "#apple-sign-out-button button")
                self.wait_for_text(window, "#who", "nobody")
                window.switch_to.window(first)
                # Nobody asked anything here: the page heard of it.
                self.wait_for_text(window, "#who", "nobody")
                self.wait(window, lambda window: window.find_element(By.CSS_SELECTOR, "#apple-sign-in-button button"),
                          "No button.")
                self.assertEqual(window.find_elements(By.CSS_SELECTOR, "#apple-sign-out-button button"), [])

    def test_a_message_of_another_window_signs_nobody_in(self):
        window = self.open(self.files.address)
        self.wait_for_text(window, "#who", "nobody")
        app = window.current_window_handle
        self.click(window, "#apple-sign-in-button button")
        self.wait(window, lambda window: len(window.window_handles) == 2, "No window was opened.")
        window.switch_to.window(app)
        window.execute_script("postMessage({ckSession: 'x'.repeat(43), ckWebAuthToken: 'x'.repeat(43)}, '*')")
        time.sleep(1)
        self.assertEqual(window.find_element(By.ID, "who").text, "nobody")
        self.assertIsNone(window.execute_script(f"return localStorage.getItem('cloudkit.{CONTAINER}.development')"))
