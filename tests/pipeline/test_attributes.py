"""Attributes: of what is said of labelled names 99 of 100 is right, of each attribute too, and nothing is said of what is unknown."""

import json
from datetime import date
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from pipeline.attributes import ATTRIBUTES, attributes
from pipeline.categories import TREE, category

LABELLED = [
    json.loads(line) for line in (Path(__file__).parent / "labelled_releases.jsonl").read_text("utf-8").splitlines()
]


def said(names: list[str], categories: list[int]) -> pl.DataFrame:
    return attributes(pl.Series(names, dtype=pl.String), pl.Series(categories, dtype=pl.Int32))


def of(name: str, number: int) -> dict:
    return said([name], [number]).row(0, named=True)


def counts(own_categories: bool) -> pl.DataFrame:
    """Of each attribute: how often it was said, rightly said, and labelled."""
    names = [row["name"] for row in LABELLED]
    labels = pl.Series([row["category"] for row in LABELLED], dtype=pl.Int32)
    if own_categories:
        frame = pl.DataFrame({"name": names, "extensions": [row["extensions"] for row in LABELLED]})
        labels = frame.select(category(pl.col("name"), pl.col("extensions"), pl.lit(value=False))).to_series()
    frame = attributes(pl.Series(names), labels)
    rows = []
    for column in ATTRIBUTES.names:
        mine = [str(value) if isinstance(value, date) else value for value in frame[column].to_list()]
        theirs = [row["attributes"].get(column) for row in LABELLED]
        right = sum(value is not None and value == label for value, label in zip(mine, theirs, strict=True))
        rows.append(
            (column, sum(value is not None for value in mine), right, sum(label is not None for label in theirs))
        )
    return pl.DataFrame(rows, schema=["attribute", "said", "right", "labelled"], orient="row")


@pytest.mark.parametrize("own_categories", [False, True])
def test_what_is_said_of_labelled_names(own_categories):
    found = counts(own_categories)
    total = found.select(pl.col("said", "right", "labelled").sum()).row(0, named=True)
    assert found.filter((pl.col("right") < 0.99 * pl.col("said")) | (pl.col("labelled") == 0)).is_empty(), found
    assert total["right"] >= 0.99 * total["said"]
    assert total["right"] >= 0.99 * total["labelled"]
    assert found.filter(pl.col("right") < 0.92 * pl.col("labelled")).is_empty(), found


@pytest.mark.parametrize(
    ("name", "season", "episode", "last"),
    [
        ("Series.Name.S01E02.720p.HDTV.x264", 1, 2, None),
        ("Series.Name.1x02.720p.HDTV.x264", 1, 2, None),
        ("Series.Name.S01E02E03.720p.HDTV.x264", 1, 2, 3),
        ("Series.Name.S01E02-E05.720p.HDTV.x264", 1, 2, 5),
        ("Series.Name.S01.720p.HDTV.x264", 1, None, None),
        ("Series.Name.S00E01.720p.HDTV.x264", 0, 1, None),
        ("Series.Name.2014.09.25.720p.HDTV.x264", None, None, None),
        ("Series.Name.S01E02-720p.HDTV.x264", 1, 2, None),
        ("Series.Name.1920x1080.HDTV.x264", None, None, None),
    ],
)  # fmt: skip
def test_season_and_episode(name, season, episode, last):
    found = of(name, 5040)
    assert (found["title"].removesuffix(" 1920x1080"), found["season"], found["episode"], found["episode_last"]) == (
        "Series Name",
        season,
        episode,
        last,
    )


def test_a_day_that_no_calendar_has_is_not_said():
    assert of("Series.Name.2014.02.28.720p.HDTV.x264", 5040)["aired"] == date(2014, 2, 28)
    assert of("Series.Name.2014.02.31.720p.HDTV.x264", 5040)["aired"] is None


def test_who_wrote_and_what_is_unsure():
    assert of("Mary Shelley - Frankenstein", 7020)["author"] == "Mary Shelley"
    assert of("Austen, Jane - Emma", 7020)["author"] == "Jane Austen"
    for either_way in (
        "Moby Dick - Herman Melville",
        "Herman Melville - Moby Dick",
        "Pride and Prejudice - Jane Austen",
    ):
        assert (of(either_way, 7020)["author"], of(either_way, 7020)["title"]) == (None, None)


def test_nothing_is_said_of_a_release_of_unknown_category():
    names = [row["name"] for row in LABELLED]
    for number in (8010, 8020):
        found = said(names, [number] * len(names))
        assert found.select(pl.all().is_not_null().sum()).sum_horizontal().item() == 0


def test_no_names_give_no_rows():
    assert_frame_equal(said([], []), ATTRIBUTES.empty())


@settings(deadline=None, max_examples=40)
@given(
    st.lists(
        st.tuples(
            st.text(max_size=60)
            | st.text("[]()-._ ESx0123456789aB", max_size=40)
            | st.sampled_from([row["name"] for row in LABELLED]),
            st.sampled_from([own.id for own in TREE]),
        ),
        max_size=5,
    )
)
def test_any_name_is_read_and_its_neighbours_do_not_matter(rows):
    names, numbers = [name for name, _ in rows], [number for _, number in rows]
    together = said(names, numbers)
    alone = [said([name], [number]) for name, number in rows]
    assert_frame_equal(together, pl.concat([ATTRIBUTES.empty(), *alone]))
