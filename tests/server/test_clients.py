"""What clients ask and what they check, from a description of each: their exact requests, in their order, over a real catalog."""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime
from urllib.parse import urlsplit

import feedparser
import pytest
from indexed import ATTR, Indexed, accepted, grabbed, indexed
from lxml import etree

ARR = {"Accept": "application/rss+xml, text/rss+xml, application/xml, text/xml"}
MOVIES = "2000,2010,2020,2030,2040,2045,2050,2060"


@pytest.fixture(scope="module")
def index(databases, tmp_path_factory):
    with indexed(databases, tmp_path_factory.mktemp("clients")) as index:
        yield index


def capabilities(answer) -> tuple[dict[str, list[str]], dict[int, str]]:
    """Functions with their parameters, and categories by id, as all of Servarr read them."""
    caps = etree.fromstring(answer.content)
    assert caps.tag == "caps"
    limits = caps.find("limits")
    assert min(100, max(int(limits.get("default")), int(limits.get("max")))) == 100
    functions = {
        element.tag: element.get("supportedParams").split(",")
        for element in caps.find("searching")
        if element.get("available") == "yes"
    }
    categories = {}
    for parent in caps.find("categories"):
        categories[int(parent.get("id"))] = parent.get("name")
        categories |= {
            int(sub.get("id")): f"{parent.get('name')}/{sub.get('name')}" for sub in parent.findall("subcat")
        }
    return functions, categories


def pages(index: Indexed, address: str) -> list[str]:
    """Guids of all pages, read as Sonarr and its kin do: on while a page is full, at most thirty."""
    guids: list[str] = []
    for page in range(30):
        found = [item.findtext("guid") for item in accepted(index.get(f"{address}&offset={100 * page}&limit=100"))]
        guids += found
        if len(found) < 100:
            break
    assert len(set(guids)) == len(guids)
    return guids


def test_sonarr(index):
    functions, categories = capabilities(index.get("/api?t=caps&apikey=K"))
    assert {"q", "season", "ep"} <= set(functions["tv-search"])
    assert {5030, 5040, 5070} <= categories.keys()
    asked = [name for name in ("tvdbid", "imdbid", "rid", "tvmazeid", "tmdbid") if name in functions["tv-search"]]
    assert not asked, "an id that is listed must be answered"
    assert accepted(index.get("/api?t=tvsearch&cat=5030,5040&extended=1&apikey=K&offset=0&limit=100", **ARR))
    assert len(pages(index, "/api?t=tvsearch&cat=5030,5040&extended=1&apikey=K")) == 5
    tv = "/api?t=tvsearch&cat=5030,5040&extended=1&apikey=K&offset=0&limit=100"
    assert index.titles(f"{tv}&q=Open%20Show&season=1&ep=2") == ["Open.Show.S01E02.720p.HDTV.x264-GRP"]
    assert index.titles(f"{tv}&q=Open%20Show&season=1&ep=3") == ["Open.Show.1x03.Second.Try.720p.HDTV.x264-GRP"]
    assert len(index.titles(f"{tv}&q=Open%20Show&season=1")) == 3
    for special in ("0", "00"):
        assert index.titles(f"{tv}&q=Open%20Show&season={special}&ep=3") == ["Open.Show.S00E03.The.Special.SDTV"]
    for day in ("09/25", "09%2F25"):
        assert index.titles(f"{tv}&q=Daily%20Show&season=2014&ep={day}") == ["Daily.Show.2014.09.25.720p.HDTV.x264-GRP"]
    anime = "/api?t=search&cat=5070&extended=1&apikey=K&offset=0&limit=100"
    assert index.titles(f"{anime}&q=Open+Anime+07") == ["[Group] Open Anime - 07 [720p]"]
    assert index.titles(f"{tv}&q=Open+Show+The+Special".replace("tvsearch", "search")) == [
        "Open.Show.S00E03.The.Special.SDTV"
    ]
    assert not index.titles(f"{tv}&tvdbid=121361&season=1&ep=2")


def test_sonarr_takes_an_error_of_the_key_for_one(index):
    answer = index.get("/api?t=tvsearch&cat=5030,5040&extended=1&apikey=wrong&offset=0&limit=100")
    root = etree.fromstring(answer.content)
    assert answer.status_code == 200
    assert 100 <= int(root.get("code")) <= 199


def test_radarr(index):
    functions, categories = capabilities(index.get("/api?t=caps&apikey=K"))
    assert "q" in functions["search"] + functions["movie-search"]
    assert set(map(int, MOVIES.split(","))) & categories.keys()
    movie = f"/api?t=movie&cat={MOVIES}&extended=1&apikey=K&offset=0&limit=100"
    assert len(accepted(index.get(movie, **ARR))) == 3
    title = movie.replace("t=movie", "t=search")
    assert index.titles(f"{title}&q=Nosferatu%201922") == ["Nosferatu.1922.1080p.BluRay.x264-GRP"]
    assert not {"imdbid", "tmdbid"} & set(functions["movie-search"])
    assert not index.titles(f"{movie}&imdbid=0468569")


