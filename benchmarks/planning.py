"""Planning at scale: groups asked for their ranges, and very many ranges in the catalog, in Dagster, and on its pages."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import httpx
import psycopg

from assets.partitions import register
from benchmarks.orchestration import CONFIGURATION
from benchmarks.provider import simulated
from catalog_sql import query
from cli.backfilling import KEYS_A_BACKFILL
from cli.dagster_client import ASSETS, DagsterClient
from cli.running import everything
from cli.services import own_command
from pipeline.nntp.account import Account
from pipeline.nntp.probe import list_groups, plan_groups
from pipeline.planning import PlannedRange
from pipeline.ranges import Range
from store.catalog.connection import Catalog
from store.catalog.planning import keys, plan, source_number
from store.configuration import FILE_NAME, Settings, load

LATENCY_MS = 30
_NUMBERS, _WINDOWS = 100, 100
"""Ranges of so many numbers, and so many ranges of each group: the provider then makes one block a group, and each range costs a window as ever."""

_FIRST_DAY, _RANGE, _A_GROUP = datetime(2009, 1, 1, tzinfo=UTC), 2_000_000, 264

_ASSET_PAGE = """
query Page($key: AssetKeyInput!) {
  assetNodeOrError(assetKey: $key) {
    ... on AssetNode {
      partitionKeysByDimension { name type partitionKeys }
      assetPartitionStatuses {
        ... on DefaultPartitionStatuses { materializedPartitions failedPartitions unmaterializedPartitions materializingPartitions }
      }
      partitionStats { numMaterialized numPartitions numFailed numMaterializing }
    }
  }
}
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """Groups planned against the simulated provider, one after the other over one connection each.

    Attributes:
        groups: groups.
        ranges: ranges in them, each with a window of 100 articles.
        seconds: by the clock, each reply delayed by 30 ms.
        cpu_us_per_range: microseconds of CPU a range.
        round_trips_per_group: what the delay added, in delays, by group.
    """

    groups: int
    ranges: int
    seconds: float
    cpu_us_per_range: float
    round_trips_per_group: float


@dataclass(frozen=True, slots=True)
class Planning:
    """One run; seconds by the clock.

    Attributes:
        ranges: ranges planned.
        plan_s: putting them into the catalog.
        plan_again_s: the same when all are there.
        register_s: making them partitions of Dagster.
        register_again_s: the same when all are there.
        asset_page_s: what Dagster's page of an asset asks for, nothing materialized.
        asset_page_full_s: the same with every partition materialized, for the first time.
        asset_page_full_again_s: the same once more.
        launch_s: launching a backfill of 10,000 ranges.
        status_s: `overlake status --json`, with the start of its process.
        asked: groups asked for their ranges.
    """

    ranges: int
    plan_s: float
    plan_again_s: float
    register_s: float
    register_again_s: float
    asset_page_s: float
    asset_page_full_s: float
    asset_page_full_again_s: float
    launch_s: float
    status_s: float
    asked: Asked


def run(folder: Path, ranges: int, groups: int) -> Planning:
    """Ask `groups` groups for their ranges, then plan `ranges` made-up ones in an index in `folder`."""
    asked = _asked(folder / "provider", groups)
    config = folder / FILE_NAME
    config.write_text(CONFIGURATION.format(range_size=_RANGE, port=119, ranges=8))
    settings = load(config)
    with everything(config, settings), Catalog.open(settings) as catalog, dg.DagsterInstance.get() as instance:
        source = source_number(catalog, settings.provider.source)
        planned = _made_up(source, ranges)
        plan_s, plan_again_s = (_seconds(lambda: plan(catalog, planned)) for _ in range(2))
        partitions = keys(catalog, source)
        register_s, register_again_s = (_seconds(lambda: register(instance, partitions)) for _ in range(2))
        page_s = _seconds(lambda: _asset_page(settings, materialized=0))
        launch_s = _seconds(lambda: _launch(settings, partitions[:KEYS_A_BACKFILL]))
        _materialize_all(instance, catalog.dagster_dsn, partitions)
        full_s, full_again_s = (
            _seconds(lambda: _asset_page(settings, materialized=len(partitions))) for _ in range(2)
        )  # fmt: skip
        status_s = _seconds(lambda: _status(config))
    return Planning(
        ranges=len(partitions),
        plan_s=plan_s,
        plan_again_s=plan_again_s,
        register_s=register_s,
        register_again_s=register_again_s,
        asset_page_s=page_s,
        asset_page_full_s=full_s,
        asset_page_full_again_s=full_again_s,
        launch_s=launch_s,
        status_s=status_s,
        asked=asked,
    )


