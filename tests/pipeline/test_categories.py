"""Categories: of the answers given on labelled names 99 of 100 are right, and any name gets a category of the tree."""

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.categories import HASHED, TREE, UNKNOWN, category

LABELLED = [
    json.loads(line) for line in (Path(__file__).parent / "labelled_releases.jsonl").read_text("utf-8").splitlines()
]
REFERENCE = """
1000 Console: 1010 NDS, 1020 PSP, 1030 Wii, 1040 XBox, 1050 XBox 360, 1060 Wiiware, 1070 XBox 360 DLC, 1080 PS3, 1090 Other, 1110 3DS, 1120 PS Vita, 1130 WiiU, 1140 XBox One, 1180 PS4
2000 Movies: 2010 Foreign, 2020 Other, 2030 SD, 2040 HD, 2045 UHD, 2050 BluRay, 2060 3D, 2070 DVD, 2080 WEB-DL, 2090 x265
3000 Audio: 3010 MP3, 3020 Video, 3030 Audiobook, 3040 Lossless, 3050 Other, 3060 Foreign
4000 PC: 4010 0day, 4020 ISO, 4030 Mac, 4040 Mobile-Other, 4050 Games, 4060 Mobile-iOS, 4070 Mobile-Android
5000 TV: 5010 WEB-DL, 5020 Foreign, 5030 SD, 5040 HD, 5045 UHD, 5050 Other, 5060 Sport, 5070 Anime, 5080 Documentary, 5090 x265
6000 XXX: 6010 DVD, 6020 WMV, 6030 XviD, 6040 x264, 6045 UHD, 6050 Pack, 6060 ImageSet, 6070 Other, 6080 SD, 6090 WEB-DL
7000 Books: 7010 Mags, 7020 EBook, 7030 Comics, 7040 Technical, 7050 Other, 7060 Foreign
8000 Other: 8010 Misc, 8020 Hashed
"""


def categories(rows: list[tuple[str, list[str], bool]]) -> list[int]:
    schema = {"name": pl.String, "extensions": pl.List(pl.String), "random": pl.Boolean}
    frame = pl.DataFrame(rows, schema=schema, orient="row")
    found = frame.select(category(pl.col("name"), pl.col("extensions"), pl.col("random"))).to_series()
    assert found.dtype == pl.Int32
    return found.to_list()


def one(name: str, *extensions: str) -> int:
    return categories([(name, list(extensions), False)])[0]


def test_the_tree_has_the_ids_and_names_clients_know():
    lines = []
    for top in (own for own in TREE if own.parent is None):
        below = ", ".join(f"{own.id} {own.name}" for own in TREE if own.parent == top.id)
        lines.append(f"{top.id} {top.name}: {below}")
    assert lines == REFERENCE.strip().splitlines()


def test_answers_on_labelled_names():
    given_ = categories([(row["name"], row["extensions"], row["category"] == HASHED) for row in LABELLED])
    pairs = list(zip(given_, (row["category"] for row in LABELLED), strict=True))
    answers = [(mine, label) for mine, label in pairs if mine != UNKNOWN]
    wanted = [(mine, label) for mine, label in pairs if label != UNKNOWN]
    wrong = [
        (row["name"], mine) for row, (mine, label) in zip(LABELLED, pairs, strict=True) if mine not in (label, UNKNOWN)
    ]
    assert len(LABELLED) >= 480
    assert sum(mine == label for mine, label in answers) >= 0.99 * len(answers), wrong
    assert sum(mine == label for mine, label in wanted) >= 0.99 * len(wanted)


def test_every_category_that_a_name_can_tell_is_labelled():
    leaves = {own.id for own in TREE if own.parent}
    assert leaves - {row["category"] for row in LABELLED} == {3050, 6020, 6050, 6070}


@pytest.mark.parametrize(
    ("name", "extensions", "expected"),
    [
        ("Open Band - Album Name", ["wma"], 3010),
        ("Invented.Title.XXX.720p-GRP", ["wmv"], 6020),
        ("Invented.Title.XXX.SITERIP-GRP", ["mp4"], 6050),
        ("Invented.Title.XXX.x264-GRP", ["mp4"], 6070),
        ("Open_Band_Discography", ["rar"], 3050),
    ],
)  # fmt: skip
def test_categories_that_few_names_have(name, extensions, expected):
    assert one(name, *extensions) == expected


@pytest.mark.parametrize(
    "title",
    ["The.German.Doctor", "Spiders.Web", "The.Wii.Story", "Season.of.Fog", "Triple.XXX.Road", "Mac.and.the.Sea"],
)
def test_a_word_of_the_title_decides_nothing(title):
    assert one(f"{title}.1938.1080p.BluRay.x264-PDM", "mkv") == 2050
    assert one(title, "rar", "par2") == UNKNOWN


def test_a_release_without_known_extensions_is_judged_by_its_name():
    assert one("Nosferatu.1922.1080p.BluRay.x264-PDM") == 2050
    assert categories([("Nosferatu.1922.1080p.BluRay.x264-PDM", [None], False), ("x", [], False)]) == [2050, UNKNOWN]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(
            st.text(max_size=60) | st.sampled_from([row["name"] for row in LABELLED]),
            st.lists(st.sampled_from(["rar", "mkv", "mp3", "iso", "pdf", "", "é"]) | st.text(max_size=4), max_size=3),
            st.booleans(),
        ),
        max_size=8,
    )
)
def test_any_name_gets_a_category_of_the_tree_and_its_neighbours_do_not_matter(rows):
    together = categories(rows)
    assert set(together) <= {own.id for own in TREE if own.parent}
    assert together == [categories([row])[0] for row in rows]
    assert all(found == HASHED for found, row in zip(together, rows, strict=True) if row[2])
