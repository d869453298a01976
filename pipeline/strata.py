"""Strata of ranges: the year they were posted in, and how large their group is."""

from __future__ import annotations

import polars as pl

CLASSES = ("small", "middling", "large")
"""Size classes of groups: below a hundredth of the numbers of the largest group, below a tenth, and above."""


def with_strata(ranges: pl.DataFrame) -> pl.DataFrame:
    """Add `stratum` and `era` to ranges.

    Args:
        ranges: `group`, `year` and `numbers`, the article numbers the group has of each.
    """
    group = pl.col("numbers").sum().over("group")
    share = group / group.max()
    size = (
        pl.when(share < 0.01)
        .then(pl.lit(CLASSES[0]))
        .when(share < 0.1)
        .then(pl.lit(CLASSES[1]))
        .otherwise(pl.lit(CLASSES[2]))
    )
    era = pl.col("year").cast(pl.String)
    return ranges.with_columns(era=era, stratum=pl.concat_str(era, size, separator=" "))
