"""Every line a provider sends is counted exactly once, whatever the era and the wire form."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import polars as pl
import pytest
from catalog_picture import COUNTERS, rows
from index_lab import Lab, materialize_range, plan_all, running_provider, settings_for

from assets.build import assets_of
from assets.checks import lines_accounted_for
from assets.partitions import register
from pipeline.ranges import Range
from simulator.blocks import BLOCK, make_block
from simulator.history import DEFAULT, History, planned_history
from simulator.server import Listen
from simulator.wire import FORMS
from store.catalog.conservation import unbalanced
from store.lake import rejected_path
from store.stores import Stores

ERAS = (2008, 2013, 2017, 2021, 2026)
GROUPS = ("alt.binaries.first", "alt.binaries.second")
RANGE_SIZE = 2_500
LOW = 5_000_000_000
NOW = datetime.now(UTC)
DIRTY = replace(DEFAULT, dirt=0.02, malformed=0.005, duplicates=0.005, unsorted=1.0, holes=0.02, hole_runs=0.01)
"""Some thousand lines of the default mix would have few faults of each kind."""


@dataclass(frozen=True)
class Era:
    """A provider that holds one era, its ports by wire form, and what came over the plain one."""

    history: History
    ports: dict[str, int]


@pytest.fixture(scope="module", params=ERAS)
def era(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Era]:
    history = planned_history(5, GROUPS, (2 * RANGE_SIZE,), (request.param,), DIRTY, LOW)
    listen = tuple(Listen(0, form) for form in FORMS)
    with running_provider(history, tmp_path_factory.mktemp("blocks"), listen=listen) as ports:
        yield Era(history, dict(zip(FORMS, ports, strict=True)))


@pytest.fixture(scope="module")
def plain(era: Era, lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Stores, list[Range]]]:
    """The era as it comes over a connection without compression."""
    with indexed(lab, era, "plain", tmp_path_factory.mktemp("plain")) as found:
        yield found


@contextmanager
def indexed(lab: Lab, era: Era, form: str, folder: Path) -> Iterator[tuple[Stores, list[Range]]]:
    with lab.index(settings_for(folder, era.ports[form], RANGE_SIZE)) as stores:
        # The group of the crossposts.
        ranges = [range_ for range_ in plan_all(stores, GROUPS, NOW) if range_.group == GROUPS[1]]
        for range_ in ranges:
            materialize_range(stores, range_)
        yield stores, ranges


def sent(history: History, range_: Range) -> int:
    """Lines the provider has for a range."""
    blocks = range(range_.first // BLOCK, range_.last // BLOCK + 1)
    return sum(make_block(history, range_.group, block).count(range_.first, range_.last) for block in blocks)


def overview(stores: Stores, range_: Range) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The rows of a range's overview file, and of its sidecar."""
    path = stores.lake.overview_path("main", range_)
    return stores.lake.read("main", range_)[0], pl.read_parquet(stores.disk.location(rejected_path(path)))


def test_every_line_is_accounted_for(plain: tuple[Stores, list[Range]], era: Era) -> None:
    stores, ranges = plain
    found = unbalanced(stores.catalog)
    assert found.places == ()
    assert (found.ranges, len(ranges)) == (2, 2)
    assert found.edges > 0
    for range_ in ranges:
        meta = stores.lake.read("main", range_)[1]
        assert meta.lines == sent(era.history, range_)
        assert meta.malformed > 0
        assert meta.duplicate > 0
    of_ranges = {index: lines for _, index, is_edge, lines, *_ in rows(stores.catalog, COUNTERS) if not is_edge}
    assert of_ranges == {range_.index: sent(era.history, range_) for range_ in ranges}


@pytest.mark.parametrize("form", FORMS[1:])
def test_the_wire_form_changes_nothing(
    plain: tuple[Stores, list[Range]], era: Era, lab: Lab, tmp_path: Path, form: str
) -> None:
    reference, _ = plain
    with indexed(lab, era, form, tmp_path) as (stores, ranges):
        assert unbalanced(stores.catalog).places == ()
        assert rows(stores.catalog, COUNTERS) == rows(reference.catalog, COUNTERS)
        for range_ in ranges:
            meta = stores.lake.read("main", range_)[1]
            assert meta.lines == sent(era.history, range_)
            assert meta.wire_form != reference.lake.read("main", range_)[1].wire_form
            for got, expected in zip(overview(stores, range_), overview(reference, range_), strict=True):
                assert got.equals(expected)


def test_the_check_fails_where_a_counter_does_not_add_up(lab: Lab, tmp_path: Path) -> None:
    history = planned_history(5, GROUPS[:1], (RANGE_SIZE,), (2013,), DIRTY, LOW)
    with (
        running_provider(history, tmp_path / "blocks") as (port,),
        lab.index(settings_for(tmp_path / "index", port, RANGE_SIZE)) as stores,
    ):
        (range_,) = plan_all(stores, GROUPS[:1], NOW)
        materialize_range(stores, range_)
        passed, figures = lines_accounted_for(stores, [])
        assert passed
        assert figures["ranges"].value == 1
        with stores.catalog.transaction() as connection:
            (key,) = connection.execute("SELECT partition_key FROM ranges").fetchone()
            connection.execute("UPDATE counters SET kept = kept - 3 FROM ranges WHERE owner_id = range_id")

        with dg.DagsterInstance.ephemeral() as instance:
            register(instance, [key])
            result = dg.materialize(
                assets_of(stores.settings),
                selection=dg.AssetSelection.checks_for_assets("release_chunks"),
                instance=instance,
                resources={"stores": stores},
            )
        (check,) = (one for one in result.get_asset_check_evaluations() if one.check_name == "lines_accounted_for")
        assert not check.passed
        assert check.metadata["examples"].value == f"{key}: +3"
        # Derived again, the counters are right again.
        materialize_range(stores, range_)
        passed, _ = lines_accounted_for(stores, [])
        assert passed
