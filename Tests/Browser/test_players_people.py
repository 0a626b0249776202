"""Examples/Players where people sign in: one of them with a provider of OpenID Connect, in a browser of their own."""

import pathlib
import tempfile

from selenium.webdriver.common.by import By

from provider import CLIENT, SECRET, Provider
from support import PHONE, ROOT, BrowserTestCase, commands, start_server

CONTAINER = "iCloud.stratus.demo"
PASSWORD = "a raven of 1845"

# What the app's own object says to somebody who changes another's post.
CHANGE = """
const database = window.CloudKit.getDefaultContainer().publicCloudDatabase;
const { records: [post] } = await database.performQuery(
    { recordType: "Post", sortBy: [{ fieldName: "posted", ascending: false }] });
const { errors: [error] } = await database.saveRecords(
    { recordName: post.recordName, recordChangeTag: post.recordChangeTag, fields: { title: { value: "Mine now" } } });
return [error?.serverErrorCode ?? error?.ckErrorCode ?? null, post.fields.title.value];
"""


class PlayersPeopleTests(BrowserTestCase):
    @classmethod
    def setUpClass(cls):
        port, data = start_server(cls, "demo", "--players", "100", "--restaurants", "20", "--apps", str(ROOT / "Examples"))
        cls.server = f"http://127.0.0.1:{port}"
        cls.address = f"{cls.server}/apps/players/?people"
        cls.options = ["--data", str(data), "--container", CONTAINER]
        cls.provider = Provider()
        cls.addClassCleanup(cls.provider.close)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        # In the demo everybody may change everything; here posts are their authors', as in a new container.
        schema = pathlib.Path(folder.name) / "schema.ckdb"
        text = commands.run("schema", "export", *cls.options).stdout
        schema.write_text(text.replace('GRANT CREATE, WRITE TO "_icloud"', 'GRANT CREATE TO "_icloud"'))
        commands.run("schema", "import", "--file", str(schema), *cls.options)
        secret = pathlib.Path(folder.name) / "secret.txt"
        secret.write_text(SECRET + "\n")
        commands.run("sign-in", "set", "open", *cls.options)
        commands.run("sign-in", "provider", "add", "club", "--title", "the Club", "--client-id", CLIENT, "--secret-file",
                     str(secret), "--issuer", cls.provider.issuer, *cls.options)

    def begin(self, window):
        """Presses the app's button, and goes to the window that it opens; gives the app's."""
        self.wait_for_text(window, "#welcome", "Sign in")
        app = window.current_window_handle
        self.click(window, "#apple-sign-in-button button")
        self.wait(window, lambda window: len(window.window_handles) == 2, "No window was opened.")
        window.switch_to.window(next(handle for handle in window.window_handles if handle != app))
        return app

    def end(self, window, app):
        self.wait(window, lambda window: len(window.window_handles) == 1, "The window did not close.")
        window.switch_to.window(app)
        self.wait(window, lambda window: window.find_elements(By.CSS_SELECTOR, "#players li"), "No players are shown.")
        self.assertFalse(window.find_element(By.ID, "welcome").is_displayed())

    def by_provider(self, name, **look):
        window = self.open(self.address, **look)
        app = self.begin(window)
        self.wait_for_text(window, "main", "Continue with the Club")
        window.find_element(By.CSS_SELECTOR, "button[name=provider][value=club]").click()
        self.wait_for_text(window, "h1", "^Club$")
        window.find_element(By.NAME, "name").send_keys(name)
        window.find_element(By.TAG_NAME, "button").click()
        self.end(window, app)
        return window

    def by_password(self, address):
        link = commands.run("account", "invite", address, "--url", self.server, *self.options).stdout.strip()
        window = self.open(self.address)
        app = self.begin(window)
        window.get(link)
        field = window.find_element(By.NAME, "password")
        field.send_keys(PASSWORD)
        field.submit()
        self.end(window, app)
        return window

    def go(self, window, section):
        window.find_element(By.CSS_SELECTOR, f"nav a[href='#{section}']").click()

    def fill(self, window, form, **fields):
        for name, text in fields.items():
            field = window.find_element(By.CSS_SELECTOR, f"#{form} [name='{name}']")
            field.clear()
            field.send_keys(text)
        window.find_element(By.CSS_SELECTOR, f"#{form} button").click()

    def test_one_signs_in_with_a_provider_and_likes_a_player(self):
        ada = self.by_password("ada@example.org")
        self.go(ada, "profile")
        self.fill(ada, "profile-form", name="Ada Lovelace", city="London", bio="I count.")
        self.wait_for_text(ada, "#status", "profile is saved")
        self.go(ada, "posts")
        self.fill(ada, "post-form", title="Five a side", text="Who comes?")
        self.wait_for_text(ada, "#posts li:first-child h2", "Five a side")

        bob = self.by_provider("Bob", size=PHONE)
        self.assert_fits(bob)
        self.assert_readable(bob)
        self.assert_labelled(bob)
        card = "#players li:nth-child(2)"
        name = bob.find_element(By.CSS_SELECTOR, card + " h2").text
        like = bob.find_element(By.CSS_SELECTOR, card + " .like")
        count = int(like.text.replace(",", ""))
        like.click()
        self.wait(bob, lambda window: not window.find_elements(By.CSS_SELECTOR, "[aria-busy=true]"), "It does not end.")
        self.assertEqual(like.get_attribute("aria-pressed"), "true")

        # Ada sees it, and it is not hers.
        ada.refresh()
        self.go(ada, "players")
        self.wait(ada, lambda window: window.find_elements(By.CSS_SELECTOR, "#players li"), "No players are shown.")
        seen = next(row for row in ada.find_elements(By.CSS_SELECTOR, "#players li") if name in row.text)
        like = seen.find_element(By.CSS_SELECTOR, ".like")
        self.assertEqual(int(like.text.replace(",", "")), count + 1)
        self.assertEqual(like.get_attribute("aria-pressed"), "false")

        # Her post stays hers.
        self.go(bob, "posts")
        self.wait_for_text(bob, "#posts li:first-child h2", "Five a side")
        self.assertEqual(bob.execute_script(CHANGE), ["ACCESS_DENIED", "Five a side"])
        bob.refresh()
        self.wait_for_text(bob, "#posts li:first-child h2", "Five a side")

        # A second visit needs no sign-in, and leaving ends that.
        self.click(bob, "#apple-sign-out-button button")
        self.wait_for_text(bob, "#welcome", "Sign in")
        bob.refresh()
        self.wait_for_text(bob, "#welcome", "Sign in")
        self.assert_fits(bob)
        self.assert_readable(bob)
