"""What went wrong elsewhere between indexers and their clients: the symptom's trigger, and what is right. Issues are named by project and number."""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime

import feedparser
import nzb as strict
import pytest
from indexed import ATTR, HELD, RESPONSE, accepted, grabbed, indexed
from lxml import etree

from server.newznab.categories import CATEGORIES
from server.newznab.functions import SEARCHES


@pytest.fixture(scope="module")
def index(databases, tmp_path_factory):
    with indexed(databases, tmp_path_factory.mktemp("bugs")) as index:
        yield index


@pytest.mark.parametrize("category", [2000, 3000, 4000, 5000, 7000, 5030, 5040, 7020])
def test_newest_items_without_a_query(index, category):
    """Sonarr#2843, Lidarr#1037, tidarr#894, sneedznab#89: "no results" when it is added."""
    assert accepted(index.get(f"/api?t=search&cat={category}&extended=1&apikey=K"))


def test_what_caps_list_is_answered_and_nothing_else_narrows_wrongly(index):
    """Radarr#2277, Radarr#1713, docker-spotweb#89, pynab#307, hydra2#530."""
    for function in SEARCHES:
        for name in function.parameters:
            sample = {"season": "1", "ep": "2", "year": "1922"}.get(name, "open")
            accepted(index.get(f"/api?t={function.names[0]}&{name}={sample}&apikey=K"))
        for name in ("tvdbid", "rid", "imdbid", "tmdbid", "tvmazeid", "traktid"):
            answer = index.get(f"/api?t={function.names[0]}&{name}=121361&q=open&apikey=K")
            assert not accepted(answer)
            assert etree.fromstring(answer.content).find(f"channel/{RESPONSE}").get("total") == "0"


def test_ids_in_caps_are_the_ids_of_items(index):
    """Sonarr#6043, Prowlarr#587, #1696, #1117, #2141."""
    for name, category in HELD.items():
        parent = category // 1000 * 1000
        assert {category, parent} <= CATEGORIES.keys()
        for asked in (category, parent):
            assert name in index.titles(f"/api?t=search&cat={asked}&apikey=K")


def test_a_season_alone_an_episode_alone(index):
    """nZEDb#1974: rid and season without ep gave nothing; the envelope is always there."""
    for query, found in (
        ("q=open show&season=1", 3),
        ("season=1", 3),
        ("q=open show&season=1&ep=2", 1),
        ("season=9", 0),
    ):
        answer = index.get(f"/api?t=tvsearch&{query}&apikey=K")
        assert len(accepted(answer)) == found
        assert etree.fromstring(answer.content).find(f"channel/{RESPONSE}").get("total") == str(found)


def test_pages_hold_each_release_once_and_end(index):
    """Jackett#13681, usntssearch#110, spotweb PR 954, hydra#656, hydra2#571."""
    seen = []
    for offset in range(0, 40, 5):
        answer = index.get(f"/api?t=search&limit=5&offset={offset}&apikey=K")
        response = etree.fromstring(answer.content).find(f"channel/{RESPONSE}")
        assert (response.get("offset"), response.get("total")) == (str(offset), str(len(HELD)))
        seen += [item.findtext("guid") for item in accepted(answer)]
    assert len(seen) == len(set(seen)) == len(HELD)


@pytest.mark.parametrize(("limit", "found"), [("0", 0), ("1000", 16), ("", 16), ("100", 16), ("99999999", 16)])
def test_limits_of_any_size(index, limit, found):
    """Sonarr#5373, hydra2#55."""
    assert len(accepted(index.get(f"/api?t=search&limit={limit}&offset=0&apikey=K"))) == found


def test_dates_have_a_zone_and_guids_differ(index):
    """Sonarr#763, mylar#652, usntssearch#75."""
    for item in accepted(index.get("/api?t=search&apikey=K")):
        assert item.findtext("pubDate").endswith(" +0000")
        assert parsedate_to_datetime(item.findtext("pubDate"))


@pytest.mark.parametrize(
    "name", ["a<b>&\"c'", "bell\x07sub\x1a", "R&D", "x &amp; y", "&auml;", "]]>", "tab\tnew\nline", "x\u0085\u2028y"]
)
def test_titles_of_any_kind(index, name):
    """Sonarr#2794, Jackett#4100, Sonarr#1439, Jackett#626, Jackett#9118, Radarr#1537, sabnzbd#1223, nzbget#699, sabnzbd#143."""
    with index.catalog.transaction() as connection:
        (release_id,) = connection.execute(
            "SELECT release_id FROM releases ORDER BY first_posted DESC LIMIT 1"
        ).fetchone()
        connection.execute("UPDATE releases SET name = %s WHERE release_id = %s", [name, release_id])
    answer = index.get("/api?t=search&extended=1&apikey=K")
    item = accepted(answer)[0]
    assert item.findtext("title") == re.sub("[\x07\x1a]", "", name)
    assert not feedparser.parse(answer.content).bozo
    assert "&amp;amp;" not in etree.tostring(item.find("link")).decode()
    document = index.get(item.findtext("link"))
    assert grabbed(document) is not None
    assert strict.Nzb.from_str(document.text).files
    assert "\n" not in document.headers["content-disposition"] + document.headers["x-dnzb-name"]


