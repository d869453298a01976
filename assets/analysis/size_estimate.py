"""What the whole target would be, from a small sample of its ranges."""

from typing import Any

import dagster as dg

from assets.pools import RANGE_POOL
from assets.range_assets import STEPS, materialized
from pipeline.estimation import OF_ALL, first_sample
from store.analysis.estimate import Estimate, drawn, estimate, planned, remember, remembered
from store.stores import Stores

ROUNDS = 3
"""A first sample, one by its spread, and one more where that spread was told too small."""


class SampleConfig(dg.Config):
    """How much is sampled: so many ranges in all, or, where that is 0, as many as the wanted error takes."""

    ranges: int = 0
    error: float = 0.05
    first_ranges: int = 30


@dg.asset(deps=["range_plan"], group_name="analysis", kinds={"duckdb", "nntp"}, pool=RANGE_POOL)
def size_estimate(
    context: dg.AssetExecutionContext, config: SampleConfig, stores: dg.ResourceParam[Stores]
) -> dg.MaterializeResult[Any]:
    """Totals of the whole target with 95 % intervals, by era and in all. Fetches the ranges of a stratified sample that are not done yet, and no others."""
    population = planned(stores)
    least = first_sample(population, config.ranges or config.first_ranges)
    before = remembered(stores.settings.data)
    sizes = {stratum: max(size, before.get(stratum, 0)) for stratum, size in least.items()}
    fetched, told = _sampled(context, stores, sizes, config.error)
    for _ in range(ROUNDS - 1 if not config.ranges else 0):
        wanted = dict(told.further.select("stratum", "wanted").iter_rows())
        if wanted == sizes:
            break
        sizes = wanted
        more, told = _sampled(context, stores, sizes, config.error)
        fetched += more
    return dg.MaterializeResult(metadata={"fetched": fetched, **_shown(told)})


def _sampled(
    context: dg.AssetExecutionContext, stores: Stores, sizes: dict[str, int], error: float
) -> tuple[int, Estimate]:
    """Make the ranges of the sample that are not done, and estimate from all of it; how many were made too."""
    remember(stores.settings.data, sizes)
    undone = _undone(stores, sizes)
    for key in undone:
        for made in materialized(stores, key, list(STEPS)):
            context.instance.report_runless_asset_event(made)
    return len(undone), estimate(stores, sizes, error)


def _undone(stores: Stores, sizes: dict[str, int]) -> list[str]:
    sample = drawn(planned(stores), sizes)
    return [key for key, done in sample.select("range", "done").iter_rows() if not done]


def _shown(told: Estimate) -> dict[str, Any]:
    totals = told.totals.filter(OF_ALL)
    figures = {row["figure"]: dg.MetadataValue.float(row["estimate"]) for row in totals.iter_rows(named=True)}
    intervals = {
        f"{row['figure']}_interval": dg.MetadataValue.text(f"{row['low']:.6g} to {row['high']:.6g}")
        for row in totals.iter_rows(named=True)
    }
    further = told.further
    return {
        "sampled": int(further["sampled"].sum()),
        "ranges": int(further["ranges"].sum()),
        "wanted": int(further["wanted"].sum()),
        "worst_error": dg.MetadataValue.float(float(totals["error"].to_numpy().max())),
        **figures,
        **intervals,
        "further": dg.MetadataValue.json(further.to_dicts()),
    }
