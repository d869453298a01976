"""A signature table that a person recorded is the one that runs use, and the ranges it changes are those that are listed."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import polars as pl
import pytest
from index_lab import Lab, derive_again, materialize_range, plan_all, running_provider, settings_for

from assets.planning_assets import group_list
from pipeline.batch import Signature
from pipeline.signatures import DEFAULT_TABLE, DROP, KEEP
from simulator.history import planned_history
from store.catalog.planning import range_by_key
from store.catalog.signatures import changed_by
from store.catalog.versions import current_signatures, record_signatures
from store.stores import Stores

GROUPS = ("alt.binaries.first",)
DROPPING = (*DEFAULT_TABLE.signatures, Signature("*|*|[]q*", DROP, "sets of random names"))
KEEPING = (Signature("*|*|*", KEEP, "everything"),)


@pytest.fixture(scope="module")
def stores(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """Some small ranges, made under the shipped table."""
    history = planned_history(11, GROUPS, (8_000,), (2009, 2024), offset=120_000)
    with (
        running_provider(history, tmp_path_factory.mktemp("blocks")) as (port,),
        lab.index(settings_for(tmp_path_factory.mktemp("index"), port, 2_000)) as stores,
    ):
        for range_ in plan_all(stores, GROUPS, datetime.now(UTC)):
            materialize_range(stores, range_)
        yield stores


def garbage(stores: Stores) -> dict[tuple[str, int, bool], int]:
    """The garbage counter of each range and edge, by group and index."""
    with stores.catalog.transaction() as connection:
        rows = connection.execute(
            "SELECT groups.name, range_index, is_edge, garbage FROM counters JOIN ("
            " SELECT range_id AS owner_id, group_id, range_index, false AS is_edge FROM ranges"
            " UNION ALL SELECT edge_id, group_id, range_index, true FROM edges) AS owners USING (owner_id) JOIN groups USING (group_id)"
        )
        return {(group, index, is_edge): dropped for group, index, is_edge, dropped in rows}


def make_again(stores: Stores, found: pl.DataFrame) -> dict[tuple[str, int, bool], int]:
    """Make the listed ranges again; by how much the garbage of each range and edge grew, where it did."""
    before = garbage(stores)
    for key in found["partition_key"].unique(maintain_order=True):
        derive_again(stores, range_by_key(stores.catalog, key).range)
    return {owner: after - before[owner] for owner, after in garbage(stores).items() if after != before[owner]}


def test_what_comes_back_is_listed_exactly_and_made_again_nothing_is_left(stores: Stores) -> None:
    table = record_signatures(stores.catalog, KEEPING)
    found = changed_by(stores.catalog, table)
    assert {True, False} == set(found["is_edge"]), "ranges and edges"
    listed = found.select("group", "range_index", "is_edge", "segments_back").iter_rows()
    assert make_again(stores, found) == {(group, index, is_edge): -back for group, index, is_edge, back in listed}
    assert changed_by(stores.catalog, table).is_empty()


def test_what_goes_is_listed_exactly_and_made_again_nothing_is_left(stores: Stores) -> None:
    table = record_signatures(stores.catalog, DROPPING)
    found = changed_by(stores.catalog, table)
    assert found.height > 0
    listed = found.select("group", "range_index", "is_edge", "segments_gone").iter_rows()
    assert make_again(stores, found) == {(group, index, is_edge): gone for group, index, is_edge, gone in listed}
    assert changed_by(stores.catalog, table).is_empty()


def test_planning_again_leaves_the_recorded_table_in_force(stores: Stores, tmp_path: Path) -> None:
    mine = record_signatures(stores.catalog, KEEPING)
    settings = stores.settings.model_copy(
        update={"groups": stores.settings.groups.model_copy(update={"names": [*GROUPS]})}
    )
    again = Stores(settings, stores.catalog, stores.disk, stores.lake)
    with dg.DagsterInstance.ephemeral(str(tmp_path)) as instance:
        assert dg.materialize([group_list], instance=instance, resources={"stores": again}).success
    assert current_signatures(stores.catalog) == mine
