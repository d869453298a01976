"""The API as clients call it: functions, parameters, errors; nothing but XML, whatever is sent."""

from __future__ import annotations

from datetime import timedelta

import feedparser
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from lxml import etree

from server.newznab.categories import CATEGORIES
from server.newznab.errors import DAMAGED, Refused
from server.newznab.feed import NEWZNAB
from server.newznab.functions import SEARCHES
from store.catalog.search import Order, Search

SPACES = {"newznab": NEWZNAB}


@pytest.fixture
def call(client, secret):
    def send(query: str, key: bool = True):
        return client.get(f"/api?{query}" + (f"&apikey={secret}" if key else ""))

    return send


def error(answer) -> int:
    root = etree.fromstring(answer.content)
    assert root.tag == "error"
    assert root.get("description")
    return int(root.get("code"))


def items(answer) -> list:
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/rss+xml; charset=utf-8"
    assert answer.content.startswith(b'<?xml version="1.0" encoding="UTF-8"?>')
    assert int(answer.headers["content-length"]) == len(answer.content)
    return etree.fromstring(answer.content).findall("channel/item")


@pytest.mark.parametrize("path", ["/api", "/api/v1/api", "//api"])
def test_caps_need_no_key_and_list_what_is_answered(client, path):
    answer = client.get(f"http://testserver{path}?t=caps")
    caps = etree.fromstring(answer.content)
    assert caps.tag == "caps"
    assert caps.find("limits").attrib == {"max": "100", "default": "100"}
    assert [(element.tag, element.get("available")) for element in caps.find("searching")] == [
        (name, "yes") for name in ("search", "tv-search", "movie-search", "audio-search", "book-search")
    ]
    listed = [int(element.get("id")) for element in caps.iter("category", "subcat")]
    assert sorted(listed) == sorted(CATEGORIES)


@pytest.mark.parametrize("function", SEARCHES, ids=lambda function: function.element)
def test_every_listed_parameter_is_answered(call, shelf, function):
    sample = {"season": "1", "ep": "2", "year": "1922"}
    for name in function.parameters:
        call(f"t={function.names[0]}&{name}={sample.get(name, 'word')}")
        assert shelf.searches.pop().text


@pytest.mark.parametrize(
    "query", ["t=tvsearch&tvdbid=121361", "t=movie&imdbid=26443597", "t=search&imdbid=1&q=debian", "t=music&genre=Jazz"]
)
def test_an_id_that_is_not_listed_finds_nothing_instead_of_wrong_shows(call, query):
    answer = call(query)
    assert items(answer) == []
    assert etree.fromstring(answer.content).find("channel/newznab:response", SPACES).get("total") == "0"


@pytest.mark.parametrize(
    "query",
    [
        "t=search",
        "t=search&q=",
        "T=Search&Q=&CAT=&",
        "&&t=s&limit=&offset=&maxage=&minsize=&minage=",
        "t=search&extended=1",
    ],
)
def test_empty_values_are_absent_and_no_query_gives_the_newest(call, query):
    assert len(items(call(query))) == 3


def test_music_search_of_lidarr(call, shelf):
    call("t=music&cat=3000,3010&extended=1&q=&artist=Open%20Band&album=Free+Album&offset=0&limit=100")
    assert shelf.searches[0].text == "Open Band Free Album"
    assert shelf.searches[0].categories == (3000, 3010)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("season=1&ep=2", "Show S01E02|1x02"),
        ("season=S03&ep=E04", "Show S03E04|3x04"),
        ("season=00&ep=3", "Show S00E03|0x03"),
        ("season=3", "Show S03*|3x*"),
        ("season=2014&ep=09/25", "Show 2014 09 25"),
        ("season=2014&ep=09%2F25", "Show 2014 09 25"),
        ("season=2009&ep=14", "Show S2009E14|2009x14"),
        ("season=2014", "Show 2014|S2014*"),
        ("ep=07", "Show E07"),
    ],
)
def test_season_and_episode_become_the_words_of_names(call, shelf, query, text):
    call(f"t=tvsearch&q=Show&{query}")
    assert shelf.searches[0].text == text
    assert shelf.searches[0].categories == (5000,)


@pytest.mark.parametrize(
    ("sent", "text"),
    [
        ("a --b", "a -b"),
        ("a !b", "a -b"),
        ("a - b", "a b"),
        ("a+b", "a b"),
        ("a%20b", "a b"),
        ("a%00b", "a b"),
        ("Avengers --1080p", "Avengers -1080p"),
        ("--1080p !720p", "-1080p -720p"),
        ("night of the livi", "night of the livi*"),
        ("debian 12", "debian 12"),
        ("show S01E02", "show S01E02"),
        ("night -dead", "night -dead"),
        ("été", "été*"),
        ("a !", "a"),
        ("!!b", "!!b"),
    ],
)
def test_exclusions_and_blanks(call, shelf, sent, text):
    call(f"t=search&q={sent}")
    assert shelf.searches[0].text == text


