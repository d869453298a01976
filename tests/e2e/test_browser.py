"""The web pages and Dagster's in a real browser: a person logs in, searches, looks at a release and downloads its NZB."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from browser import running_browser
from lxml import etree
from overlake import Overlake
from playwright.sync_api import Browser, Page, ViewportSize, expect
from provider import index_of, running_provider
from screenshots import IMAGES

pytestmark = pytest.mark.timeout(300)
PHONE: ViewportSize = {"width": 390, "height": 844}
WINDOW: ViewportSize = {"width": 1200, "height": 760}
SEGMENT = ".//{http://www.newzbin.com/DTD/2003/nzb}segment"


@dataclass(frozen=True)
class Site:
    """An index that is up and filled: its addresses and a key."""

    search: str
    dagster: str
    key: str
    partitions: int


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running_browser() as started:
        yield started


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    # Not pytest's own folder: each start of pytest closes it to other users, so also to the one Postgres runs as.
    with tempfile.TemporaryDirectory(prefix="overlake-site-") as folder:
        (Path(folder) / "provider").mkdir()
        with running_provider(Path(folder) / "provider") as port:
            index = index_of(Path(folder) / "index", port)
            with index.up():
                yield _filled(index)


def _filled(index: Overlake) -> Site:
    planned = index.json("plan")["range_plan"]["ranges"]
    assert index.json("backfill", "--era", "200903")["failed"] == 0
    key = index.json("keys", "create", "browser", "--admin")["key"]
    return Site(f"http://127.0.0.1:{index.server}", f"http://127.0.0.1:{index.dagster}", key, planned)


def log_in(page: Page, site: Site) -> None:
    page.goto(site.search)
    page.get_by_label("API key").fill(site.key)
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_role("searchbox")).to_be_visible()


def a_word(page: Page) -> str:
    """A word of the first release's name."""
    name = page.locator("td.name a").first.inner_text()
    return max(name.replace(".", " ").replace("_", " ").replace("-", " ").split(), key=len)


@pytest.mark.parametrize("scripts", [True, False], ids=["javascript", "no javascript"])
def test_log_in_search_look_and_download(browser: Browser, site: Site, scripts: bool, tmp_path: Path) -> None:
    with browser.new_context(java_script_enabled=scripts) as context:
        page = context.new_page()
        log_in(page, site)
        word = a_word(page)
        page.get_by_role("searchbox").fill(word)
        page.get_by_role("button", name="Search").click()
        expect(page.locator("td.name a").first).to_contain_text(word, ignore_case=True)
        assert site.key not in page.url

        title = page.locator("td.name a").first.inner_text()
        page.locator("td.name a").first.click()
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        expect(page.locator("table.files tbody tr").first).to_be_visible()
        with page.expect_download() as download:
            page.get_by_role("link", name="Download NZB").click()
        saved = tmp_path / "release.nzb"
        download.value.save_as(saved)
        assert download.value.suggested_filename.endswith(".nzb")
        assert etree.parse(saved).findall(SEGMENT)


def test_a_wrong_key_is_refused_in_words(browser: Browser, site: Site) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(site.search)
        page.get_by_label("API key").fill("not a key")
        page.get_by_role("button", name="Log in").click()
        expect(page.get_by_role("alert")).to_have_text("That key is not valid.")


def test_a_phone_scrolls_in_one_direction_only(browser: Browser, site: Site) -> None:
    with browser.new_context(viewport=PHONE, is_mobile=True) as context:
        page = context.new_page()
        log_in(page, site)
        _assert_fits(page)
        page.locator("td.name a").first.click()
        expect(page.locator("dl.facts")).to_be_visible()
        _assert_fits(page)


def test_pages_load_nothing_from_elsewhere_and_complain_of_nothing(browser: Browser, site: Site) -> None:
    asked, complaints = set[str](), list[str]()
    with browser.new_context() as context:
        page = context.new_page()
        page.on("request", lambda request: asked.add(request.url))
        page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        log_in(page, site)
        page.locator("td.name a").first.click()
        expect(page.locator("dl.facts")).to_be_visible()
    assert {url for url in asked if not url.startswith((site.search, "data:"))} == set()
    # The login form comes with status 401, which the console mentions.
    assert [text for text in complaints if "401" not in text] == []


PICTURES = {"light": ("search", "details", "origin", "coverage", "keys"), "dark": ("search", "details")}
PAGES = (
    "/",
    "/?q=nothing-has-this-name",
    "/browse",
    "/coverage",
    "/signatures",
    "/keys",
    "/documentation",
    "/help",
    "/nothing-here",
)


