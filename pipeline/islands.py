"""Islands in posting time: what is posted weeks later under the same name is another release (design 5.7)."""

from __future__ import annotations

from datetime import timedelta

import polars as pl

ISLAND_GAP = timedelta(days=7)
"""A longer silence between two files of one base key starts another release."""


def islands(keys: str, dates: str) -> pl.Expr:
    """Ordinal (from 0, in order of time) of the island each row lies in, by single linkage within its key.

    Args:
        keys: name of the column that holds the base key.
        dates: name of the column of times; a null lies in the first island of its key.

    Returns:
        A UInt32 expression of the frame's height; it does not depend on the order of rows.
    """
    gaps = pl.col(dates).sort(nulls_last=False).diff() > ISLAND_GAP
    ranks = pl.col(dates).rank("ordinal").fill_null(0).cast(pl.UInt32)
    nulls = pl.col(dates).null_count().cast(pl.UInt32)
    place = pl.when(pl.col(dates).is_null()).then(0).otherwise(ranks + nulls - 1)
    return gaps.fill_null(value=False).cum_sum().cast(pl.UInt32).gather(place).over(keys)
