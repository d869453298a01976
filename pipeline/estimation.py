"""Totals of a population of ranges from a stratified random sample of them. Pure: frames in, frames out.

Combined ratio estimators over article numbers, finite population correction, Student intervals with Satterthwaite's degrees of freedom, and
Neyman's allocation of samples: Cochran, Sampling Techniques (1977), sections 5.4, 5.5 and 6.11. docs/estimates.md explains them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
import polars as pl

from pipeline.schema import Column, Schema

CONFIDENCE = 0.95
LEAST = 2
"""Samples of each stratum, the least from which a spread can be told; all of a stratum that has fewer."""

UNSEEN = 0.1
"""Share of its lines by which a range unlike all sampled ones is taken to differ. With 95 % confidence no more than 3 in n ranges are so (rule of
three: Hanley and Lippman-Hand 1983); without this the interval of what hardly varies would shrink to nothing in samples that miss a rare gap."""

ESTIMATES = Schema(
    "estimates",
    (
        Column("era", pl.String, "year of posting; null for the sum over all years"),
        Column("figure", pl.String, "what is estimated"),
        Column("estimate", pl.Float64, "estimated total"),
        Column("low", pl.Float64, "lower end of the 95 % interval"),
        Column("high", pl.Float64, "upper end of the 95 % interval"),
        Column("error", pl.Float64, "half width of the interval by the estimate"),
        Column("sampled", pl.Int64, "ranges in the sample"),
        Column("ranges", pl.Int64, "ranges there are"),
    ),
)

ALLOCATION = Schema(
    "allocation",
    (
        Column("stratum", pl.String, "stratum: era and size class"),
        Column("ranges", pl.Int64, "ranges there are"),
        Column("sampled", pl.Int64, "ranges in the sample"),
        Column("wanted", pl.Int64, "ranges the sample should have in all"),
    ),
)

OF_ALL = pl.col("era").is_null()
"""The rows of `ESTIMATES` that are totals over all eras."""


def estimates(population: pl.DataFrame, sample: pl.DataFrame, measures: Sequence[str]) -> pl.DataFrame:
    """Totals with intervals, of all eras and of each, frame `ESTIMATES`.

    Args:
        population: every range: `range` (its key), `stratum`, `era` (a function of the stratum) and `numbers`, the article numbers it has.
        sample: some of them, drawn at random within each stratum: `range` and the `measures`.
        measures: columns of `sample`.

    Raises:
        ValueError: a stratum has no sample, or one alone though it has more ranges.
    """
    strata = _strata(population, sample, measures)
    parts = [
        (None, strata),
        *((str(era), part) for (era,), part in sorted(strata.partition_by("era", as_dict=True).items())),
    ]
    rows = [
        _estimate(era, part, sample.join(population, on="range"), measure)
        for era, part in parts
        for measure in measures
    ]
    return ESTIMATES.check(pl.DataFrame(rows, schema=ESTIMATES.polars, orient="row"))


def _strata(population: pl.DataFrame, sample: pl.DataFrame, measures: Sequence[str]) -> pl.DataFrame:
    drawn = (
        sample.join(population, on="range")
        .group_by("stratum")
        .agg(pl.len().alias("n"), pl.col("numbers", *measures).mean().name.prefix("mean_"))
    )
    strata = population.group_by("stratum").agg(pl.col("era").first(), N=pl.len(), X=pl.col("numbers").sum())
    strata = strata.join(drawn, on="stratum", how="left").with_columns(pl.col("n").fill_null(0)).sort("stratum")
    few = strata.filter(pl.col("n") < pl.min_horizontal("N", LEAST))
    if few.height:
        raise ValueError(
            f"stratum {few['stratum'][0]} has {few['n'][0]} samples of {few['N'][0]} ranges; at least {LEAST} are needed"
        )
    return strata


def _estimate(era: str | None, strata: pl.DataFrame, drawn: pl.DataFrame, measure: str) -> tuple[object, ...]:
    count, size = strata["N"].to_numpy().astype(float), strata["n"].to_numpy().astype(float)
    numbers = float(strata["X"].sum())
    ratio = float(
        (count * strata[f"mean_{measure}"].to_numpy()).sum() / (count * strata["mean_numbers"].to_numpy()).sum()
    )
    total = ratio * numbers
    spread = _residual_variances(strata, drawn, measure, ratio)
    parts = count * (count - size) / size * spread
    variance = float(parts.sum())
    freedom = variance**2 / float((parts**2 / np.maximum(size - 1, 1)).sum()) if variance else math.inf
    unseen = UNSEEN * 3 / float(size.sum()) * total * (1 - float(size.sum() / count.sum()))
    half = max(student(freedom) * math.sqrt(variance), unseen)
    error = half / total if total else 0.0
    return era, measure, total, max(0.0, total - half), total + half, error, int(size.sum()), int(count.sum())


def _residual_variances(strata: pl.DataFrame, drawn: pl.DataFrame, measure: str, ratio: float) -> np.ndarray:
    """Variance within each stratum of what the ratio leaves unexplained; 0 in strata of one range."""
    residual = pl.col(measure) - ratio * pl.col("numbers")
    told = drawn.group_by("stratum").agg(spread=residual.var())
    return strata.join(told, on="stratum", how="left", maintain_order="left")["spread"].fill_null(0.0).to_numpy()


def student(freedom: float, confidence: float = CONFIDENCE) -> float:
    """The two-sided quantile of Student's distribution: exact for 1 and 2 degrees of freedom, else Abramowitz and Stegun 26.7.5 (within 0.004)."""
    p = (1 + confidence) / 2
    if freedom < 2:
        return math.tan(math.pi * (p - 0.5))
    if freedom < 3:
        return (2 * p - 1) * math.sqrt(2 / (4 * p * (1 - p)))
    z = NormalDist().inv_cdf(p)
    terms = (
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return z + sum(term / freedom**power for power, term in enumerate(terms, 1))


def first_sample(population: pl.DataFrame, size: int) -> dict[str, int]:
    """How many ranges of each stratum a first sample takes, before anything is known: by their share of the ranges, and the least of each."""
    counts = dict(population.group_by("stratum").len().sort("stratum").iter_rows())
    return {
        stratum: min(count, max(LEAST, round(size * count / population.height))) for stratum, count in counts.items()
    }


def allocation(population: pl.DataFrame, sample: pl.DataFrame, measures: Sequence[str], error: float) -> pl.DataFrame:
    """The sample that gives every total within `error` (half width of the interval), by Neyman's allocation, frame `ALLOCATION`.

    The spread of a stratum is that of all measures, each by its total, so that one sample serves them all. What was sampled stays.
    """
    strata, drawn = _strata(population, sample, measures), sample.join(population, on="range")
    count = strata["N"].to_numpy().astype(float)
    size = strata["n"].to_numpy()
    relative: list[np.ndarray] = []
    for measure in measures:
        ratio = float(
            (count * strata[f"mean_{measure}"].to_numpy()).sum() / (count * strata["mean_numbers"].to_numpy()).sum()
        )
        if ratio:
            relative.append(
                _residual_variances(strata, drawn, measure, ratio) / (ratio * float(strata["X"].sum())) ** 2
            )
    together = np.sqrt(np.sum(relative, axis=0)) if relative else np.zeros(len(count))
    share = count * together / max(float((count * together).sum()), 1e-300)
    allowed = (error / NormalDist().inv_cdf((1 + CONFIDENCE) / 2)) ** 2
    # With shares w of n samples the variance is the sum of N^2 S^2 / (n w) less that of N S^2: solved for n, for the worst measure.
    needed = max(
        (
            float((count**2 * spread / np.maximum(share, 1e-12)).sum()) / (allowed + float((count * spread).sum()))
            for spread in relative
        ),
        default=0.0,
    )
    wanted = np.maximum(size, np.minimum(count, np.ceil(needed * share))).astype(np.int64)
    return ALLOCATION.check(
        strata.select(
            "stratum",
            pl.col("N").cast(pl.Int64).alias("ranges"),
            pl.col("n").cast(pl.Int64).alias("sampled"),
            wanted=pl.Series(wanted),
        )
    )
