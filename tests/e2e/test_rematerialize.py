"""Any range again, in any order with its neighbours: the same releases, records and NZB bytes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from catalog_picture import Picture, chunk_files, nzbs, picture
from index_lab import Lab, derive_again, materialize_range, plan_all, running_provider, settings_for

from pipeline.ranges import Range
from simulator.history import History, planned_history
from store.catalog.collect import collect
from store.stores import Stores

GROUPS = ("alt.binaries.first", "alt.binaries.second")
RANGE_SIZE = 4_000
LOW = 120_000
NOW = datetime.now(UTC)
GRACE, ORPHAN_GRACE = timedelta(hours=1), timedelta(days=1)


@pytest.fixture(scope="module")
def history() -> History:
    return planned_history(11, GROUPS, (16_000,), (2009, 2016, 2024), offset=LOW)


@pytest.fixture(scope="module")
def port(history: History, tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    with running_provider(history, tmp_path_factory.mktemp("blocks")) as (one,):
        yield one


@pytest.fixture(scope="module")
def complete(lab: Lab, port: int, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Stores, list[Range]]]:
    """An index whose ranges were all materialized once, in order."""
    with lab.index(settings_for(tmp_path_factory.mktemp("index"), port, RANGE_SIZE)) as stores:
        ranges = plan_all(stores, GROUPS, NOW)
        for range_ in ranges:
            materialize_range(stores, range_)
        yield stores, ranges


@dataclass(frozen=True)
class Reference:
    picture: Picture
    nzbs: dict[Any, bytes]


@pytest.fixture(scope="module")
def reference(complete: tuple[Stores, list[Range]]) -> Reference:
    return Reference(picture(complete[0].catalog), nzbs(complete[0]))


def test_the_history_is_worth_the_comparison(complete: tuple[Stores, list[Range]], reference: Reference) -> None:
    """Files cross edges, releases span ranges, groups share lines, and something is set aside."""
    _, ranges = complete
    known = reference.picture
    assert {range_.group for range_ in ranges} == set(GROUPS)
    assert len(ranges) == 8
    assert any(is_edge for _, _, _, is_edge, *_ in known.records)
    assert any(owner is not None for _, _, _, _, _, owner, *_ in known.fragments)
    assert max(records for *_, records, _, _, _ in known.releases) > 1
    assert known.probes
    assert sum(outside_main for *_, outside_main, _, _, _, _, _, _, _ in known.counters) > 1_000
    assert len(reference.nzbs) == len(known.releases) > 30


@pytest.mark.parametrize("seed", [1, 2])
def test_every_range_again_twice_in_any_order_changes_nothing(
    complete: tuple[Stores, list[Range]], reference: Reference, seed: int
) -> None:
    stores, ranges = complete
    chance = random.Random(seed)
    for range_ in chance.sample(ranges * 2, 2 * len(ranges)):
        chance.choice((materialize_range, derive_again))(stores, range_)
        assert picture(stores.catalog) == reference.picture, range_
    assert nzbs(stores) == reference.nzbs


@pytest.mark.parametrize("seed", [3, 4])
def test_any_order_in_a_fresh_catalog_gives_the_same_releases(
    lab: Lab, port: int, tmp_path: Path, reference: Reference, seed: int
) -> None:
    with lab.index(settings_for(tmp_path, port, RANGE_SIZE)) as stores:
        ranges = plan_all(stores, GROUPS, NOW)
        for range_ in random.Random(seed).sample(ranges, len(ranges)):
            materialize_range(stores, range_)
        assert picture(stores.catalog).without_ids() == reference.picture.without_ids()
        assert nzbs(stores) == reference.nzbs


def test_what_a_range_had_is_retired_and_collected(complete: tuple[Stores, list[Range]], reference: Reference) -> None:
    stores, ranges = complete
    catalog, disk = stores.catalog, stores.disk
    collect(catalog, disk, NOW + timedelta(hours=2), GRACE, ORPHAN_GRACE)
    again = next(range_ for range_ in ranges if range_.index == 31)
    live = chunk_files(catalog, retired=False)
    materialize_range(stores, again)
    kept, replaced = chunk_files(catalog, retired=False), chunk_files(catalog, retired=True)
    # The range's own file, and those of its edges; further edges only where a file reaches that far.
    own, low, high = ((again.group, index, is_edge) for index, is_edge in ((31, False), (30, True), (31, True)))
    assert {own, low, high} <= set(replaced.values())
    assert all(group == again.group and (is_edge or index == 31) for group, index, is_edge in replaced.values())
    assert replaced.items() <= live.items()
    assert live.keys() - replaced.keys() == live.keys() & kept.keys()
    assert {file.path for file in disk.list("chunks")} == kept.keys() | replaced.keys()

    early = collect(catalog, disk, NOW, GRACE, ORPHAN_GRACE)
    assert (early.retired, early.orphans) == (0, 0)
    gone = collect(catalog, disk, NOW + timedelta(hours=2), GRACE, ORPHAN_GRACE)
    assert (gone.retired, gone.orphans) == (len(replaced), 0)
    assert {file.path for file in disk.list("chunks")} == kept.keys()
    assert chunk_files(catalog, retired=True) == {}
    assert nzbs(stores) == reference.nzbs


def test_chunks_are_derived_again_without_the_provider(
    complete: tuple[Stores, list[Range]], reference: Reference
) -> None:
    stores, ranges = complete
    nobody = stores.settings.provider.model_copy(update={"port": 1})
    alone = replace(stores, settings=stores.settings.model_copy(update={"provider": nobody}))
    before = {range_: stores.lake.read("main", range_)[1] for range_ in ranges}
    for range_ in reversed(ranges):
        derive_again(alone, range_)
    assert picture(stores.catalog) == reference.picture
    assert {range_: stores.lake.read("main", range_)[1] for range_ in ranges} == before
