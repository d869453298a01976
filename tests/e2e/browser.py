"""Debian's chromium, driven by playwright: `with running_browser() as browser: browser.new_page()`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from missing import MissingProgram
from playwright.sync_api import Browser, sync_playwright

CHROMIUM = Path("/usr/bin/chromium")
_OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


class ChromiumMissing(MissingProgram):
    """The browser is not installed."""


@contextmanager
def running_browser() -> Iterator[Browser]:
    """A browser without a window.

    Raises:
        ChromiumMissing: it is not installed.
    """
    if not CHROMIUM.exists():
        raise ChromiumMissing(f"{CHROMIUM} is missing; install it: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=list(_OPTIONS))
        try:
            yield browser
        finally:
            browser.close()
