"""Files that cross range edges: which fragments belong together, which chains are decided, and which edge owns each.

A chain is a run of fragments with equal file key in consecutive ranges, each marked as reaching the next (design 5.8).
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from pipeline.ranges import Range
from pipeline.schema import Column, Schema

WINDOW_FLOOR = 20_000
"""Posters interleave: the smallest window in article numbers."""

CHAINS = Schema(
    "chains",
    (
        Column("chain", pl.UInt32, "ordinal of the chain the fragment belongs to"),
        Column("low_index", pl.Int64, "the edge that owns the chain lies between ranges low_index and low_index + 1"),
        Column("decided", pl.Boolean, "complete, or no range that is still to come can add to it"),
    ),
)


def decide(fragments: pl.DataFrame, is_closed: Callable[[int], bool]) -> pl.DataFrame:
    """Chain fragments over ranges of one group and decide them.

    Args:
        fragments: one row a fragment; of its columns `file_key`, `range_index` (integer), `at_low`, `at_high`,
            `segments_found` and `segments_expected` are read. Any order of rows.
        is_closed: whether a range index is done, known empty, or outside the group's numbers.

    Returns:
        A frame `CHAINS`, row by row beside `fragments`.
    """
    frame = fragments.select(
        "file_key", "range_index", "at_low", "at_high", "segments_found", "segments_expected"
    ).with_row_index("row")
    # In one range a key may have two fragments, one at each edge: the one at the low edge comes first.
    frame = frame.sort("file_key", "range_index", ~pl.col("at_low"), "at_high", "row")
    links = (
        (pl.col("file_key") == pl.col("file_key").shift())
        & (pl.col("range_index") == pl.col("range_index").shift() + 1)
        & pl.col("at_high").shift()
        & pl.col("at_low")
    )
    frame = frame.with_columns(chain=(~links.fill_null(value=False)).cum_sum())
    chains = frame.group_by("chain", maintain_order=True).agg(
        first=pl.col("range_index").first(),
        last=pl.col("range_index").last(),
        low_open=pl.col("at_low").first(),
        high_open=pl.col("at_high").last(),
        complete=pl.col("segments_found").sum() >= pl.col("segments_expected").max(),
        row=pl.col("row").min(),
    )
    closed = {index: is_closed(index) for index in {*(chains["first"] - 1), *(chains["last"] + 1)}}
    ends = pl.DataFrame(
        {"index": list(closed), "closed": list(closed.values())}, schema={"index": pl.Int64, "closed": pl.Boolean}
    )
    chains = chains.with_columns(pl.col("first", "last").cast(pl.Int64)).with_columns(
        low=pl.col("first") - 1, high=pl.col("last") + 1
    )
    chains = chains.join(ends.rename({"index": "low", "closed": "low_closed"}), on="low", how="left").join(
        ends.rename({"index": "high", "closed": "high_closed"}), on="high", how="left"
    )
    lone_at_low = (pl.col("first") == pl.col("last")) & ~pl.col("high_open")
    chains = chains.sort("row").with_columns(
        ordinal=pl.int_range(pl.len(), dtype=pl.UInt32),
        low_index=pl.when(lone_at_low).then(pl.col("first") - 1).otherwise("first"),
        decided=pl.col("complete")
        | ((~pl.col("low_open") | pl.col("low_closed")) & (~pl.col("high_open") | pl.col("high_closed"))),
    )
    rows = frame.select("row", "chain").join(chains, on="chain").sort("row")
    return CHAINS.check(rows.select("low_index", "decided", chain="ordinal").select(CHAINS.names))


def window(files: pl.DataFrame, range_: Range) -> int:
    """Articles from an edge within which an incomplete file may continue: how far whole files of the range spread.

    Args:
        files: `segments_found`, `segments_expected`, `first_number`, `last_number`.
        range_: the range they lie in; the window is never larger.
    """
    whole = files.filter((pl.col("segments_found") >= pl.col("segments_expected")) & (pl.col("segments_expected") > 1))
    spread = whole.select((pl.col("last_number") - pl.col("first_number")).quantile(0.999, "higher")).item() or 0
    return min(range_.size, max(WINDOW_FLOOR, int(1.5 * spread)))


def reach(files: pl.DataFrame, range_: Range, window: int) -> pl.DataFrame:
    """Add `near_edge`, with an article within the window of an edge of the range; `at_low` and `at_high`, incomplete and so at that edge."""
    incomplete = (pl.col("segments_expected") > 1) & (pl.col("segments_found") < pl.col("segments_expected"))
    low = pl.col("first_number") - range_.first < window
    high = range_.last - pl.col("last_number") < window
    return files.with_columns(near_edge=low | high, at_low=incomplete & low, at_high=incomplete & high)