@pytest.mark.parametrize(
    ("scheme", "viewport"), [("light", WINDOW), ("dark", PHONE)], ids=["light window", "dark phone"]
)
def test_no_page_breaks_a_rule_of_accessibility_or_scrolls_sideways(
    browser: Browser, site: Site, scheme: Literal["light", "dark"], viewport: ViewportSize
) -> None:
    axe = Axe()
    with browser.new_context(color_scheme=scheme, viewport=viewport, bypass_csp=True) as context:
        page = context.new_page()
        page.goto(site.search)
        found = {"login": axe.run(page)}
        log_in(page, site)
        release = page.locator("td.name a").first.get_attribute("href") or ""
        page.goto(f"{site.search}/coverage")
        group = page.locator(".map th a").first.get_attribute("href") or ""
        for path in (*PAGES, release, f"{release}/origin", group):
            page.goto(site.search + path)
            page.evaluate("document.querySelectorAll('main details').forEach(one => one.open = true)")
            found[path] = axe.run(page)
            _assert_fits(page)
            _picture(
                page, {"/": "search", release: "details", f"{release}/origin": "origin"}.get(path, path[1:]), scheme
            )
    assert {path: result.generate_report() for path, result in found.items() if result.violations_count} == {}


def test_the_keyboard_alone_searches_moves_opens_and_downloads(browser: Browser, site: Site) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        log_in(page, site)
        page.keyboard.press("Escape")
        page.keyboard.press("?")
        expect(page.get_by_role("dialog")).to_be_visible()
        page.keyboard.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
        page.keyboard.press("/")
        expect(page.get_by_label("Search release names")).to_be_focused()
        page.keyboard.press("Escape")
        links = page.locator("td.name a")
        for key, nth in (("j", 0), ("j", 1), ("j", 2), ("k", 1)):
            page.keyboard.press(key)
            expect(links.nth(nth)).to_be_focused()
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none", "the focus is not seen"
        with page.expect_download() as download:
            page.keyboard.press("n")
        assert download.value.suggested_filename.endswith(".nzb")
        title = links.nth(1).inner_text()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", level=1)).to_have_text(title)


@pytest.mark.parametrize("scripts", [True, False], ids=["javascript", "no javascript"])
def test_keys_are_made_and_revoked_and_several_nzbs_come_as_a_zip(browser: Browser, site: Site, scripts: bool) -> None:
    name = f"made with{'' if scripts else 'out'} scripts"
    with browser.new_context(java_script_enabled=scripts) as context:
        page = context.new_page()
        page.on("dialog", lambda dialog: dialog.accept())
        log_in(page, site)
        for nth in (0, 1):
            page.locator("[data-row] input[type=checkbox]").nth(nth).check()
        with page.expect_download() as download:
            page.locator("[data-chosen]").click()
        assert download.value.suggested_filename.endswith(".zip")
        page.goto(f"{site.search}/keys")
        page.get_by_label("Name: who uses it").fill(name)
        page.get_by_role("button", name="Make key").click()
        secret = page.locator("#new-key").input_value()
        assert secret
        assert secret not in page.url
        if scripts:
            # The settings of the first client are open beside the new key.
            expect(page.locator(".clients details").first.get_by_label("API Key", exact=True)).to_have_value(secret)
        page.get_by_role("button", name=f"Revoke {name}").click()
        expect(page.locator("tr.gone", has_text=name)).to_be_visible()
        page.get_by_role("button", name="Log out").click()
        expect(page.get_by_label("API key")).to_be_visible()


def test_dagster_shows_the_partitions_of_release_chunks(browser: Browser, site: Site) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        page.goto(f"{site.dagster}/assets/release_chunks?view=partitions")
        expect(page.get_by_text(f"{site.partitions} Partitions Selected")).to_be_visible(timeout=60_000)
        expect(page.get_by_text("Materialized (3)")).to_be_visible(timeout=60_000)
        expect(page.get_by_text("200903~a.b.simulated.1~", exact=False).first).to_be_attached()


def _picture(page: Page, name: str, scheme: str) -> None:
    """A picture for the documentation, where it is asked for."""
    if os.environ.get("OVERLAKE_WRITE_DOCS") == "1" and name in PICTURES[scheme]:
        page.evaluate("document.querySelectorAll('main details').forEach(one => one.open = false); scrollTo(0, 0)")
        page.screenshot(path=IMAGES / f"{name}{'-phone' if scheme == 'dark' else ''}.png")


def _assert_fits(page: Page) -> None:
    widths = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
    wide = page.evaluate(
        "[...document.querySelectorAll('body *')].filter(one => one.getBoundingClientRect().right > innerWidth + 1).map(one => one.outerHTML.slice(0, 90))"
    )
    assert widths[0] <= widths[1], f"{page.url} scrolls sideways: {wide[:3]}"