def test_empty_answers_declare_their_prefix(index):
    """Watcher3#118, Watcher3#170, nzbhydra#367."""
    answer = index.get("/api?t=search&q=nothinglikethis&apikey=K")
    assert b'xmlns:newznab="http://www.newznab.com/DTD/2010/feeds/attributes/"' in answer.content
    assert etree.fromstring(answer.content).find("channel/title") is not None
    assert b'<newznab:response offset="0" total="0"/>' in answer.content


def test_caps_are_caps(index):
    """NyaaPantsu#1017, hydra2#177."""
    assert etree.fromstring(index.get("/api?t=caps").content).tag == "caps"
    assert etree.fromstring(index.get("/api?t=caps&apikey=wrong").content).tag == "caps"


@pytest.mark.parametrize(
    "address", ["/api", "/api?t=x", "/api/nothing", "/api/v1/api?t=search", "/rss?t=5000", "/getnzb/x", "/getnzb", "/api?t=search&apikey=wrong", "/api/v2/search"]
)  # fmt: skip
def test_no_page_where_clients_ask(index, address):
    """Radarr#3087, nzbget#281, nzbget#230, hydra2#315, LazyLibrarian#796, Sonarr#1506: HTML, a login or a redirect on the API."""
    answer = index.http.get(address, follow_redirects=False)
    assert answer.headers["content-type"].startswith("application/xml")
    assert etree.fromstring(answer.content).tag == "error"
    assert not 300 <= answer.status_code < 400
    assert "www-authenticate" not in answer.headers


def test_errors_travel_under_http_statuses_only(index):
    """Sonarr#3132, Radarr#4314, Prowlarr#1416, Prowlarr#1168, Sonarr#2221, LazyLibrarian#376, #1251."""
    for query, status in (
        ("t=x", 200),
        ("t=search", 200),
        ("t=book&year=x&apikey=K", 200),
        ("t=get&id=1&apikey=K", 404),
        ("t=get&id=1", 401),
        ("t=get&apikey=K", 400),
    ):
        answer = index.get(f"/api?{query.replace('id=1', 'id=00000000000000000000000000000001')}")
        assert answer.status_code == status, query


def test_odd_parameters_of_clients(index):
    """Prowlarr#2668, hydra#412, Servarr/Wiki#181, hydra2#270."""
    assert len(index.titles("/api?t=search&minsize=&maxsize=&minage=&maxage=&key=K")) == 16
    assert len(index.titles("/api?&&t=search&maxage=3&r=K&")) == 16
    for function in ("tvsearch&cat=5000", "movie&cat=2000"):
        assert index.titles(f"/api?t={function}&maxage=3&apikey=K")
        assert not index.titles(f"/api?t={function}&maxage=1&apikey=K")
    assert index.titles("/api/v1/api?t=search&apikey=K") == index.titles("/api?t=search&apikey=K")


def test_links_and_sizes_as_readers_take_them(index):
    """hydra2#103, hydra2#256, hydra#420, hydra2#667, sabnzbd PR 3093, nzbget#275, nzbgetcom#343, nzbgetcom#529."""
    answer = index.get("/api?t=search&extended=1&apikey=K")
    for entry in feedparser.parse(answer.content).entries:
        assert [link.get("rel") for link in entry.links] == ["alternate", "enclosure"]
        assert "/getnzb/" in entry.links[0].href
        assert "/details/" in entry.id
    for item in accepted(answer):
        names = [attr.get("name") for attr in item.findall(ATTR)]
        assert "size" in names
        assert "imdb" not in names
        assert re.fullmatch(r"[\w/ .-]+ > [\w/ .-]+", item.findtext("category"))


def test_header_names_hold_no_blank_and_values_no_break(index):
    """nzbgetcom#734, Spottarr#123, NNTmux#735, sabnzbd PR 1806."""
    (item, *_) = accepted(index.get("/api?t=search&cat=5040&apikey=K"))
    headers = index.get(item.findtext("link")).headers
    assert all(name == name.strip() and " " not in name for name in headers)
    for name, value in headers.items():
        assert value.isprintable(), name
        assert value.isascii(), name


def test_an_nzb_begins_and_ends_as_it_must(index):
    """sabnzbd#1133, nZEDb#627, mylar#144, hydra#336, sabnzbd#2531, sabnzbd#2070, sabnzbd PR 2075, nzbget#744."""
    (item, *_) = accepted(index.get("/api?t=search&cat=5040&apikey=K"))
    document = index.get(item.findtext("link")).content
    assert document.startswith(
        b'<?xml version="1.0" encoding="UTF-8"?>\n<!DOCTYPE nzb PUBLIC "-//newzBin//DTD NZB 1.1//EN" "http'
    )
    assert document.endswith(b"</nzb>")
    for element in etree.fromstring(document).iter("{*}file"):
        assert element.get("subject")
        assert int(element.get("date")) > 0
        assert all(segment.text and int(segment.get("bytes")) > 0 for segment in element.iter("{*}segment"))


def test_a_release_without_records_is_refused_not_served_empty(index):
    """nZEDb#1758."""
    (item, *_) = accepted(index.get("/api?t=search&cat=4020&apikey=K"))
    with index.catalog.transaction() as connection:
        connection.execute("DELETE FROM records WHERE name = %s", [item.findtext("title")])
    answer = index.get(item.findtext("link"))
    assert (answer.status_code, etree.fromstring(answer.content).get("code")) == (404, "300")
