"""What a name says, in the feed and on the page of a release."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from lxml import etree

from pipeline.attributes import ATTRIBUTES
from pipeline.categories import TREE
from server.newznab import naming
from server.newznab.categories import CATEGORIES
from server.newznab.feed import NEWZNAB
from server.newznab.naming import Naming, namings


@pytest.mark.parametrize(
    ("name", "category", "expected"),
    [
        ("Series.Name.S01E02.German.1080p.WEB-DL.DD5.1.H264-GRP", 5020, [("season", "1"), ("episode", "2"), ("resolution", "1080p"), ("video", "H.264"), ("audio", "AC3 5.1"), ("language", "German"), ("team", "GRP")]),
        ("Series.Name.S01.720p.HDTV.x264-GRP", 5040, [("resolution", "720p"), ("video", "H.264"), ("team", "GRP")]),
        ("Cabiria.1914.iTA.ENG.1080p.BluRay.x264", 2010, [("imdbyear", "1914"), ("resolution", "1080p"), ("video", "H.264"), ("language", "Italian"), ("language", "English")]),
        ("Open Band - First Album (2008)", 3010, [("artist", "Open Band"), ("album", "First Album")]),
        ("Mary Shelley - Frankenstein", 7020, [("author", "Mary Shelley"), ("booktitle", "Frankenstein")]),
        ("Mary Shelley - Frankenstein", 3030, [("author", "Mary Shelley"), ("booktitle", "Frankenstein")]),
        ("8b33bf5960714efb", 8020, []),
    ],
)  # fmt: skip
def test_attributes_of_an_item(client, shelf, secret, release_of, name, category, expected):
    shelf.releases[:] = [release_of(1, name=name, category=category)]
    feed = etree.fromstring(client.get(f"/api?t=search&extended=1&apikey={secret}").content)
    pairs = [(item.get("name"), item.get("value")) for item in feed.iter(f"{{{NEWZNAB}}}attr")]
    common = {"category", "size", "files", "guid", "usenetdate", "poster", "group"}
    assert [pair for pair in pairs if pair[0] not in common] == expected


def test_what_names_say_is_told_to_those_who_ask(client, shelf, secret, release_of):
    shelf.releases[:] = [release_of(1, name="Series.Name.S01E02.1080p.WEB-DL.H264-GRP", category=5040)]
    told = {
        query: b'name="season" value="1"' in client.get(f"/api?t=search&{query}&apikey={secret}").content
        for query in ("extended=1", "extended=true", "attrs=season,episode", "extended=0", "extended=", "q=")
    }
    assert told == {
        "extended=1": True,
        "extended=true": True,
        "attrs=season,episode": True,
        "extended=0": False,
        "extended=": False,
        "q=": False,
    }
    assert (
        b'name="season" value="1"'
        in client.get(f"/api?t=details&id={shelf.releases[0].id.hex}&apikey={secret}").content
    )


def test_callers_at_once_read_the_same_and_forget_the_oldest(monkeypatch):
    monkeypatch.setattr(naming, "_REMEMBERED", 50)
    reader = naming.Reader()
    names = [(f"Series.Name.S{n:02}E02.720p.HDTV.x264-GRP", 5040) for n in range(1, 91)]
    asked = [names[begin : begin + 30] for begin in (0, 10, 20, 60, 30, 0, 50, 10)]
    with ThreadPoolExecutor(8) as pool:
        rows = list(pool.map(reader.read, asked))
    season = list(ATTRIBUTES.names).index("season")
    assert [[row[season] for row in page] for page in rows] == [
        [names.index(name) + 1 for name in page] for page in asked
    ]
    assert reader.read([]) == []


def test_a_naming_has_the_columns_of_the_schema_in_order():
    assert list(Naming.__dataclass_fields__) == ["category", *ATTRIBUTES.names]
    assert namings([]) == []


def test_the_page_of_a_release_shows_what_its_name_says(client, shelf, secret, release_of, content_of, file_of):
    release = release_of(7, name="Series.Name.S01E02-E03.REPACK.1080p.BluRay.x264-<GRP>", category=5040)
    shelf.add(release, content_of(file_of("series.mkv", 2)))
    client.get(f"/?apikey={secret}")
    page = client.get(f"/details/{release.id.hex}").text
    for label, text in (
        ("Title", "Series Name"),
        ("Season", "1"),
        ("Episode", "2 to 3"),
        ("Picture", "1080p BluRay H.264"),
        ("Corrects", "an earlier release"),
    ):
        assert f"<dt>{label}</dt><dd>{text}</dd>" in page


def test_the_server_lists_the_tree_the_rules_answer_with():
    assert tuple(CATEGORIES.values()) == TREE
