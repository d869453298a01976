"""Files that cross range edges: which fragments belong together, which chains are decided, and which edge owns each.

A chain is a run of fragments with equal file key in consecutive ranges, each marked as reaching the next (design 5.8).
"""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from pipeline.schema import Column, Schema

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
    raise NotImplementedError
