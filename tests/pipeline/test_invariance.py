"""However a history is cut into ranges, in whatever order these and the lines in them come: the releases are the same."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import polars as pl
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from benchmarks.grouping import NOW, edges
from pipeline.batch import Batch, GroupList
from pipeline.completeness import totals
from pipeline.islands import releases_of
from pipeline.materialize import materialize
from pipeline.overview import parse
from pipeline.ranges import Range
from pipeline.signatures import DEFAULT_TABLE
from simulator.history import History, planned_history
from simulator.mix import DEFAULT
from simulator.wire import overview_text

NAMES = ("alt.binaries.first", "alt.binaries.second")
WHOLE = 100_000_000
CLEAN = replace(DEFAULT, dirt=0.0)
"""The default mix without damaged subjects: where ranges are smaller than a file, a damaged article may miss its file."""

SEEDS = range(1, 6)
"""Not 6: it has a set of 20 files of 20 segments, one begun only; alone in a range, `[10/20] ... (01/20)` passes for one of 20 files of one segment."""
Told = dict[tuple[str, ...], tuple[object, ...]]


@cache
def history(seed: int) -> History:
    return planned_history(seed, NAMES, (9_000,), eras=(2013, 2017, 2024), mix=CLEAN)


@cache
def overview(seed: int, group: str) -> pl.DataFrame:
    bounds = history(seed).group(group)
    rows = history(seed).block(group, bounds.low, bounds.high)
    return parse(overview_text(rows), bounds.low, bounds.high, NOW).overview


def batches(seed: int, size: int, shuffle: int | None) -> list[Batch]:
    """All ranges and edges of the history, in an order of its own; the lines of each range too."""
    made: list[Batch] = []
    for group in NAMES:
        lines = overview(seed, group)
        parts = lines.with_columns(index=pl.col("number") // size).partition_by(
            "index", include_key=False, as_dict=True
        )
        ranges: list[tuple[int, Batch]] = []
        for (index,), part in sorted(parts.items(), reverse=shuffle is not None and shuffle % 2 == 0):
            shown = part if shuffle is None else part.sample(fraction=1.0, shuffle=True, seed=shuffle)
            range_ = Range(1, group, int(index), size)
            batch = materialize(
                shown, range_, GroupList(1, NAMES), DEFAULT_TABLE, lines=part.height, malformed=0, duplicate=0
            )
            assert batch.counters.balance == 0
            ranges.append((int(index), batch))
        made += [batch for _, batch in ranges] + edges(ranges)
    return made


def releases(made: list[Batch]) -> Told:
    """Each release by its articles: its name, files and segments, found and expected."""
    records = pl.concat([batch.records.with_columns(batch=pl.lit(at)) for at, batch in enumerate(made)])
    records = records.hstack(releases_of(records)).with_columns(
        release=pl.struct("release_key", "island").rank("dense")
    )
    articles = pl.concat(
        [
            batch.segments.join(batch.files.select("file", "record"), on="file").with_columns(batch=pl.lit(at))
            for at, batch in enumerate(made)
        ]
    )
    articles = articles.join(records.select("batch", "record", "release"), on=["batch", "record"])
    named = records.sort(-pl.col("name").str.len_chars().cast(pl.Int32), "name").unique("release", keep="first")
    rows = (
        articles.group_by("release")
        .agg(pl.col("message_id").sort())
        .join(totals(records), on="release")
        .join(named.select("release", "name"), on="release")
    )
    facts = rows.select("name", "files", "files_expected", "segments", "segments_expected").rows()
    return dict(zip(map(tuple, rows["message_id"].to_list()), facts, strict=True))


@cache
def as_one_range(seed: int) -> Told:
    return releases(batches(seed, WHOLE, None))


@given(seed=st.sampled_from(SEEDS), size=st.integers(2_000, 20_000), shuffle=st.integers(0, 2**32))
@settings(max_examples=5, deadline=None, phases=[Phase.explicit, Phase.reuse, Phase.generate])
def test_ranges_of_any_size_in_any_order_give_the_releases_of_one_range(seed: int, size: int, shuffle: int):
    assert releases(batches(seed, size, shuffle)) == as_one_range(seed)


def test_the_histories_hold_what_the_rules_differ_on():
    records = pl.concat([batch.records for seed in SEEDS for batch in batches(seed, WHOLE, None)])
    assert {"request", "title", "stem", "counter"} <= set(records["grouped_by"])
    assert records["lone_number"].drop_nulls().len() > 0
    assert min(len(as_one_range(seed)) for seed in SEEDS) > 20
