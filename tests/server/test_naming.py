"""What a name says, in the feed and on the page of a release."""

import pytest
from lxml import etree

from pipeline.attributes import ATTRIBUTES
from pipeline.categories import TREE
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
    feed = etree.fromstring(client.get(f"/api?t=search&apikey={secret}").content)
    pairs = [(item.get("name"), item.get("value")) for item in feed.iter(f"{{{NEWZNAB}}}attr")]
    common = {"category", "size", "files", "guid", "usenetdate", "poster", "group"}
    assert [pair for pair in pairs if pair[0] not in common] == expected


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