def test_filters_and_limits(call, shelf):
    call("t=search&limit=1000&offset=2&minsize=10&maxsize=20&maxage=3&cat=2000,999999&group=alt.binaries.test")
    search = shelf.searches[0]
    assert (search.limit, search.offset, search.min_bytes, search.max_bytes) == (100, 2, 10, 20)
    assert (search.max_age.days, search.categories, search.groups) == (3, (2000,), ("alt.binaries.test",))


@pytest.mark.parametrize("function", SEARCHES, ids=lambda function: function.element)
def test_every_function_takes_every_filter(call, shelf, function):
    call(
        f"t={function.names[0]}&cat=2040&group=a.b.c,a.b.d&poster=penguin&minsize=10&maxsize=20&minage=2&maxage=3"
        "&completeness=95&sort=size&limit=7&offset=9&password=0"
    )
    assert shelf.searches[0] == Search(
        categories=(2040,), groups=("a.b.c", "a.b.d"), poster="penguin", min_bytes=10, max_bytes=20, min_age=timedelta(2),
        max_age=timedelta(3), completeness=0.95, order=Order.LARGEST, limit=7, offset=9,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("sort", "order"),
    [
        ("", Order.NEWEST), ("posted_desc", Order.NEWEST), ("posted_asc", Order.OLDEST), ("size", Order.LARGEST), ("size_asc", Order.SMALLEST),
        ("files", Order.MOST_FILES), ("FILES_ASC", Order.FEWEST_FILES), ("name", Order.NAME), ("name_desc", Order.NAME_BACKWARDS),
        ("relevance", Order.RELEVANCE),
    ],
)  # fmt: skip
def test_sort_names_an_order(call, shelf, sort, order):
    call(f"t=search&q=debian&sort={sort}")
    assert shelf.searches[0].order is order


def test_pages_differ_and_end(call):
    pages = [items(call(f"t=search&limit=2&offset={offset}")) for offset in (0, 2, 4, 10**17)]
    assert [len(page) for page in pages] == [2, 1, 0, 0]
    assert len({item.findtext("guid") for page in pages for item in page}) == 3
    answer = call("t=search&limit=0&offset=0")
    assert items(answer) == []
    assert etree.fromstring(answer.content).find("channel/newznab:response", SPACES).attrib == {
        "offset": "0",
        "total": "3",
    }


def test_unknown_categories_find_nothing(call):
    assert items(call("t=search&cat=999999")) == []


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("", 200),
        ("t=", 200),
        ("t=nothing", 202),
        ("t=getnfo&id=1", 203),
        ("t=comments", 203),
        ("t=search&cat=5030,x", 201),
        ("t=search&limit=-1", 201),
        ("t=search&offset=%C2%B2", 201),
        ("t=search&maxage=1e9", 201),
        ("t=search&cat=" + "9" * 5000, 201),
        ("t=tvsearch&season=x", 201),
        ("t=tvsearch&season=1&ep=a/b", 201),
        ("t=movie&year=abcd", 201),
        ("t=movie&year=19", 201),
        ("t=music&year=1922x", 201),
        ("t=search&sort=size_up", 201),
        ("t=search&sort=weight", 201),
        ("t=search&completeness=x", 201),
        ("t=search&minage=-1", 201),
        ("t=details", 200),
        ("t=details&id=7", 300),
    ],
)
def test_errors_are_xml_under_200(call, query, code):
    answer = call(query)
    assert (answer.status_code, error(answer)) == (200, code)


def test_a_bad_key_is_error_100(client, call, shelf):
    for query in ("t=search&apikey=wrong", "t=search", "t=details&id=1&r=wrong"):
        answer = call(query, key=False)
        assert (answer.status_code, error(answer)) == (200, 100)
        assert "Incorrect user credentials" in answer.text
    assert shelf.uses == []


def test_the_key_under_other_names(client, secret):
    for answer in (
        client.get(f"/api?t=s&r={secret}"),
        client.get(f"/api?t=s&KEY={secret}"),
        client.get("/api?t=s", headers={"X-Api-Key": secret}),
    ):
        assert len(items(answer)) == 3


def test_what_no_handler_takes_is_xml_too(client):
    for answer in (
        client.post("/api?t=search"),
        client.get("/api/v2/x"),
        client.delete("/api"),
        client.post("/getnzb/x.nzb"),
    ):
        assert error(answer)
        assert answer.headers["content-type"].startswith("application/xml")


def test_a_catalog_that_is_down_is_503_with_retry_after(call, client, shelf, secret):
    shelf.down = True
    for answer in (call("t=search"), client.get(f"/getnzb/1.nzb?apikey={secret}")):
        assert (answer.status_code, error(answer)) == (503, 900)
        assert int(answer.headers["retry-after"]) > 0
    assert client.get("/health").status_code == 503
    assert call("t=caps").status_code == 200


