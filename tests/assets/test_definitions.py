from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest

from assets.build import build_definitions
from assets.partitions import RANGES, register
from store.configuration import Settings

PLANNED = ["200811~a.b.b~000001", "200811~a.b.a~000004", "201305~a.b.a~000009"]


def test_the_assets_are_those_of_the_design() -> None:
    graph = build_definitions(Settings()).resolve_asset_graph()
    names = {key.to_user_string() for key in graph.get_all_asset_keys()}
    assert names == {
        "group_list",
        "range_plan",
        "overview",
        "release_chunks",
        "edge_chunks",
        "settled_releases",
        "collected_chunks",
        "garbage_signatures",
        "size_estimate",
        "report",
        "expired_overviews",
        "analyzed_catalog",
        "pruned_dagster_log",
    }
    assert {key.to_user_string() for key in graph.get(dg.AssetKey("release_chunks")).parent_keys} == {"overview"}
    for name in ("overview", "release_chunks", "edge_chunks"):
        assert graph.get(dg.AssetKey(name)).partitions_def == dg.DynamicPartitionsDefinition(name=RANGES)


def test_every_asset_says_what_it_is() -> None:
    graph = build_definitions(Settings()).resolve_asset_graph()
    for key in graph.get_all_asset_keys():
        node = graph.get(key)
        assert node.description, key
        assert node.group_name != "default", key
        assert node.owners, key
        assert node.kinds, key


def test_the_range_assets_run_together_many_partitions_at_a_time() -> None:
    settings = Settings.model_validate({"dagster": {"ranges_per_run": 7}})
    graph = build_definitions(settings).resolve_asset_graph()
    policies = {graph.get(dg.AssetKey(name)).backfill_policy for name in ("overview", "release_chunks", "edge_chunks")}
    assert policies == {dg.BackfillPolicy.multi_run(7)}
    assert (
        len(
            {
                graph.get(dg.AssetKey(name)).assets_def.node_def.name
                for name in ("overview", "release_chunks", "edge_chunks")
            }
        )
        == 1
    )


def test_partitions_keep_the_order_in_which_they_are_registered() -> None:
    with dg.DagsterInstance.ephemeral() as instance:
        register(instance, PLANNED)
        register(instance, PLANNED)
        assert list(instance.get_dynamic_partitions(RANGES)) == PLANNED


def test_the_code_location_loads_for_the_configuration_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib

    (tmp_path / "overlake.toml").write_text("[dagster]\nranges_per_run = 3\n")
    monkeypatch.setenv("OVERLAKE_CONFIG", str(tmp_path / "overlake.toml"))
    loaded = importlib.import_module("assets.definitions")
    dg.Definitions.validate_loadable(loaded.defs)
