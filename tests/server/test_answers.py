"""Limits, JSON, zips, compression and RSS paths, as clients see them."""

from __future__ import annotations

import gzip
import io
import zipfile

import pytest
from lxml import etree

from server.encoding import asks_for_gzip
from server.newznab.feed import NEWZNAB
from server.newznab.json import as_json
from server.nzb import NAMESPACE
from store.catalog.search import Order

LIMITS = f"{{{NEWZNAB}}}apilimits"


@pytest.fixture
def call(client, secret):
    return lambda address, **headers: client.get(address.replace("K", secret), headers=headers)


def error(answer) -> tuple[int, str, str]:
    root = etree.fromstring(answer.content)
    return answer.status_code, root.get("code"), root.get("description")


def test_a_burst_of_fifteen_is_answered_and_the_end_of_the_day_told(call, shelf):
    shelf.limits = (15, 2)
    assert all(call("/api?t=search&apikey=K").status_code == 200 for _ in range(15))
    answer = call("/api?t=search&apikey=K")
    assert error(answer) == (429, "500", "Request limit reached")
    assert 0 < int(answer.headers["retry-after"]) <= 86_400
    assert error(call("/rss?t=5000&r=K")) == (429, "500", "Request limit reached")
    assert call("/api?t=caps&apikey=K").status_code == 200
    name = shelf.releases[0].id.hex
    assert [call(f"/getnzb/{name}.nzb?apikey=K").status_code for _ in range(2)] == [200, 200]
    for address in (f"/getnzb/{name}.nzb?apikey=K", f"/api?t=get&id={name}&apikey=K"):
        answer = call(address)
        assert error(answer) == (429, "501", "Download limit reached")
        assert int(answer.headers["retry-after"]) > 0


def test_limits_are_told_in_both_spellings_and_only_where_there_are_some(call, shelf):
    assert etree.fromstring(call("/api?t=search&apikey=K").content).find(f"channel/{LIMITS}") is None
    shelf.limits = (100, None)
    told = etree.fromstring(call("/api?t=search&apikey=K").content).find(f"channel/{LIMITS}")
    assert dict(told.attrib) == {"apiCurrent": "2", "apiMax": "100", "apicurrent": "2", "apimax": "100"}
    shelf.limits = (100, 50)
    call(f"/getnzb/{shelf.releases[0].id.hex}.nzb?apikey=K")
    told = etree.fromstring(call("/api?t=search&q=nothing-like-this&apikey=K").content).find(f"channel/{LIMITS}").attrib
    assert (told["grabCurrent"], told["grabMax"], told["grabcurrent"], told["grabmax"]) == ("1", "50", "1", "50")


@pytest.mark.parametrize(
    ("query", "categories", "limit"),
    [
        ("t=7030&dl=1&i=1&r=K&num=100", (7030,), 100),
        ("t=5030,5040&r=K&num=7&del=1", (5030, 5040), 7),
        ("r=K", (), 100),
        ("t=0&r=K&num=1000", (), 100),
        ("t=-1&r=K", (), 100),
        ("t=2000&cat=2040&apikey=K", (2040,), 100),
    ],
)
def test_feeds_name_categories_by_t(call, shelf, query, categories, limit):
    assert call(f"/rss?{query}").status_code == 200
    assert (shelf.searches[0].categories, shelf.searches[0].limit) == (categories, limit)
    assert shelf.uses == ["api"]


def test_a_search_is_a_feed_with_the_same_parameters(call, shelf):
    call("/rss?q=debian&cat=4000&minsize=10&sort=size&offset=2&r=K")
    call("/api?t=search&q=debian&cat=4000&minsize=10&sort=size&offset=2&apikey=K")
    call("/rss?t=search&q=debian&cat=4000&minsize=10&sort=size&offset=2&apikey=K")
    assert shelf.searches[0] == shelf.searches[1] == shelf.searches[2]
    assert shelf.searches[0].order is Order.LARGEST


@pytest.mark.parametrize(
    ("query", "code"), [("t=-2&r=K", "203"), ("t=x&r=K", "201"), ("t=5000", "100"), ("t=5000&r=wrong", "100"), ("t=5000&num=x&r=K", "201"), ("t=5000&show=1&r=K", None)]
)  # fmt: skip
def test_feeds_that_cannot_be(call, shelf, query, code):
    answer = call(f"/rss?{query}")
    assert answer.status_code == 200
    assert etree.fromstring(answer.content).get("code") == code
    assert not shelf.searches


