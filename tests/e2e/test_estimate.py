"""The estimate fetches its sample and no other range, and comes near what the whole history is when all of it is made."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import dagster as dg
import polars as pl
import pytest
from index_lab import Lab, materialize_range, plan_all, running_provider, settings_for

from assets.analysis.size_estimate import SampleConfig, size_estimate
from pipeline.estimation import OF_ALL
from simulator.history import planned_history
from store.analysis.estimate import ESTIMATE, NotSampled, drawn, estimate, planned, remembered
from store.stores import Stores

GROUPS = ("alt.binaries.first",)


@pytest.fixture(scope="module")
def stores(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    history = planned_history(12, GROUPS, (40_000,), (2009, 2024), offset=120_000)
    with (
        running_provider(history, tmp_path_factory.mktemp("blocks")) as (port,),
        lab.index(settings_for(tmp_path_factory.mktemp("index"), port, 4_000)) as stores,
    ):
        plan_all(stores, GROUPS, datetime.now(UTC))
        yield stores


def sampled(stores: Stores, ranges: int) -> dict[str, dg.MetadataValue]:
    with dg.DagsterInstance.ephemeral() as instance:
        result = dg.materialize(
            [size_estimate],
            instance=instance,
            resources={"stores": stores},
            run_config=dg.RunConfig(ops={"size_estimate": SampleConfig(ranges=ranges)}),
        )
        (event,) = result.get_asset_materialization_events()[-1:]
        return dict(event.materialization.metadata)


def done(stores: Stores) -> set[str]:
    return set(planned(stores).filter("done")["range"])


def test_a_sample_is_fetched_and_told_and_a_larger_one_goes_on_from_it(stores: Stores) -> None:
    with pytest.raises(NotSampled, match="overlake estimate"):
        estimate(stores, {"2009 large": 2, "2024 large": 2}, 0.05)
    first = sampled(stores, 4)
    population, sizes = planned(stores), remembered(stores.settings.data)
    assert done(stores) == set(drawn(population, sizes)["range"]), "the sample was fetched, and nothing else"
    assert first["sampled"].value == first["fetched"].value == sum(sizes.values())
    small = done(stores)
    second = sampled(stores, 6)
    assert small < done(stores)
    assert second["fetched"].value == len(done(stores)) - len(small)
    written = pl.read_parquet(stores.settings.data / ESTIMATE)
    assert {None, "2009", "2024"} == set(written["era"])
    assert (
        written.filter(OF_ALL)
        .select((pl.col("low") <= pl.col("estimate")) & (pl.col("estimate") <= pl.col("high")))
        .to_series()
        .all()
    )


def test_the_totals_are_near_those_of_everything(stores: Stores) -> None:
    population = planned(stores)
    told = estimate(stores, remembered(stores.settings.data), 0.05).totals.filter(OF_ALL)
    totals = {row["figure"]: row for row in told.iter_rows(named=True)}
    for range_ in plan_all(stores, GROUPS, datetime.now(UTC)):
        materialize_range(stores, range_)
    everything = dict(planned(stores).group_by("stratum").len().iter_rows())
    whole = estimate(stores, everything, 0.05).totals.filter(OF_ALL)
    for row in whole.iter_rows(named=True):
        assert row["low"] == row["high"] == row["estimate"], "a census has no error"
        if row["figure"] in {"lines", "main", "kept", "set_aside", "wire_bytes", "parquet_bytes"}:
            assert totals[row["figure"]]["estimate"] == pytest.approx(row["estimate"], rel=0.2), row["figure"]
    with stores.catalog.transaction() as connection:
        ((lines, kept),) = connection.execute(
            "SELECT (SELECT sum(lines) FROM ranges)::bigint, (SELECT sum(kept) FROM counters)::bigint"
        ).fetchall()
    found = dict(whole.select("figure", "estimate").iter_rows())
    assert found["lines"] == lines
    assert found["kept"] == pytest.approx(kept, rel=0.03), "segments in fragments are counted with what they become"
    assert population.height == planned(stores).height
