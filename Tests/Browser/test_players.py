"""Examples/Players in Chromium, served by `stratus demo`: what document 1 asks of its app."""

import unittest

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import Select

from support import PHONE, ROOT, BrowserTestCase, start_server

SECTIONS = ["players", "favourites", "posts", "profile", "feedback"]

# What others do meanwhile.
LIKE_OF_ANOTHER = """
await saved({ recordType: "Like", recordName: `like-0123abcd-${arguments[0]}`,
    fields: { player: { value: { recordName: arguments[0], action: "NONE" } } } });"""
TAKE_LIKE_BACK = "await everybody.deleteRecords(`like-0123abcd-${arguments[0]}`);"
NEW_POST = """
return (await saved({ recordType: "Post", fields: { title: { value: arguments[0] }, text: { value: "Who comes?" },
    posted: { value: Date.now(), type: "TIMESTAMP" } } })).recordName;"""
CHANGED_POST = """
const { records: [post] } = await everybody.fetchRecords(arguments[0]);
await everybody.saveRecords({ ...post, fields: { ...post.fields, title: { value: arguments[1] } } });"""
GONE_POST = "await everybody.deleteRecords(arguments[0]);"


class PlayersTests(BrowserTestCase):
    @classmethod
    def setUpClass(cls):
        port, _ = start_server(cls, "demo", "--players", "100", "--restaurants", "20", "--apps", str(ROOT / "Examples"))
        cls.address = f"http://127.0.0.1:{port}/apps/players/"

    def app(self, section="players", **more):
        page = self.open(f"{self.address}#{section}", **more)
        if section in ("players", "posts"):
            self.wait(page, lambda page: self.items(page, section), f"The list of {section} stays empty.")
        return page

    def items(self, page, section):
        return page.find_elements(By.CSS_SELECTOR, f"#{section} li")

    def names(self, page, section="players"):
        return page.execute_script(
            f"return Array.from(document.querySelectorAll('#{section} h2'), (name) => name.textContent)")

    def is_live(self, page, section):
        return page.find_element(By.ID, section).get_attribute("data-live") == "true"

    def call(self, page, script, *arguments):
        """Does something with the public database by the page's own library, and gives what came of it."""
        return page.execute_script(
            "const { default: CloudKit } = await import('/cloudkit.js');"
            "const everybody = CloudKit.getDefaultContainer().publicCloudDatabase;"
            "const saved = async (record) => (await everybody.newRecordsBatch().forceUpdate(record).commit()).records[0];"
            f"{script}", *arguments)

    def is_idle(self, page):
        return not page.find_elements(By.CSS_SELECTOR, "[aria-busy=true]")

    def go(self, page, section):
        page.find_element(By.CSS_SELECTOR, f"nav a[href='#{section}']").click()

    def fill(self, page, form, **fields):
        for name, text in fields.items():
            field = page.find_element(By.CSS_SELECTOR, f"#{form} [name='{name}']")
            if field.tag_name == "select":
                Select(field).select_by_visible_text(text)
            else:
                field.clear()
                field.send_keys(text)
        page.find_element(By.CSS_SELECTOR, f"#{form} button").click()

    def test_loads_fifteen_more_as_one_scrolls(self):
        page = self.app()
        self.wait(page, lambda page: len(self.items(page, "players")) == 15, "The first page has 15 players.")
        seen = [15]

        def all_there(page):
            page.execute_script("scrollTo(0, document.body.scrollHeight)")
            count = len(self.items(page, "players"))
            if count != seen[-1]:
                seen.append(count)
            return count >= 100
        self.wait(page, all_there, "Not all players came.")
        self.assertTrue(all(count % 15 == 0 or count == seen[-1] for count in seen), seen)
        self.assertFalse(page.find_element(By.CSS_SELECTOR, "#players .more").is_displayed())
        players = page.execute_script("""
            const { CloudKit } = window;
            const database = CloudKit.getDefaultContainer().publicCloudDatabase;
            const names = [];
            let answer = { recordType: "Player", sortBy: [{ fieldName: "joined", ascending: false }] };
            do {
                answer = await database.performQuery(answer);
                names.push(...answer.records.map((record) => record.fields.name.value));
            } while (answer.moreComing);
            return names;""")
        self.assertEqual(self.names(page), players, "every player once, the newest first")

    def test_sorts_anew(self):
        page = self.app()
        Select(page.find_element(By.ID, "order")).select_by_value("rating")
        self.wait_for_text(page, "#players li:first-child .meta", r"rating 4\.\d|rating 5\.0")
        lines = [line.text for line in page.find_elements(By.CSS_SELECTOR, "#players .meta")]
        ratings = [float(line.split()[-1]) for line in lines]
        self.assertEqual(ratings, sorted(ratings, reverse=True))

    def test_likes_and_favourites_stay(self):
        page = self.app()
        name = self.names(page)[2]
        like, star = page.find_elements(By.CSS_SELECTOR, "#players li:nth-child(3) button")
        count = int(like.text.replace(",", ""))
        like.click()
        star.click()
        self.wait(page, self.is_idle, "Saving does not end.")

        page.refresh()
        self.wait(page, lambda page: self.items(page, "players"), "No players after loading again.")
        like, star = page.find_elements(By.CSS_SELECTOR, "#players li:nth-child(3) button")
        self.assertEqual([like.get_attribute("aria-pressed"), star.get_attribute("aria-pressed")], ["true", "true"])
        self.assertEqual(int(like.text.replace(",", "")), count + 1)
        self.go(page, "favourites")
        self.wait(page, lambda page: self.names(page, "favourites") == [name], "The favourite is not in its list.")

        page.find_element(By.CSS_SELECTOR, "#favourites .favourite").click()
        self.go(page, "players")
        like.click()
        self.wait(page, lambda _: like.text == f"{count:,}", "The like is not taken back.")
        self.wait(page, self.is_idle, "Saving does not end.")
        self.go(page, "favourites")
        self.wait_for_text(page, "#favourites .empty", "Nobody yet")

    def test_pressing_in_two_windows_likes_once(self):
        pages = [self.app(), self.app()]
        # Neither hears of the other.
        for page in pages:
            page.execute_cdp_cmd("Network.enable", {})
            page.execute_cdp_cmd("Network.setBlockedURLs", {"urls": ["*/records/live*"]})
            page.refresh()
            self.wait(page, lambda page: self.items(page, "players"), "No players after loading again.")
        likes = [page.find_element(By.CSS_SELECTOR, "#players li:nth-child(5) .like") for page in pages]
        count = int(likes[0].text.replace(",", ""))
        for like in likes:
            like.click()
        for page in pages:
            self.wait(page, self.is_idle, "It does not end.")
        pages[0].refresh()
        self.wait(pages[0], lambda page: self.items(page, "players"), "No players after loading again.")
        like = pages[0].find_element(By.CSS_SELECTOR, "#players li:nth-child(5) .like")
        self.assertEqual(int(like.text.replace(",", "")), count + 1)
        like.click()
        self.wait(pages[0], self.is_idle, "It does not end.")
        for page in pages:
            page.execute_cdp_cmd("Network.setBlockedURLs", {"urls": []})

    def test_profile_posts_and_feedback(self):
        page = self.app("posts")
        other = self.app("profile")
        self.fill(page, "post-form", title="Five a side", text="Who comes?")
        self.wait_for_text(page, "#status", "make your profile first")
        self.wait_for_text(page, "#profile-form button", "Create profile")
        self.fill(page, "profile-form", name="Ada Lovelace", city="London", position="winger", bio="I count.")
        self.wait_for_text(page, "#status", "profile is saved")
        self.wait_for_text(page, "#profile-form button", "Save changes")
        self.fill(page, "profile-form", city="Paris")
        self.wait_for_text(page, "#status", "profile is saved")

        # The other window knows of no profile yet: it gets an error, and then replaces it.
        self.fill(other, "profile-form", name="Ada King", city="Rome")
        self.wait_for_text(other, "#status", "changed in another window")
        other.find_element(By.CSS_SELECTOR, "#status button").click()
        self.wait_for_text(other, "#status", "profile is saved")
        self.go(other, "players")
        self.wait_for_text(other, "#players li:first-child h2", "Ada King")
        self.wait_for_text(other, "#players li:first-child .meta", "Rome")

        self.go(page, "posts")
        self.fill(page, "post-form", title="Five a side", text="Who comes?")
        self.wait_for_text(page, "#posts li:first-child h2", "Five a side")
        self.go(other, "posts")
        self.wait_for_text(other, "#posts li:first-child h2", "Five a side")
        self.wait_for_text(other, "#posts li:first-child .meta", "Ada King")

        self.go(page, "feedback")
        self.fill(page, "feedback-form", text="More goals.")
        self.wait_for_text(page, "#status", "Thank you")
        self.assertEqual(page.find_element(By.CSS_SELECTOR, "#feedback-form textarea").get_attribute("value"), "")

    def test_shows_posts_and_likes_as_they_happen(self):
        writer, reader = self.app(), self.app()
        # One like, so that there is something to follow.
        self.click(writer, "#players li:nth-child(9) .like")
        for page in (writer, reader):
            self.wait(page, lambda page: self.is_live(page, "players"), "Likes are not followed.")
        like = reader.find_element(By.CSS_SELECTOR, "#players li:nth-child(9) .like")
        for pressed in ("true", "false"):
            self.wait(reader, lambda _: like.get_attribute("aria-pressed") == pressed, "The like of the other window is not shown.")
            if pressed == "true":
                count = int(like.text.replace(",", ""))
                self.click(writer, "#players li:nth-child(9) .like")
        self.wait(reader, lambda _: int(like.text.replace(",", "")) == count - 1, "The number stays.")

        # Somebody else's like is counted, and is none of one's own.
        player = reader.find_element(By.CSS_SELECTOR, "#players li:nth-child(9)").get_attribute("data-player")
        self.call(reader, LIKE_OF_ANOTHER, player)
        self.wait(reader, lambda _: int(like.text.replace(",", "")) == count, "Another's like is not counted.")
        self.assertEqual(like.get_attribute("aria-pressed"), "false")
        self.call(reader, TAKE_LIKE_BACK, player)
        self.wait(reader, lambda _: int(like.text.replace(",", "")) == count - 1, "Another's like stays.")

        for page in (writer, reader):
            self.go(page, "posts")
            self.wait(page, lambda page: self.is_live(page, "posts"), "Posts are not followed.")
        before = self.names(reader, "posts")
        name = self.call(writer, NEW_POST, "Early birds")
        self.wait(reader, lambda page: self.names(page, "posts") == ["Early birds", *before], "The post does not come.")
        self.call(writer, CHANGED_POST, name, "Night owls")
        self.wait(reader, lambda page: self.names(page, "posts") == ["Night owls", *before], "The post does not change.")
        # What comes while another section is shown is there afterwards.
        self.go(reader, "feedback")
        second = self.call(writer, NEW_POST, "Lunch break")
        self.go(reader, "posts")
        self.wait(reader, lambda page: self.names(page, "posts")[:2] == ["Lunch break", "Night owls"], "What came is not shown.")
        for post in (name, second):
            self.call(writer, GONE_POST, post)
        for page in (writer, reader):
            self.wait(page, lambda page: self.names(page, "posts")[:len(before)] == before, "The posts stay.")
            self.assert_quiet(page, allowing="records/(query|live).* 404 ")

    def test_says_when_the_network_is_slow_or_gone(self):
        page = self.app()
        page.execute_cdp_cmd("Network.enable", {})
        page.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": True, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1})
        like = page.find_element(By.CSS_SELECTOR, "#players li:nth-child(7) .like")
        like.click()
        self.wait_for_text(page, "#status", "could not be reached")
        self.assertEqual(like.get_attribute("aria-pressed"), "false", "what was not saved is not shown")
        page.execute_cdp_cmd("Network.emulateNetworkConditions", {
            "offline": False, "latency": 3000, "downloadThroughput": -1, "uploadThroughput": -1})
        page.find_element(By.CSS_SELECTOR, "#status button").click()
        self.wait_for_text(page, "#status", "network is slow")
        self.wait(page, self.is_idle, "The like is not saved.")
        self.assertEqual(like.get_attribute("aria-pressed"), "true")
        self.assertFalse(page.find_element(By.ID, "status").is_displayed())

    def test_works_by_keyboard(self):
        page = self.open(self.address)
        page.switch_to.active_element.send_keys(Keys.TAB)
        self.assertEqual(page.switch_to.active_element.text, "Skip to the content")
        page.switch_to.active_element.send_keys(Keys.ENTER)
        self.assertEqual(page.switch_to.active_element.get_attribute("id"), "main")
        page.switch_to.active_element.send_keys(Keys.SHIFT, Keys.TAB)
        self.assertEqual(page.switch_to.active_element.text, "Feedback")
        page.switch_to.active_element.send_keys(Keys.ENTER)
        page.switch_to.active_element.send_keys(Keys.TAB)
        page.switch_to.active_element.send_keys("By keyboard", Keys.TAB)
        outline = page.execute_script("return getComputedStyle(document.activeElement).outlineStyle")
        self.assertEqual(outline, "solid", "the focus can be seen")
        page.switch_to.active_element.send_keys(Keys.ENTER)
        self.wait_for_text(page, "#status", "Thank you")

    def test_fits_phones_and_desktops_in_light_and_dark(self):
        for size in (PHONE, (1280, 900)):
            for dark in (False, True):
                with self.subTest(size=size, dark=dark):
                    page = self.app(size=size, dark=dark)
                    for section in SECTIONS:
                        self.go(page, section)
                        self.wait_for_text(page, f"#{section} h1", ".")
                        self.assert_fits(page)
                        self.assert_readable(page)
                        self.assert_labelled(page)
                    # Until the first like or favourite, its record type is not found.
                    self.assert_quiet(page, allowing="records/(query|live).* 404 ")


if __name__ == "__main__":
    unittest.main()