def test_lidarr(index):
    functions, _ = capabilities(index.get("/api?t=caps&apikey=K"))
    assert {"q", "artist", "album"} <= set(functions["audio-search"])
    music = "/api?t=music&cat=3000,3010,3030,3040&extended=1&apikey=K&offset=0&limit=100"
    assert len(accepted(index.get(music, **ARR))) == 3
    assert index.titles(f"{music}&q=&artist=Open%20Band&album=Free+Album") == ["Open Band - Free Album (2008) FLAC"]
    assert index.titles(f"{music}&q=&artist=Open%20Band&album=Free+Album&year=2008")
    assert index.titles(f"{music}&q=Open%20Band%20Early%20Songs".replace("t=music", "t=search"))


def test_readarr(index):
    functions, _ = capabilities(index.get("/api?t=caps&apikey=K"))
    assert {"author", "title"} <= set(functions["book-search"])
    book = "/api?t=book&cat=3030,7020,8010&extended=1&apikey=K&offset=0&limit=100"
    assert len(accepted(index.get(book, **ARR))) == 2
    for words in ("Frankenstein+Mary+Shelley", "Mary+Shelley+Frankenstein", "Frankenstein"):
        assert len(index.titles(f"{book}&q={words}".replace("t=book", "t=search"))) == 2


def test_prowlarr(index):
    functions, categories = capabilities(index.get("/api?t=caps&apikey=K"))
    items = accepted(index.get("/api?t=search&extended=1&apikey=K", **ARR))
    assert len(items) == 16
    for item in items:
        told = [int(attr.get("value")) for attr in item.findall(ATTR) if attr.get("name") == "category"]
        assert set(told) <= categories.keys()
    for name in (
        "TV/HD",
        "TV/Anime",
        "Movies/UHD",
        "Audio/Lossless",
        "Audio/Audiobook",
        "Books/EBook",
        "Books/Comics",
        "PC/ISO",
    ):
        assert name in categories.values()
    assert len(index.titles("/api?t=search&extended=1&apikey=K&minsize=&maxsize=&minage=&maxage=")) == 16
    assert set(functions) == {"search", "tv-search", "movie-search", "audio-search", "book-search"}


def test_nzbhydra2_adds_it_with_eleven_calls_at_once(index):
    asked = (
        "t=search&q=mp3", "t=movie&imdbid=26443597", "t=tvsearch&tvdbid=121361", "t=tvsearch&rid=24493", "t=tvsearch&tvmazeid=82",
        "t=tvsearch&traktid=1390", "t=tvsearch&imdbid=0944947", "t=movie&tmdbid=24428", "t=movie&imdbid=0848228", "t=search&q=Avengers --1080p",
        "t=search&q=Avengers !1080p",
    )  # fmt: skip
    found = [index.titles(f"/api?apikey=K&{query}&extended=1&password=0&limit=1000&offset=0") for query in asked]
    assert found[0] == ["Open Band - Early Songs (1999) MP3"]
    assert not any(found[1:9]), "an id that is not known finds nothing"
    assert found[9] == found[10] == ["Avengers.of.the.Reef.1914.720p.BluRay.x264"]
    capabilities(index.get("/api?t=caps&apikey=K"))


def test_nzbhydra2_searches_and_follows_its_guids(index):
    query = "/api?apikey=K&t=tvsearch&extended=1&q=Open Show&season=1&ep=2&password=0&cat=5030,5040&limit=1000&offset=0"
    (item,) = accepted(index.get(query))
    name = item.findtext("guid").rsplit("/", 1)[1]
    (detailed,) = accepted(index.get(f"/api?apikey=K&t=details&id={name}"))
    assert detailed.findtext("title") == item.findtext("title")
    grabbed(index.get(f"/api?apikey=K&t=get&id={name}"))
    for function in ("getnfo&raw=1", "info"):
        answer = index.get(f"/api?apikey=K&t={function}&id={name}")
        assert "<?xml" in answer.text
        assert etree.fromstring(answer.content).get("code") == "203"


def test_lazylibrarian(index):
    for address in ("/api?t=caps", "/api?t=caps&apikey=K"):
        functions, categories = capabilities(index.get(address))
        assert {"author", "title"} <= set(functions["book-search"])
    names = [name.lower() for name in categories.values()]
    assert any(name.startswith("books") for name in names)
    for part in ("ebook", "mags", "comic", "audiobook"):
        assert any(part in name for name in names)
    assert index.titles("/api?t=book&apikey=K&title=Frankenstein&author=Mary+Shelley&cat=7020") == [
        "Mary Shelley - Frankenstein (1818) [epub]"
    ]
    assert index.titles("/api?t=search&q=Mary Shelley Frankenstein&cat=7020&apikey=K&extended=1")
    (item,) = accepted(index.get("/api?t=search&q=open comic&apikey=K"))
    assert len(item.findtext("pubDate").split(" ")) == 6