def test_an_error_inside_shows_nothing_of_it(call, shelf, monkeypatch):
    monkeypatch.setattr(type(shelf), "search", lambda *_: 1 / 0)
    answer = call("t=search")
    assert (answer.status_code, error(answer)) == (503, 900)
    assert "division" not in answer.text


def test_item_as_the_clients_read_it(call, shelf, secret):
    answer = call("t=search&q=open.show&extended=1")
    (item,) = items(answer)
    assert [element.tag for element in item if not element.tag.startswith("{")] == [
        "title", "guid", "link", "comments", "pubDate", "category", "description", "enclosure",
    ]  # fmt: skip
    link = f"http://testserver.local/getnzb/{shelf.releases[2].id.hex}.nzb?apikey={secret}"
    assert item.findtext("link") == link
    assert item.find("enclosure").attrib == {"url": link, "length": "3000000000", "type": "application/x-nzb"}
    assert item.find("guid").get("isPermaLink") == "true"
    assert item.findtext("pubDate") == "Sat, 02 Mar 2024 07:20:30 +0000"
    assert item.findtext("category") == "TV > HD"
    attributes = [(attribute.get("name"), attribute.get("value")) for attribute in item.findall("newznab:attr", SPACES)]
    assert {
        ("category", "5000"),
        ("category", "5040"),
        ("size", "3000000000"),
        ("season", "1"),
        ("episode", "2"),
    } <= set(attributes)
    assert b'<newznab:attr name="category" value="5000"/>' in answer.content


def test_feedparser_reads_the_feed(call):
    parsed = feedparser.parse(call("t=search").content)
    assert not parsed.bozo
    entry = parsed.entries[0]
    assert entry.links[1].length == "3000000000"
    assert entry.enclosures[0].type == "application/x-nzb"
    assert entry.published_parsed.tm_year == 2024
    assert entry.id
    assert [tag.term for tag in entry.tags] == ["PC > ISO"]


def test_an_empty_result_keeps_its_envelope(call):
    parsed = etree.fromstring(call("t=search&q=nothing-like-this").content)
    assert parsed.find("channel/title") is not None
    assert NEWZNAB in parsed.nsmap.values()


def test_details_give_one_item(call, shelf):
    assert len(items(call(f"t=details&id={shelf.releases[0].id}"))) == 1


def test_headers_of_an_unknown_proxy_are_not_believed(client, secret):
    headers = {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.example.org", "X-Forwarded-Prefix": "/usenet"}
    (item, *_) = items(client.get(f"/api?t=search&apikey={secret}", headers=headers))
    assert item.findtext("link").startswith("http://testserver.local/getnzb/")


def fits(letter: str) -> bool:
    """Whether XML holds the character, as lxml sees it."""
    try:
        etree.Element("x").text = letter
    except ValueError:
        return False
    return True


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    name=st.text(alphabet=st.characters()),
    poster=st.text(alphabet=st.characters(categories=("Cc", "Cs", "Co", "Cn", "Lu", "Po"))),
)
def test_any_code_point_in_names_gives_xml_that_parses_back(call, shelf, release_of, name, poster):
    shelf.releases[:] = [release_of(1, name=name, poster=poster)]
    (item,) = items(call("t=search"))
    assert item.findtext("title")
    kept = "".join(letter for letter in name if fits(letter)).strip()
    assert item.findtext("title") == (kept or shelf.releases[0].id.hex)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                [
                    "t",
                    "q",
                    "cat",
                    "limit",
                    "offset",
                    "maxage",
                    "minsize",
                    "season",
                    "ep",
                    "id",
                    "tvdbid",
                    "o",
                    "attrs",
                    "extended",
                    "apikey",
                    "r",
                    "group",
                ]
            )
            | st.text(max_size=5),
            st.sampled_from(
                [
                    "search",
                    "tvsearch",
                    "get",
                    "details",
                    "caps",
                    "-1",
                    "0",
                    "1,2",
                    "'",
                    '"',
                    "<",
                    "%00",
                    "../..",
                    "99999999999999999999",
                ]
            )
            | st.text(max_size=20),
        ),
        max_size=6,
    )
)
def test_hostile_parameters_never_give_5xx_or_html(client, secret, pairs):
    answer = client.get("/api", params=[*pairs, ("apikey", secret)])
    assert answer.status_code < 500
    assert etree.fromstring(answer.content).tag in ("rss", "caps", "error")


def test_damage_is_told_on_download(client, shelf, secret):
    shelf.damaged = Refused(DAMAGED)
    for path in (f"/getnzb/{shelf.releases[0].id.hex}.nzb?", f"/api?t=get&id={shelf.releases[0].id.hex}&"):
        answer = client.get(f"{path}apikey={secret}")
        assert (answer.status_code, error(answer)) == (503, 900)
        assert "damaged" in answer.text
