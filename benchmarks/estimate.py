"""Estimates from samples of a simulated history whose totals are known from its plan: none of its lines is made.

The census of the plan says how much of what every range holds (`History.census`). Samples are drawn from it again and again by other seeds, and
each estimate is laid beside the true totals. How far the plan is what the pipeline finds is measured on some ranges that are really made.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl

from benchmarks.grouping import NOW
from pipeline.batch import GroupList
from pipeline.estimation import OF_ALL, estimates, first_sample
from pipeline.materialize import materialize
from pipeline.overview import parse
from pipeline.ranges import Range
from pipeline.signatures import DEFAULT_TABLE
from pipeline.strata import with_strata
from simulator.history import History, planned_history
from simulator.mix import DEFAULT
from simulator.wire import overview_text

SIZES = (0.40, 0.25, 0.15, 0.10, 0.06, 0.04)
"""Shares of the groups: large, middling and small ones."""
RANGE_SIZE = 20_000
MEASURES = ("lines", "main", "kept", "garbage", "set_aside", "files", "releases")


@dataclass(frozen=True, slots=True)
class Estimated:
    """One run.

    Attributes:
        lines: lines of the history.
        ranges, sampled: ranges of the history, and of each sample.
        seeds: samples drawn.
        worst_error: largest error of a total, of the first sample.
        errors: error of each total, of the first sample.
        typical_worst_error: median over the samples of the largest error of a total.
        within_5_percent: share of the samples of which every total is within 5 %.
        interval_coverage: least share over the totals of the samples whose 95 % interval holds the true total.
        coverage: that share for each total.
        made: what the pipeline finds by what the plan says, over ranges that were really made.
    """

    lines: int
    ranges: int
    sampled: int
    seeds: int
    worst_error: float
    errors: dict[str, float]
    typical_worst_error: float
    within_5_percent: float
    interval_coverage: float
    coverage: dict[str, float]
    made: dict[str, float]


def run(lines: int, share: float, seeds: int, made: int) -> Estimated:
    """Draw `seeds` samples of `share` of the ranges of a history of `lines` numbers; make `made` of its ranges."""
    names = tuple(f"alt.binaries.bench.{at}" for at in range(len(SIZES)))
    whole = 5 * RANGE_SIZE
    history = planned_history(
        1, names, tuple(max(whole, round(lines * size)) for size in SIZES), mix=DEFAULT, offset=2_000_000
    )
    census = _measured(history.census(RANGE_SIZE))
    population = with_strata(census.select("range", "group", "year", "numbers"))
    truth = {measure: float(census[measure].sum()) for measure in MEASURES}
    sizes = first_sample(population, round(share * population.height))
    drawn = [_errors(population, census, sizes, seed, truth) for seed in range(seeds)]
    errors = np.array([[abs(one[0]) for one in sample] for sample in drawn])
    coverage = np.array([[one[1] for one in sample] for sample in drawn]).mean(axis=0)
    return Estimated(
        lines=int(truth["lines"]),
        ranges=population.height,
        sampled=sum(sizes.values()),
        seeds=seeds,
        worst_error=round(float(errors[0].max()), 5),
        errors=_by_measure(errors[0]),
        typical_worst_error=round(float(np.median(errors.max(axis=1))), 5),
        within_5_percent=round(float((errors.max(axis=1) <= 0.05).mean()), 4),
        interval_coverage=round(float(coverage.min()), 4),
        coverage=_by_measure(coverage),
        made=_made(history, census, made),
    )


def _measured(census: pl.DataFrame) -> pl.DataFrame:
    return census.with_columns(
        range=pl.int_range(pl.len()),
        main=pl.col("lines") - pl.col("copies"),
        kept="release",
        set_aside=pl.col("random") + pl.col("obfuscated") + pl.col("text"),
    )


def _errors(
    population: pl.DataFrame, census: pl.DataFrame, sizes: dict[str, int], seed: int, truth: dict[str, float]
) -> list[tuple[float, bool]]:
    """Of each total, its error and whether its interval holds the true one."""
    rng = np.random.default_rng(seed)
    chosen = [
        rng.choice(part["range"].to_numpy(), sizes[str(stratum)], replace=False)
        for (stratum,), part in sorted(population.partition_by("stratum", as_dict=True).items())
    ]
    sample = census[np.sort(np.concatenate(chosen))].select("range", *MEASURES)
    told = estimates(population, sample, MEASURES).filter(OF_ALL)
    return [
        (row["estimate"] / truth[row["figure"]] - 1, row["low"] <= truth[row["figure"]] <= row["high"])
        for row in told.iter_rows(named=True)
    ]


def _by_measure(values: np.ndarray) -> dict[str, float]:
    return {measure: round(float(value), 5) for measure, value in zip(MEASURES, values, strict=True)}


def _made(history: History, census: pl.DataFrame, count: int) -> dict[str, float]:
    """Lines the pipeline finds in evenly spread ranges, by those of the plan."""
    rows = census[np.linspace(0, census.height - 1, count).astype(int)] if count else census.clear()
    found = np.zeros(5)
    for row in rows.iter_rows(named=True):
        first, last = row["first"], row["first"] + row["numbers"] - 1
        block = history.block(row["group"], first, last)
        parsed = parse(overview_text(block), first, last, NOW)
        range_ = Range(1, row["group"], first // RANGE_SIZE, RANGE_SIZE)
        counters = materialize(
            parsed.overview, range_, GroupList(1, history.names), DEFAULT_TABLE,
            lines=parsed.lines, malformed=parsed.rejected.height, duplicate=0,
        ).counters  # fmt: skip
        aside = counters.set_aside_random + counters.set_aside_obfuscated + counters.set_aside_text
        found += (
            counters.lines,
            counters.lines - counters.outside_main,
            counters.kept + counters.in_fragments,
            counters.garbage,
            aside,
        )
    names = ("lines", "main", "kept", "garbage", "set_aside")
    return {name: round(float(found[at]) / max(1.0, float(rows[name].sum())), 4) for at, name in enumerate(names)}
