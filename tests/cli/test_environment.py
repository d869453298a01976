from __future__ import annotations

from pathlib import Path

import dagster as dg
import pytest
from databases import Databases

from cli.environment import dagster_environment
from store.catalog.connection import Catalog
from store.configuration import Settings


def test_dagster_is_told_how_many_runs_work_at_once(
    databases: Databases, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    settings = Settings.model_validate(
        {"data": tmp_path, "catalog": {"dsn": databases.new()}, "dagster": {"concurrent_runs": 5}}
    )
    with Catalog.open(settings) as catalog:
        for name, value in dagster_environment(tmp_path / "overlake.toml", settings, catalog).items():
            monkeypatch.setenv(name, value)
    with dg.DagsterInstance.get() as instance:
        queue = instance.get_concurrency_config().run_queue_config
        assert queue is not None
        assert queue.max_concurrent_runs == 5
