# SPDX-License-Identifier: Apache-2.0
"""Visits each page of the site in a browser without a window: does it ask the network for anything,
do its scripts run, does each link lead to something, does it fit a phone, is it dark where that is
wanted, and does the search find what it should?
"""

from __future__ import annotations

import shutil
from pathlib import Path
from urllib.parse import unquote, urldefrag

from playwright.sync_api import Browser, Page, sync_playwright

PHONE = {"width": 390, "height": 844}
DESKTOP = {"width": 1280, "height": 900}
PICTURES = (
    "README.html",
    "docs/tutorial/1-calls.html",
    "docs/cookbook/wavefront.html",
    "docs/reference/futures.html",
    "docs/how.html",
    "docs/semantics.html",
    "docs/performance.html",
)
# What is looked for, and the page that must be among what is found.
SEARCHES = (
    ("region", "docs/semantics.html"),
    ("MYR_ON", "docs/user/variables.html"),
    ("wait_all", "docs/reference/tasks.html"),
    ("wavefront", "docs/cookbook/wavefront.html"),
)
LINKS_AND_PLACES = """() => ({
  links: [...document.querySelectorAll('a[href]')].map(a => a.href),
  places: [...document.querySelectorAll('[id]')].map(e => e.id),
})"""
SEARCH_IS_OVER = (
    "() => document.querySelector('.search-summary')?.innerText.startsWith('Search finished')"
)
BRIGHTNESS = """() => {
  const parts = getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).map(Number);
  return (parts[0] + parts[1] + parts[2]) / 3;
}"""


class Look:
    def __init__(self, html: Path) -> None:
        self.html = html
        self.faults: list[str] = []
        self.links: dict[str, set[str]] = {}  # of each page, by its address
        self.places: dict[str, set[str]] = {}

    def name(self, address: str) -> str:
        return unquote(address).removeprefix(f"file://{self.html}/")

    def fault(self, page: str, what: str) -> None:
        self.faults.append(f"{page}: {what}")

    def watched_page(self, browser: Browser, **options: object) -> Page:
        """A page that tells of scripts' errors, and of what it should not ask for."""
        page = browser.new_page(**options)
        page.on("pageerror", lambda error: self.fault(self.name(page.url), f"script: {error}"))
        page.on("requestfailed", lambda it: self.fault(self.name(page.url), f"lacks {it.url}"))

        def watch(asked) -> None:
            if not asked.url.startswith(("file:", "data:")):
                self.fault(self.name(page.url), f"asks the network for {asked.url}")

        page.on("request", watch)
        return page

    def visit_all(self, browser: Browser) -> None:
        page = self.watched_page(browser, viewport=PHONE)
        for path in sorted(self.html.rglob("*.html")):
            if "_static" in path.parts or path == self.html / "index.html":
                continue
            page.goto(path.as_uri())
            width = page.evaluate("() => document.documentElement.scrollWidth")
            if width > PHONE["width"]:
                self.fault(self.name(path.as_uri()), f"{width} pixels wide on a phone")
            found = page.evaluate(LINKS_AND_PLACES)
            self.links[path.as_uri()] = set(found["links"])
            self.places[path.as_uri()] = set(found["places"])
        page.close()

    def check_links(self) -> None:
        for page, links in self.links.items():
            for link in links:
                goal, place = urldefrag(link)
                if not goal.startswith("file:"):
                    continue
                if not Path(unquote(goal.removeprefix("file://"))).is_file():
                    self.fault(self.name(page), f"link to {self.name(link)}, which is not there")
                elif place and unquote(place) not in self.places.get(goal, {unquote(place)}):
                    self.fault(self.name(page), f"no such place: {self.name(link)}")

    def check_search(self, browser: Browser) -> None:
        page = self.watched_page(browser, viewport=DESKTOP)
        for word, goal in SEARCHES:
            page.goto(f"{(self.html / 'search.html').as_uri()}?q={word}")
            page.wait_for_function(SEARCH_IS_OVER)
            links = page.eval_on_selector_all("#search-results li a", "all => all.map(a => a.href)")
            if not any(self.name(link).startswith(goal) for link in links):
                self.fault("search.html", f"{word} does not find {goal}")
        page.close()

    def draw(self, browser: Browser, folder: Path | None) -> None:
        """Pictures, if there is a folder for them; dark pages are dark in any case."""
        looks = {
            "desktop": {"viewport": DESKTOP},
            "phone": {"viewport": PHONE},
            "dark": {"viewport": DESKTOP, "color_scheme": "dark"},
        }
        for look, options in looks.items():
            page = self.watched_page(browser, **options)
            for name in PICTURES:
                page.goto((self.html / name).as_uri())
                brightness = page.evaluate(BRIGHTNESS)
                if (brightness < 128) != (look == "dark"):
                    self.fault(name, f"its brightness is {brightness:.0f} ({look})")
                if folder is not None:
                    folder.mkdir(parents=True, exist_ok=True)
                    stem = name.removesuffix(".html").replace("/", "-")
                    page.screenshot(path=folder / f"{stem}-{look}.png")
            page.close()


def look(html: Path, pictures: Path | None) -> int:
    """The exit status; prints what is wrong."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        looks = Look(html.resolve())
        looks.visit_all(browser)
        looks.check_links()
        looks.check_search(browser)
        looks.draw(browser, pictures)
        browser.close()
    for fault in sorted(set(looks.faults)):
        print(fault)
    print(f"{len(looks.links)} pages, {len(set(looks.faults))} faults")
    return 1 if looks.faults else 0
