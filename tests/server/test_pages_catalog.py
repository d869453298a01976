"""The pages that manage: keys, signatures, coverage and origins, over a real catalog."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from indexed import GROUP, HELD, Indexed, indexed
from litestar.testing import TestClient
from lxml import html

from pipeline.ranges import Range
from server.attempts import Attempts
from server.pages.coverage import Sum, lines_of
from store.catalog import keys
from store.catalog.coverage import Coverage
from store.catalog.planning import PlannedRange, fail, plan
from store.catalog.signature_review import ACCEPTED, REJECTED, Evidence, list_proposals, record_proposals
from store.catalog.versions import current_signatures


@dataclass
class Visit:
    """A browser that is logged in."""

    http: TestClient[Any]
    index: Indexed
    secret: str

    def page(self, path: str) -> html.HtmlElement:
        answer = self.http.get(path)
        assert answer.status_code == 200, (path, answer.text)
        assert len(answer.content) < 100_000
        return html.fromstring(answer.text)

    def send(self, path: str, **fields: str) -> Any:
        token = self.page("/help").xpath("//input[@name='token']/@value")[0]
        return self.http.post(path, data={"token": token, **fields}, follow_redirects=False)


@pytest.fixture(scope="module")
def index(databases, tmp_path_factory) -> Iterator[Indexed]:
    with indexed(databases, Path(tmp_path_factory.mktemp("pages"))) as served:
        yield served


@pytest.fixture
def visit(index):
    """Log in with a new key."""

    def begin(name: str, admin: bool) -> Visit:
        secret = keys.create(index.catalog, f"{name} {datetime.now(UTC).timestamp()}", admin)
        http: TestClient[Any] = TestClient(index.http.app)
        index.http.app.state.attempts = Attempts()
        http.post("/login", data={"apikey": secret})
        return Visit(http, index, secret)

    return begin


def shown_secret(page):
    return page.xpath("//input[@id='new-key']/@value")


def test_an_admin_makes_a_key_that_is_shown_once_with_settings_to_copy(visit):
    admin = visit("admin", True)
    answer = admin.send("/keys/change", do="create", name="sonarr", api_limit="90", get_limit="")
    assert answer.status_code == 303, answer.text
    assert answer.headers["location"] == "/keys"
    page = admin.page("/keys")
    (secret,) = shown_secret(page)
    key = keys.verify(admin.index.catalog, secret)
    assert (key.name, key.admin, key.api_limit, key.get_limit) == ("sonarr", False, 90, None)
    settings = {
        client.xpath("summary/text()")[0]: dict(
            zip(client.xpath(".//label/text()"), client.xpath(".//input/@value"), strict=True)
        )
        for client in page.xpath("//div[@class='clients']/details")
    }
    assert list(settings) == ["Sonarr", "Radarr", "Prowlarr", "NZBHydra2", "SABnzbd", "NZBGet"]
    for name, key_field in (
        ("Sonarr", "API Key"),
        ("Radarr", "API Key"),
        ("Prowlarr", "API Key"),
        ("NZBHydra2", "API key"),
    ):
        assert settings[name][key_field] == secret
    for name in ("SABnzbd", "NZBGet"):
        feed = urlsplit(settings[name]["URL"])
        assert parse_qs(feed.query)["apikey"] == [secret]
        assert admin.http.get(f"{feed.path}?{feed.query}").status_code == 200
    assert not shown_secret(admin.page("/keys"))


@pytest.mark.parametrize("fields", [{"name": ""}, {"name": "x", "api_limit": "-1"}, {"name": "x", "get_limit": "many"}])
def test_a_key_that_cannot_be_is_told(visit, fields):
    assert visit("admin", True).send("/keys/change", do="create", **fields).status_code == 400


def test_a_key_that_is_no_admin_manages_itself_alone(visit):
    user, other = visit("user", False), visit("other", False)
    own, foreign = (keys.verify(user.index.catalog, one.secret) for one in (user, other))
    assert user.page("/keys").xpath("//input[@name='key']/@value") == [str(own.id)]
    assert user.send("/keys/change", do="create", name="more").status_code == 403
    assert user.send("/keys/change", do="revoke", key=str(foreign.id)).status_code == 404
    assert keys.verify(user.index.catalog, other.secret)
    answer = user.send("/keys/change", do="rotate", key=str(own.id))
    assert answer.status_code == 303
    (secret,) = shown_secret(user.page("/keys"))
    assert secret != user.secret
    assert keys.verify(user.index.catalog, secret).id == own.id
    assert keys.verify(user.index.catalog, user.secret) is None
    assert user.send("/keys/change", do="revoke", key=str(own.id)).status_code == 303
    assert user.http.get("/keys").status_code == 401


def test_no_key_changes_without_the_token_of_the_session(visit):
    user = visit("user", False)
    own = keys.verify(user.index.catalog, user.secret)
    for token in ("", "0" * 32):
        answer = user.http.post("/keys/change", data={"token": token, "do": "revoke", "key": str(own.id)})
        assert answer.status_code == 403
    assert keys.verify(user.index.catalog, user.secret)


def test_origins_name_the_range_the_chunk_record_and_the_reasons(visit):
    user = visit("user", False)
    (link,) = user.page("/?q=nosferatu").xpath("//td[@class='name']/a/@href")
    page = user.page(f"{link}/origin")
    (row,) = page.xpath("//table[contains(@class, 'origins')]/tbody/tr")
    assert row.xpath(".//td[@class='name']/a/text()") == [GROUP]
    assert row.xpath("td[2]/text()") == ["0 to 999"]
    assert row.xpath("td[3]/code/text()")
    assert page.xpath("//section[@class='because']//dd[string-length(normalize-space()) > 10]")
    assert len(page.xpath("//div[@class='why']/details")) == 2


def test_coverage_shows_groups_by_year_with_gaps_and_failures(visit):
    user = visit("user", False)
    broken = Range(1, "alt.binaries.broken", 4, 1000)
    plan(user.index.catalog, [PlannedRange(broken, 201003, datetime(2010, 3, 1, tzinfo=UTC))])
    fail(user.index.catalog, broken, "the server said 481")
    page = user.page("/coverage")
    years = page.xpath("//table[@class='map']/thead//th/text()")[1:]
    assert years[0] == "2010"
    lines = {line.xpath("string(th)"): line for line in page.xpath("//table[@class='map']/tbody/tr")}
    assert list(lines) == ["a.b.broken", "a.b.test"]
    assert lines["a.b.broken"].xpath("td[1]/@class") == ["c0 bad"]
    assert lines["a.b.test"].xpath("td/@class")[0] == "none"
    assert lines["a.b.test"].xpath("td/@class")[-1].startswith("c5")
    assert "the server said 481" in page.xpath("string(//table[contains(@class, 'failures')])")
    months = user.page("/coverage/alt.binaries.broken").xpath(
        "//table[contains(@class, 'months')]/tbody/tr/td[1]/text()"
    )
    assert months == ["2010-03"]
    assert user.http.get("/coverage/alt.binaries.nothing").status_code == 404


def test_an_admin_accepts_and_rejects_proposals_with_a_reason(visit):
    admin, user = visit("admin", True), visit("user", False)
    measured = (8_000_000, 40, 0.99, None, None, 3, 0.5, 700_000, [GROUP], [], [], ["<i>8b33bf</i>"])
    lines = [("hex32|random|[]qy1", "drop"), ("hex20|*|*", "keep")]
    record_proposals(
        admin.index.catalog,
        [Evidence(*line, "floods", "lost names", 9000 - nth, *measured) for nth, line in enumerate(lines)],
    )
    page = admin.page("/signatures")
    assert [" ".join(head.text_content().split()) for head in page.xpath("//section[@class='proposal']/h2")] == [
        f"{verdict} {line}" for line, verdict in lines
    ]
    assert "<i>8b33bf</i>" in page.text_content(), "an example is text"
    first, second = page.xpath("//input[@name='proposal']/@value")
    assert not user.page("/signatures").xpath("//input[@name='proposal']")
    decision = {"do": "accept", "reason": "floods of one tool"}
    assert user.send("/signatures/decide", proposal=first, **decision).status_code == 403
    assert admin.send("/signatures/decide", proposal=first, do="accept", reason=" ").status_code == 400
    assert admin.send("/signatures/decide", proposal="x", **decision).status_code == 404
    assert admin.send("/signatures/decide", proposal=first, **decision).status_code == 303
    assert admin.send("/signatures/decide", proposal=first, **decision).status_code == 404, "it is decided"
    assert admin.send("/signatures/decide", proposal=second, do="reject", reason="real names").status_code == 303
    table = current_signatures(admin.index.catalog)
    assert ("hex32|random|[]qy1", "floods of one tool") in [(line.signature, line.reason) for line in table.signatures]
    decided = list_proposals(admin.index.catalog, (ACCEPTED, REJECTED))
    assert {(one.signature, one.state, one.reason) for one in decided} == {
        ("hex32|random|[]qy1", ACCEPTED, "floods of one tool"),
        ("hex20|*|*", REJECTED, "real names"),
    }
    assert "real names" in admin.page("/signatures?state=rejected").text_content()


def test_a_cell_is_full_only_when_everything_is_done():
    blank = Coverage("a.b.c", 201201, *[0] * 13, None, datetime.now(UTC), None, None, None)

    def cell(done: int, planned: int) -> Sum:
        row = Coverage(
            **{name: getattr(blank, name) for name in Coverage.__slots__} | {"done": done, "planned": planned}
        )
        return lines_of([row], ["a.b.c"], [2012])[0].cells[0]

    assert [(cell(done, 1000 - done).shade, cell(done, 1000 - done).share) for done in (0, 1, 500, 999, 1000)] == [
        (0, 0), (1, 0), (2, 50), (4, 99), (5, 100),
    ]  # fmt: skip


def test_browse_has_the_newest_of_every_category(visit):
    page = visit("user", False).page("/browse")
    shown = {
        shelf.get("id"): len(shelf.xpath(".//td[@class='name']/a")) for shelf in page.xpath("//section[@class='shelf']")
    }
    assert {top: count for top, count in shown.items() if count} == {
        f"c{top}": min(5, sum(category // 1000 * 1000 == top for category in HELD.values()))
        for top in sorted({category // 1000 * 1000 for category in HELD.values()})
    }
