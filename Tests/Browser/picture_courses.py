#!/usr/bin/env python3
"""Makes Documentation/images/courses.png, the picture of the example's README."""

from support import ROOT, browser
from test_courses import Site, Window

if __name__ == "__main__":
    with Site() as site, browser(1000, 760) as driver:
        window = Window(driver, site)
        window.check()
        path = ROOT / "Documentation" / "images" / "courses.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        driver.save_screenshot(str(path))
        print(path)