def test_mylar3(index):
    answer = index.get("/api?t=search&apikey=K&o=xml")
    assert answer.status_code == 200
    assert b"<error" not in answer.content
    for address in (
        "/rss?t=7030&dl=1&i=1&r=K&num=100",
        "/api?t=search&cat=7030&dl=1&apikey=K&num=100",
        "/api?t=search&q=open comic&o=xml&cat=7030&apikey=K&maxage=1500",
    ):
        parsed = feedparser.parse(index.get(address).content)
        (entry,) = parsed.entries
        assert entry.title == "Open Comic 012 (1940) (digital)"
        assert entry.links[1].length == "3000000000"
        name = urlsplit(entry.link).path.rsplit("/", 1)[1].removesuffix(".nzb")
        assert name != "getnzb"
        download = index.get(f"/getnzb/{name}.nzb&i=1&r=K".replace("&", "?", 1))
        assert 'filename="' in download.headers["content-disposition"]


@pytest.mark.parametrize("base", ["/api", "//api"])
def test_headphones(index, base):
    answer = index.get(
        f"http://testserver.local{base}?t=search&apikey=K&cat=3040,3010&maxage=1500&q=Open Band Free Album"
    )
    parsed = feedparser.parse(answer.content)
    assert not parsed.bozo
    assert [(entry.title, int(entry.links[1]["length"])) for entry in parsed.entries] == [
        ("Open Band - Free Album (2008) FLAC", 3_000_000_000)
    ]


def test_medusa(index):
    answer = index.get("/api?t=search&limit=100&offset=0&cat=5030,5040&maxage=&apikey=K")
    assert len(accepted(answer)) == 5
    sizes = re.findall(r'<newznab:attr name="size" value="(\d+)"', answer.text)
    assert sizes == ["3000000000"] * 5
    assert not index.titles("/api?t=tvsearch&tvdbid=121361&season=1&ep=2&limit=100&offset=0&apikey=K")


def test_sabnzbd(index):
    parsed = feedparser.parse(index.get("/rss?t=5040,5030&dl=1&i=1&r=K").content)
    assert not parsed.bozo
    entry = next(entry for entry in parsed.entries if "S01E02" in entry.title)
    assert [tag.term for tag in entry.tags] == ["TV > HD"]
    assert entry.id.startswith("http")
    assert entry.id != entry.link
    assert entry.newznab_attr["name"]
    answer = index.get(entry.enclosures[0].href, Accept_Encoding="gzip")
    grabbed(answer)
    headers = answer.headers
    assert headers["x-dnzb-name"] == "Open.Show.S01E02.720p.HDTV.x264-GRP"
    assert headers["x-dnzb-category"] == "TV > HD"
    assert headers["x-dnzb-details"] == entry.id
    assert headers["content-encoding"] == "gzip"


def test_nzbget_reads_the_feed(index):
    text = index.get("/rss?t=5000&dl=1&r=K&num=1").text
    assert text.count("<item>") == 1
    assert '<newznab:attr name="category" value="5000"/>' in text
    date = re.search(r"<pubDate>(.*?)</pubDate>", text)[1]
    assert re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d \+0000", date)
    assert parsedate_to_datetime(date).tzinfo


def test_clients_with_the_sample_setting_can_be_added_to_an_empty_index(databases, tmp_path):
    with indexed(databases, tmp_path, sample_items=True) as index:
        assert "Sample" not in index.get("/api?t=search&apikey=K").text
        assert len(index.titles("/api?t=tvsearch&cat=5030,5040&extended=1&apikey=K&offset=0&limit=100")) == 5
        with index.catalog.transaction() as connection:
            connection.execute("DELETE FROM releases")
        for query in (
            "t=tvsearch&cat=5030,5040",
            f"t=movie&cat={MOVIES}",
            "t=music&cat=3000,3010,3030,3040",
            "t=book&cat=3030,7020,8010",
            "t=search",
        ):
            items = accepted(index.get(f"/api?{query}&extended=1&apikey=K&offset=0&limit=100"))
            assert len(items) == max(1, query.count(",") + ("cat" in query))
            assert all(item.findtext("title").startswith("Sample.of.an.empty.index.") for item in items)
        download = index.get(items[0].findtext("link"))
        assert (download.status_code, etree.fromstring(download.content).get("code")) == (404, "300")
        for query in ("q=debian", "offset=100", "group=a.b.c", "tvdbid=1", "maxage=3"):
            assert not index.titles(f"/api?t=tvsearch&cat=5030&{query}&apikey=K")