def _asked(folder: Path, groups: int) -> Asked:
    simulation = ("--listen", "0:B", "--mix", "default", "--groups", str(groups), "--sizes", str(_WINDOWS * _NUMBERS))
    # The first time the provider makes its blocks.
    timings = [_asked_once(folder, simulation, latency) for latency in (0, 0, LATENCY_MS)]
    (ranges, at_once, cpu), (_, delayed, _) = timings[1:]
    return Asked(
        groups=groups,
        ranges=ranges,
        seconds=round(delayed, 1),
        cpu_us_per_range=round(1e6 * cpu / ranges),
        round_trips_per_group=round(1000 * (delayed - at_once) / LATENCY_MS / groups, 1),
    )


def _asked_once(folder: Path, simulation: tuple[str, ...], latency_ms: int) -> tuple[int, float, float]:
    """Ranges found, and seconds by the clock and of this process's CPU."""
    with simulated(folder, *simulation, "--latency-ms", str(latency_ms)) as port:
        account = Account("127.0.0.1", port, tls=False, connections=1)
        names = [group.name for group in list_groups(account)]
        started, cpu = time.monotonic(), time.process_time()
        found = plan_groups(account, 1, names, size=_NUMBERS, now=datetime.now(UTC))
        ranges = sum(len(planned) for planned in found)
        return ranges, time.monotonic() - started, time.process_time() - cpu


def _made_up(source: int, ranges: int) -> list[PlannedRange]:
    """Ranges of groups of 264, from 2009 on."""
    step = timedelta(days=24)
    dates = [_FIRST_DAY + nth * step for nth in range(_A_GROUP)]
    return [
        PlannedRange(Range(source, f"alt.binaries.bench{group}", nth, _RANGE), date.year * 100 + date.month, date)
        for group in range(-(-ranges // _A_GROUP))
        for nth, date in enumerate(dates)
    ][:ranges]


def _seconds(step: Any) -> float:
    started = time.monotonic()
    step()
    return round(time.monotonic() - started, 2)


def _asset_page(settings: Settings, materialized: int) -> None:
    answer = httpx.post(
        f"http://{settings.dagster.host}:{settings.dagster.port}/graphql",
        json={"query": _ASSET_PAGE, "variables": {"key": {"path": [ASSETS[0]]}}},
        timeout=600,
    ).json()
    stats = answer["data"]["assetNodeOrError"]["partitionStats"]
    if stats["numMaterialized"] != materialized:
        raise MeasuredOtherwise(f"Dagster's page counts {stats} where {materialized} are materialized")


def _launch(settings: Settings, partitions: list[str]) -> None:
    client = DagsterClient(f"http://{settings.dagster.host}:{settings.dagster.port}")
    client.cancel(client.launch(partitions))


def _materialize_all(instance: dg.DagsterInstance, dagster_dsn: str, partitions: list[str]) -> None:
    """Copies of one reported materialization: to report each takes an hour."""
    instance.report_runless_asset_event(dg.AssetMaterialization(ASSETS[0], partition=partitions[0]))
    with psycopg.connect(dagster_dsn.replace("+psycopg2", "")) as connection:
        connection.execute(
            query("copy_materializations"), {"asset": json.dumps([ASSETS[0]]), "partitions": partitions[1:]}
        )


def _status(config: Path) -> None:
    subprocess.run([*own_command("status", "--config", str(config), "--json")], stdout=subprocess.PIPE, check=True)


class MeasuredOtherwise(RuntimeError):
    """What was measured is not what should have been."""
