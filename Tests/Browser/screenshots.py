"""Makes the pictures of the READMEs (Documentation/images) from a demo of its own: make screenshots.

Needs pillow besides what the browser tests need; scripts/screenshots.sh installs both.
"""

import io
import unittest

from PIL import Image
from selenium.webdriver.common.by import By

from console import ConsoleTestCase
from support import ROOT, commands, start_server
from test_courses import Site

IMAGES = ROOT / "Documentation/images"
CONTAINER = "iCloud.stratus.demo"
BASE = f"/console/c/{CONTAINER}/development"
GROUND = "#c3c9d4"


class Screenshots(ConsoleTestCase):
    """Pictures are made as tests are, so that one of a broken page fails."""

    @classmethod
    def setUpClass(cls):
        IMAGES.mkdir(parents=True, exist_ok=True)
        cls.port, cls.data = start_server(cls, "demo", "--apps", str(ROOT / "Examples"), "--courses-url", "http://127.0.0.1:8081")
        cls.origin = f"http://127.0.0.1:{cls.port}"

    def save(self, name, *windows):
        """Puts the windows side by side into a picture of few colours."""
        for window in windows:
            self.assert_quiet(window, allowing="records/query.* 404 ")
            self.wait(window, lambda window: window.execute_script(
                "return document.fonts.status === 'loaded' && [...document.images].every((image) => image.complete || "
                "image.loading === 'lazy') && document.getAnimations().every((one) => one.playState !== 'running')"),
                "The page does not settle.")
        shots = [Image.open(io.BytesIO(window.get_screenshot_as_png())).convert("RGB") for window in windows]
        gap = 30
        whole = Image.new("RGB", (sum(shot.width + gap for shot in shots) - gap, max(shot.height for shot in shots)), GROUND)
        left = 0
        for shot in shots:
            whole.paste(shot, (left, 0))
            left += shot.width + gap
        path = IMAGES / f"{name}.png"
        for colours in (256, 128, 64):
            whole.quantize(colours, dither=Image.Dither.NONE).save(path, optimize=True)
            if path.stat().st_size < 200_000:
                break
        print(f"  {path.relative_to(ROOT)}: {whole.width} x {whole.height}, {path.stat().st_size // 1024} KiB")

    def tokens(self):
        return commands.TOKEN.findall((self.data.parent / f"{self.data.name}.log").read_text())

    def test_start(self):
        self.save("start", self.open(f"{self.origin}/", size=(1280, 760)))

    def test_records(self):
        path = f"{BASE}/records?type=Restaurant&f=rating&c=GREATER_THAN_OR_EQUALS&v=4&s=rating&d=desc"
        page = self.enter_demo(path, size=(1280, 1000))
        for button in page.find_elements(By.XPATH, "//button[normalize-space()='Add this index']"):
            button.click()
            # The server adds it by itself, too, once it is asked for often.
            self.wait_for_text(page, ".flash, .problem", "index")
        # What was done is said once.
        page.get(self.origin + path)
        self.wait_for_text(page, ".plan", r"Served by an index on rating.*\d+ in all")
        self.wait(page, lambda page: page.execute_script(
            "return [...document.querySelectorAll('img.thumb')].slice(0, 8).every((image) => image.naturalWidth > 0)"), "No photos.")
        self.save("console-records", page)

    def test_schema(self):
        self.save("console-schema", self.enter_demo(f"{BASE}/schema", size=(1280, 900)))

    def test_requests(self):
        token, web_token = self.tokens()[:2]
        place = ("--environment", "production")
        commands.run("user", "add", "ada", "--data", str(self.data), "--container", CONTAINER, *place)
        production = [commands.make_token(self.data, CONTAINER, *place, *more) for more in ((), ("--user", "ada"))]
        client = commands.Client(self.port, CONTAINER, "public", token)
        writer = commands.Client(self.port, CONTAINER, "public", token, web_token)
        released = commands.Client(self.port, CONTAINER, "public", *production, "production")
        for one in (client, writer, released):
            self.addCleanup(one.close)
        filters = [
            ("city", "EQUALS", "Lisbon"), ("level", "GREATER_THAN", 90), ("name", "BEGINS_WITH", "A"), ("hight", "EQUALS", 3),
            ("rating", "GREATER_THAN", 4.5), ("bio", "CONTAINS_ALL_TOKENS", "goals"), ("level", "EQUALS", "ten")]
        for name, comparator, value in filters:
            client.post("records/query", {"query": {"recordType": "Player", "filterBy": [
                {"fieldName": name, "comparator": comparator, "fieldValue": {"value": value}}]}, "resultsLimit": 15})
        client.post("records/lookup", {"records": [{"recordName": "player-0000001"}]})
        writer.post("records/modify", {"operations": [{"operationType": "update", "record": {
            "recordName": "player-0000001", "recordType": "Player", "recordChangeTag": "old", "fields": {"level": {"value": 3}}}}]})
        released.post("records/modify", {"operations": [
            {"operationType": "create", "record": {"recordType": "Player", "fields": {"name": {"value": "Ada"}}}}]})
        self.save("console-requests", self.enter_demo("/console/requests", size=(1280, 1100)))

    def app(self, name, ready, sizes=((860, 800), (390, 800))):
        windows = [self.open(f"{self.origin}/apps/{name}/", size=size) for size in sizes]
        for window in windows:
            self.wait(window, ready, f"The list of {name} stays empty.")
        self.save(name, *windows)

    def test_players(self):
        self.app("players", lambda page: len(page.find_elements(By.CSS_SELECTOR, "#players li")) >= 15)

    def test_discover(self):
        self.app("discover", lambda page: page.execute_script("""
            const images = [...document.querySelectorAll('#restaurants li')].filter((cell) => cell.getBoundingClientRect().top < innerHeight)
                .map((cell) => cell.querySelector('img'));
            return images.length > 0 && images.every((image) => !image.hidden && image.complete && image.naturalWidth > 0);"""))

    def test_courses(self):
        with Site() as site:
            page = self.open(f"{site.address}/courses/7", size=(1000, 760))
            self.wait_for_text(page, "#connection", "^live$")
            self.save("courses", page)
            page.get("about:blank")


if __name__ == "__main__":
    unittest.main()
