"""Posters: which From names somebody, and which is drawn anew for each post or article."""

from __future__ import annotations

import polars as pl

from pipeline.distinct import kinds
from pipeline.names import are_random

_LOCAL = r"<?([^<>\s@]+)@"
_DOMAIN = r"@([^<>\s]+)"


_DRAWN_END = r"\.[A-Za-z0-9_-]*(?:\d|[a-z][A-Z]|[A-Z][a-z])[A-Za-z0-9_-]*$"
_USED_END = r"(?i)\.(?:com|net|org|edu|gov|mil|int|biz|pro|xyz|top|lan|box|cat|tel|app|dev)$"
"""The ends of three letters that domains, real or made up by people, commonly have."""
_NGPOST = r"^[A-Za-z0-9]{13}@ngPost\.com$"


def _read(posters: pl.Series) -> pl.DataFrame:
    """`local` and `domain` of each poster (empty without an address) and whether it is `drawn` at random."""
    address = pl.DataFrame({"poster": posters}).select(
        "poster",
        local=pl.col("poster").str.extract(_LOCAL).fill_null(""),
        domain=pl.col("poster").str.extract(_DOMAIN).fill_null(""),
    )
    # Top-level domains have no digits and one case.
    told = pl.col("domain").str.contains(_DRAWN_END) | pl.col("poster").str.contains(_NGPOST)
    # Name and domain together say more than each alone, where the end of the domain is none that people use.
    both = address.select(pl.concat_str("local", pl.col("domain").str.replace(r"\.[^.]*$", ""))).to_series()
    odd_end = pl.col("domain").str.contains(r"\.[A-Za-z0-9_-]{3}$") & ~pl.col("domain").str.contains(_USED_END)
    return address.with_columns(drawn=are_random(address["local"]), both=are_random(both)).with_columns(
        drawn=pl.col("drawn") | told | odd_end & pl.col("both")
    )


def shapes(posters: pl.Series) -> pl.Series:
    """`random` (name and domain drawn), `random@` and the domain (name drawn), `named`, or `none` (no address)."""
    each, poster = kinds(posters)
    frame = _read(each)
    tool_domain = pl.col("domain").str.contains(r"(?i)^(?:ngpost\.com|nyuu)$")
    labels = frame.select(
        pl.when(pl.col("local") == "")
        .then(pl.lit("none"))
        .when(pl.col("drawn") & tool_domain)
        .then(pl.concat_str(pl.lit("random@"), "domain"))
        .when("drawn")
        .then(pl.lit("random"))
        .otherwise(pl.lit("named"))
    ).to_series()
    return labels.gather(poster).rename("poster_shape")


def plain(poster: pl.Expr) -> pl.Expr:
    """Lower case, printable ASCII alone: one poster's name comes in several encodings within one post (Nyuu issue 100)."""
    return poster.str.to_lowercase().str.replace_all(r"[^!-~]+", "")


def stable(posters: pl.Series) -> pl.Series:
    """The poster as part of an identity, `plain`; empty when drawn at random."""
    each, poster = kinds(posters)
    labels = _read(each).select(pl.when("drawn").then(pl.lit("")).otherwise(plain(pl.col("poster"))))
    return labels.to_series().gather(poster).rename("stable")
