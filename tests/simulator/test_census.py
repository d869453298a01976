"""The census of a history says what its lines, when they are made, turn out to be."""

import polars as pl
import pytest

from simulator.history import planned_history


def test_a_census_counts_what_the_truth_holds():
    history = planned_history(5, ("alt.binaries.a", "alt.binaries.b"), (40_000,), (2010, 2020))
    for row in history.census(8_000).iter_rows(named=True):
        truth = history.truth(row["group"], row["first"], row["first"] + row["numbers"] - 1)
        assert row["lines"] == truth.height
        classes = dict(truth.group_by("class").len().iter_rows())
        for name in ("release", "garbage", "obfuscated", "random", "text"):
            # Malformed lines, duplicates and the last line of a section, whose copy lies beyond it, are of a class of their own.
            assert row[name] == pytest.approx(classes.get(name, 0), rel=0.01, abs=30), name


def test_files_and_releases_are_shared_out_and_add_up():
    history = planned_history(5, ("alt.binaries.a",), (96_000,), (2010,))
    census, truth = history.census(4_000), history.truth("alt.binaries.a", 2_000_000, 2_095_999)
    released = truth.filter(pl.col("class") == "release")
    assert census["files"].sum() == pytest.approx(released["file"].n_unique(), rel=0.1)
    assert census["releases"].sum() == pytest.approx(released["release"].n_unique(), rel=0.25)


def test_only_whole_windows_can_be_counted():
    with pytest.raises(ValueError, match="multiple of 4000"):
        planned_history(5, ("alt.binaries.a",), (8_000,), (2010,)).census(5_000)