def test_json_has_the_shape_of_newznab(call, shelf, secret):
    value = call("/api?t=search&q=open.show&o=json&apikey=K").json()
    assert value["@attributes"] == {"version": "2.0"}
    channel = value["channel"]
    assert channel["response"] == {"@attributes": {"offset": "0", "total": "1"}}
    assert channel["link"] == "http://testserver.local/"
    (item,) = channel["item"]
    assert item["title"] == "Open.Show.S01E02.720p"
    assert item["enclosure"]["@attributes"]["type"] == "application/x-nzb"
    assert {"@attributes": {"name": "category", "value": "5040"}} in item["attr"]
    assert call("/api?t=search&q=nothing-like-this&o=json&apikey=K").json()["channel"]["item"] == []
    assert call("/api?t=caps&o=JSON").json()["limits"] == {"@attributes": {"max": "100", "default": "100"}}
    assert isinstance(call("/api?t=caps&o=json").json()["categories"]["category"][0]["subcat"], list)
    assert call("/api?t=search&o=json").json() == {
        "error": {"@attributes": {"code": "100", "description": "Incorrect user credentials"}}
    }
    answer = call(f"/api?t=get&id={shelf.releases[1].id.hex}&o=json")
    assert (answer.status_code, answer.json()["error"]["@attributes"]["code"]) == (401, "100")


def test_one_or_many_of_an_element_and_text_alone():
    assert as_json(b'<a><item>x</item><b>1</b><b>2</b><b>3</b><c/><d e="f"/></a>') == (
        b'{"item": ["x"], "b": ["1", "2", "3"], "c": "", "d": {"@attributes": {"e": "f"}}}'
    )


@pytest.fixture
def three(shelf, release_of, content_of, file_of):
    """Ids of three releases, two of one name."""
    releases = [
        release_of(number, name=name)
        for number, name in ((11, "Open.Film.1922"), (12, "open.film.1922"), (13, "日本/語"))
    ]
    for release in releases:
        shelf.add(release, content_of(file_of(f"{release.id.hex}.rar", 2)))
    return [release.id.hex for release in releases]


def test_several_nzbs_are_a_zip_the_same_at_every_call(call, shelf, three):
    answers = [call(f"{path}?id={','.join(three)}&apikey=K&t=get") for path in ("/getnzb", "/api", "/getnzb")]
    assert len({answer.content for answer in answers}) == 1
    assert answers[0].headers["content-type"] == "application/zip"
    assert answers[0].headers["content-disposition"] == 'attachment; filename="3 NZBs.zip"'
    assert int(answers[0].headers["content-length"]) == len(answers[0].content)
    with zipfile.ZipFile(io.BytesIO(answers[0].content)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == ["Open.Film.1922.nzb", f"open.film.1922 {three[1]}.nzb", "日本 語.nzb"]
        for name, own in zip(archive.namelist(), three, strict=True):
            assert archive.read(name) == call(f"/getnzb/{own}.nzb?apikey=K").content
    assert shelf.uses.count("get") == 3 * 3 + 3


def test_a_zip_of_one_is_the_nzb_and_of_a_repeated_one_too(call, three):
    assert etree.fromstring(call(f"/getnzb?id={three[0]},{three[0]},&apikey=K").content).tag == f"{{{NAMESPACE}}}nzb"


@pytest.mark.parametrize(
    ("ids", "status", "code"),
    [
        ("", 400, "200"),
        (",", 400, "200"),
        ("{0},0123", 404, "300"),
        (",".join(f"{n:032x}" for n in range(101)), 400, "201"),
    ],
)
def test_zips_that_cannot_be(call, shelf, three, ids, status, code):
    assert error(call(f"/getnzb?id={ids.format(*three)}&apikey=K"))[:2] == (status, code)
    assert "get" not in shelf.uses


def test_a_zip_beyond_the_limit_counts_nothing(call, shelf, three):
    shelf.limits = (None, 2)
    assert error(call(f"/getnzb?id={','.join(three)}&apikey=K"))[:2] == (429, "501")
    assert "get" not in shelf.uses
    assert call(f"/getnzb?id={','.join(three[:2])}&apikey=K").status_code == 200


@pytest.mark.parametrize(
    ("sent", "asked"),
    [
        ("gzip", True), ("gzip, deflate, br", True), ("br, gzip;q=0.5", True), ("*", True), ("GZIP", True), ("", False), ("identity", False), ("gzip;q=0", False),
        ("gzip;q=0.0, br", False), ("notgzip", False),
    ],
)  # fmt: skip
def test_who_asks_for_gzip(sent, asked):
    assert asks_for_gzip(sent) is asked


def test_a_compressed_answer_has_its_length_and_the_same_content(client, shelf, secret):
    for path in ("/api?t=search", "/api?t=caps", f"/getnzb/{shelf.releases[0].id.hex}.nzb?"):
        plain = client.get(f"{path}&apikey={secret}")
        with client.stream("GET", f"{path}&apikey={secret}", headers={"Accept-Encoding": "gzip"}) as answer:
            raw = b"".join(answer.iter_raw())
        assert answer.headers["content-encoding"] == "gzip", path
        assert int(answer.headers["content-length"]) == len(raw)
        assert "Accept-Encoding" in answer.headers["vary"]
        shown = gzip.decompress(raw)
        assert shown == plain.content or "search" in path


def test_metrics_have_one_charset(client, secret):
    assert client.get(f"/metrics?apikey={secret}").headers["content-type"].lower().count("charset") == 1
