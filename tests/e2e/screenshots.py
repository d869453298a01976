"""The pictures of the README, taken from a running demo.

To make them again, start `make demo`, wait until it says what to open, and give this script the two addresses it printed:

    PYTHONPATH=tests .venv/bin/python tests/e2e/screenshots.py 'http://127.0.0.1:8080/?apikey=...' http://127.0.0.1:3000
"""

from __future__ import annotations

import sys
from pathlib import Path

from browser import running_browser
from playwright.sync_api import Page

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
WINDOW = {"width": 1200, "height": 720}
_DAGSTER_SETTLES_MS = 4_000
"""Dagster's pages fetch their parts one after another, and animate them."""


def search_pages(page: Page, address: str) -> None:
    """The search page with results, and the page of one release."""
    page.goto(address)
    page.get_by_role("searchbox").fill("debian")
    page.get_by_role("button", name="Search").click()
    page.locator("table.list").wait_for()
    page.screenshot(path=IMAGES / "search.png")
    page.locator("td.name a").first.click()
    page.locator("dl.facts").wait_for()
    page.screenshot(path=IMAGES / "details.png")


def dagster_pages(page: Page, address: str) -> None:
    """The partitions of an asset, and the numbers of one materialization."""
    for name, view in (("dagster-partitions", "partitions"), ("dagster-metadata", "events")):
        page.goto(f"{address}/assets/release_chunks?view={view}")
        page.get_by_text("a.b.").first.wait_for(state="attached")
        page.wait_for_timeout(_DAGSTER_SETTLES_MS)
        page.screenshot(path=IMAGES / f"{name}.png")


def main(search: str, dagster: str) -> None:
    IMAGES.mkdir(parents=True, exist_ok=True)
    with running_browser() as browser:
        page = browser.new_page(viewport=WINDOW)
        page.set_default_timeout(60_000)
        search_pages(page, search)
        dagster_pages(page, dagster)


if __name__ == "__main__":
    main(*sys.argv[1:])
