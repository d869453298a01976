"""Dagster's share of a backfill's CPU: the same ranges through a backfill, and by the bare steps."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ingest import ingest_range
from benchmarks.machine import Stages, tree_cpu_s
from benchmarks.provider import simulated
from cli.dagster_client import DagsterClient
from cli.running import everything
from cli.work import materialize_here
from store.catalog.planning import missing, range_by_key, source_number
from store.configuration import FILE_NAME, load
from store.stores import open_stores

CONFIGURATION = """\
range_size = {range_size}

[provider]
host = "127.0.0.1"
port = {port}
tls = false
connections = 8
connections_per_range = 4

[server]
port = 18080

[dagster]
port = 13000
ranges_per_run = {ranges}
concurrent_runs = 1
"""


@dataclass(frozen=True, slots=True)
class Orchestration:
    """One run.

    Attributes:
        ranges: ranges backfilled, all in one run of Dagster.
        range_size: article numbers of a range.
        lines: overview lines in them.
        backfill_cpu_s: CPU seconds of Dagster's processes, of its runs and of Postgres, from launch to end.
        work_cpu_s: CPU seconds of the same steps over the same ranges without Dagster, and of Postgres for them.
        share: Dagster's part of the backfill's CPU.
        wall_s: seconds from launch to end.
    """

    ranges: int
    range_size: int
    lines: int
    backfill_cpu_s: float
    work_cpu_s: float
    share: float
    wall_s: float


def run(folder: Path, ranges: int, range_size: int) -> Orchestration:
    """Backfill `ranges` ranges of a simulated group, in stores in `folder`, then do the same without Dagster."""
    arguments = ("--listen", "0:B", "--mix", "default", "--groups", "3", "--sizes", str((ranges // 3 + 2) * range_size))
    with simulated(folder / "provider", *arguments) as port:
        config = folder / FILE_NAME
        config.write_text(CONFIGURATION.format(range_size=range_size, port=port, ranges=ranges))
        settings = load(config)
        with everything(config, settings) as processes:
            materialize_here(config, ["group_list", "range_plan"])
            with open_stores(settings) as stores:
                keys = missing(stores.catalog, source_number(stores.catalog, settings.provider.source))[:ranges]
                planned = [range_by_key(stores.catalog, key).range for key in keys]
                # Once untimed, so that the provider has made its blocks and both sides find the same.
                lines = sum(ingest_range(stores, range_) for range_ in planned)
                postmaster = stores.catalog.postgres.pid if stores.catalog.postgres else None
                pids = [*(item.process.pid for item in processes), postmaster]
                wall, before = time.monotonic(), sum(map(tree_cpu_s, pids))
                _backfill(f"http://{settings.dagster.host}:{settings.dagster.port}", keys)
                wall, backfill_cpu = time.monotonic() - wall, sum(map(tree_cpu_s, pids)) - before
                bare, before = Stages(), tree_cpu_s(postmaster)
                with bare.stage("work"):
                    for range_ in planned:
                        ingest_range(stores, range_)
                work = bare.cpu["work"] + tree_cpu_s(postmaster) - before
    return Orchestration(
        ranges=ranges,
        range_size=range_size,
        lines=lines,
        backfill_cpu_s=round(backfill_cpu, 2),
        work_cpu_s=round(work, 2),
        share=round(max(0.0, backfill_cpu - work) / backfill_cpu, 4),
        wall_s=round(wall, 1),
    )


def _backfill(url: str, keys: list[str]) -> None:
    dagster = DagsterClient(url)
    launched = dagster.launch(keys)
    while not (state := dagster.state(launched)).ended:
        time.sleep(1.0)
    if not state.succeeded:
        raise BackfillFailed(f"the backfill ended as {state.status}: {state.error}")


class BackfillFailed(RuntimeError):
    """The measured backfill did not succeed."""
