"""What the sensors ask for, on a real catalog and a synthetic provider."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dagster as dg
import pytest
from databases import Databases

from assets.build import build_definitions
from assets.sensors import again_sensor, new_ranges_sensor
from pipeline.planning import PlannedRange
from pipeline.ranges import Range
from store.catalog.planning import fail, plan
from store.configuration import Settings
from store.stores import Stores

GROUP = "alt.binaries.linux"


def evaluated(name: str, settings: Settings, stores: Stores, cursor: str | None = None) -> object:
    sensor = (
        again_sensor(settings, "ranges") if name == "failed_ranges_again" else new_ranges_sensor(settings, "planning")
    )
    with dg.DagsterInstance.ephemeral() as instance:
        repository = build_definitions(settings).get_repository_def()
        context = dg.build_sensor_context(
            instance, cursor=cursor, repository_def=repository, resources={"stores": stores}
        )
        return sensor(context)


@pytest.fixture
def stores(databases: Databases, tmp_path: Path) -> Iterator[Stores]:
    from store.disk import LocalDisk
    from store.lake import Lake

    settings, disk = Settings(data=tmp_path), LocalDisk(tmp_path)
    with databases.catalog() as catalog:
        yield Stores(settings, catalog, disk, Lake(disk))


def test_only_failures_that_may_pass_are_tried_again_and_not_at_once(stores: Stores) -> None:
    from datetime import UTC, datetime

    now = datetime.now(UTC)
    ranges = [Range(1, GROUP, index) for index in range(3)]
    keys = plan(stores.catalog, [PlannedRange(range_, 201203, now) for range_ in ranges])
    fail(stores.catalog, ranges[0], "the server said 481", "LoginRefused")
    fail(stores.catalog, ranges[1], "the server said 400", "ServerBusy")
    fail(stores.catalog, ranges[2], "the server said 400", "ServerBusy")
    assert isinstance(evaluated("failed_ranges_again", stores.settings, stores), dg.SkipReason)
    with stores.catalog.transaction() as connection:
        connection.execute("UPDATE ranges SET failed_at = failed_at - interval '11 minutes'")
        connection.execute("UPDATE ranges SET failures = 2 WHERE range_index = 2")
    asked = evaluated("failed_ranges_again", stores.settings, stores)
    assert isinstance(asked, dg.SensorResult)
    assert [request.partition_key for request in asked.run_requests or []] == [keys[1]]


def test_nothing_is_asked_of_the_provider_before_the_first_plan(stores: Stores) -> None:
    skipped = evaluated("new_full_ranges", stores.settings, stores)
    assert isinstance(skipped, dg.SkipReason)
    assert "overlake plan" in (skipped.skip_message or "")
