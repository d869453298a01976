"""Posters: which From names somebody, and which is drawn anew for each post or article."""

from __future__ import annotations

import polars as pl

from pipeline.names import are_random

_LOCAL = r"<?([^<>\s@]+)@"
_DOMAIN = r"@([^<>\s]+)"


def _addresses(posters: pl.Series) -> tuple[pl.Series, pl.Series]:
    return posters.str.extract(_LOCAL).fill_null(""), posters.str.extract(_DOMAIN).fill_null("")


def shapes(posters: pl.Series) -> pl.Series:
    """`random` (name and domain drawn), `random@` and the domain (name drawn), `named`, or `none` (no address)."""
    kinds = posters.unique(maintain_order=True)
    local, domain = _addresses(kinds)
    frame = pl.DataFrame({"local": local, "domain": domain, "drawn": are_random(local)})
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
    return posters.replace_strict(kinds, labels, return_dtype=pl.String).rename("poster_shape")


def stable(posters: pl.Series) -> pl.Series:
    """The poster as part of an identity: lower case, white space squeezed; empty when drawn at random."""
    kinds = posters.unique(maintain_order=True)
    local, _ = _addresses(kinds)
    plain = kinds.str.to_lowercase().str.replace_all(r"\s+", " ").str.strip_chars()
    frame = pl.DataFrame({"plain": plain, "drawn": are_random(local)})
    labels = frame.select(pl.when("drawn").then(pl.lit("")).otherwise("plain")).to_series()
    if len(kinds) * 2 > len(posters):
        joined = pl.DataFrame({"poster": posters}).join(
            pl.DataFrame({"poster": kinds, "stable": labels}), on="poster", how="left", maintain_order="left"
        )
        return joined["stable"]
    return posters.replace_strict(kinds, labels, return_dtype=pl.String).rename("stable")
