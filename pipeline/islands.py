"""Islands in posting time: what is posted weeks later under the same name is another release (design 5.7)."""

from __future__ import annotations

from datetime import timedelta

import polars as pl

ISLAND_GAP = timedelta(days=7)
"""A longer silence between two files of one base key starts another release."""

POOL_GAP = timedelta(hours=2)
"""The same between two files that poster and counter alone hold together: nothing but time tells one such post from the next."""


_SAME = pl.lit(ISLAND_GAP)


def islands(keys: str, dates: str, gap: pl.Expr = _SAME) -> pl.Expr:
    """Ordinal (from 0, in order of time) of the island each row lies in, by single linkage within its key.

    Args:
        keys: name of the column that holds the base key.
        dates: name of the column of times; a null lies in the first island of its key.
        gap: the longest silence within an island, one value for each key.

    Returns:
        A UInt32 expression of the frame's height; it does not depend on the order of rows.
    """
    cuts = pl.col(dates).sort(nulls_last=False).diff() > gap
    ranks = pl.col(dates).rank("ordinal").fill_null(0).cast(pl.UInt32)
    nulls = pl.col(dates).null_count().cast(pl.UInt32)
    place = pl.when(pl.col(dates).is_null()).then(0).otherwise(ranks + nulls - 1)
    return cuts.fill_null(value=False).cum_sum().cast(pl.UInt32).gather(place).over(keys)


def releases_of(records: pl.DataFrame) -> pl.DataFrame:
    """Which release each record belongs to, as the catalog decides it: a function of the records and nothing else.

    Args:
        records: `base_key`, `stem_key`, `pool_key`, `lone_number`, `first_posted` and `last_posted` of `schema.RECORDS`, of any number of batches.

    Returns:
        Beside them: `release_key` (the base key the record has among all these) and `island` (UInt32, within that key).
    """
    stem, pool = pl.col("stem_key"), pl.col("pool_key")
    frame = records.select("base_key", "stem_key", "pool_key", "lone_number", "first_posted", "last_posted")
    # A record of both keys without a lone file holds several files of the stem.
    lone = pl.col("lone_number")
    shared = (lone.is_null().any() | (lone.n_unique() >= 2)).over("stem_key", "pool_key")
    frame = frame.with_columns(
        release_key=pl.when(stem.is_null()).then("base_key").when(shared).then(stem).otherwise(pool)
    )
    frame = frame.with_columns(
        gap=pl.when((pl.col("release_key") == pool).fill_null(value=False))
        .then(pl.lit(POOL_GAP))
        .otherwise(pl.lit(ISLAND_GAP))
    ).with_row_index()
    ordered = frame.sort("release_key", "first_posted", "last_posted", "index", nulls_last=False)
    before = pl.col("last_posted").cum_max().shift().over("release_key")
    starts = (pl.col("first_posted") - before > pl.col("gap")).fill_null(value=False)
    return (
        ordered.with_columns(island=starts.cum_sum().over("release_key").cast(pl.UInt32))
        .sort("index")
        .select("release_key", "island")
    )
