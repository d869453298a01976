"""The main-group rule: an article that is posted to several groups is indexed once, in the first of them that is listed."""

from __future__ import annotations

import polars as pl

from pipeline.batch import GroupList


def crossposted_to(xref: pl.Expr) -> pl.Expr:
    """The groups of an Xref as one text, e.g. `alt.binaries.a alt.binaries.b`: few values, many articles."""
    return xref.str.replace_all(r":\d+", "").str.strip_chars()


def in_main_group(xref: pl.Series, group: str, groups: GroupList) -> pl.Series:
    """Which articles, seen in `group`, have it as their main group.

    Args:
        xref: `schema.OVERVIEW`'s column. Empty, or without any listed group: this group is the main one.
        group: the group the articles were seen in.
        groups: the listed groups.

    Returns:
        A Boolean column.
    """
    frame = pl.DataFrame({"xref": xref})
    # A group that is not listed is the main one of its own articles only where no listed one is named.
    first_here = pl.col("xref").str.starts_with(f"{group}:") & (group in groups.names)
    here = frame.select(first_here | (pl.col("xref") == "")).to_series()
    rest = frame.with_row_index().filter(~here).select("index", places=crossposted_to(pl.col("xref")))
    kinds = rest.select("places").unique().with_row_index("kind")
    elected = (
        kinds.with_columns(pl.col("places").str.split(" "))
        .explode("places")
        .filter(pl.col("places").is_in(groups.names))
        .group_by("kind", maintain_order=True)
        .agg(pl.col("places").first())
        .filter(pl.col("places") != group)
    )
    outside = kinds.filter(pl.col("kind").is_in(elected["kind"].implode()))["places"]
    inside = rest.filter(~pl.col("places").is_in(outside.implode()))["index"]
    return here.scatter(inside, values=True)
