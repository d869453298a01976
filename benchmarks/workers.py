"""Workers that share a catalog: one on one core, then several with a core each."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Barrier
from pathlib import Path

from assets.range_work import fetch_overview
from benchmarks.ingest import ingest_range, planned
from benchmarks.provider import simulated
from pipeline.ranges import Range
from store.configuration import Provider, Settings
from store.stores import open_stores

_PATIENCE_S = 3600


@dataclass(frozen=True, slots=True)
class Workers:
    """One run.

    Attributes:
        workers: processes in the second part, a core each.
        ranges: ranges that each worker did.
        range_size: article numbers of a range.
        latency_ms: round trip to the provider.
        connections: connections of all workers.
        alone_lines_per_s: one worker on one core; the provider and Postgres had the others to themselves.
        together_lines_per_s: all of them; the provider and Postgres shared their cores.
        scaling: together by alone.
    """

    workers: int
    ranges: int
    range_size: int
    latency_ms: float
    connections: int
    alone_lines_per_s: float
    together_lines_per_s: float
    scaling: float


def run(folder: Path, workers: int, ranges: int, range_size: int, latency_ms: float, connections: int) -> Workers:
    """Let one worker ingest `ranges` ranges, then `workers` of them as many each, into stores in `folder`.

    Raises:
        WorkerFailed: a worker did not come to its end.
    """
    count = ranges + workers * ranges
    arguments = ("--listen", "0:B", "--mix", "default", "--groups", "alt.binaries.bench", "--sizes", str((count + 1) * range_size))  # fmt: skip
    distance = ("--latency-ms", str(latency_ms), "--connections", str(connections + 8))
    with simulated(folder / "provider", *arguments, *distance) as port:
        settings = Settings(
            data=folder / "data",
            range_size=range_size,
            provider=Provider(
                host="127.0.0.1",
                port=port,
                tls=False,
                connections=connections,
                connections_per_range=connections // workers,
            ),
        )
        with open_stores(settings) as stores:
            wanted = planned(stores)[:count]
            # Once untimed, so that the provider has made its blocks.
            for range_ in wanted:
                fetch_overview(stores, range_)
            alone = _lines_per_s(settings, [wanted[:ranges]])
            shares = [wanted[ranges + nth :: workers] for nth in range(workers)]
            together = _lines_per_s(settings, shares)
    return Workers(
        workers=workers,
        ranges=ranges,
        range_size=range_size,
        latency_ms=latency_ms,
        connections=connections,
        alone_lines_per_s=round(alone),
        together_lines_per_s=round(together),
        scaling=round(together / alone, 3),
    )


def _lines_per_s(settings: Settings, shares: list[list[Range]]) -> float:
    """Lines by seconds from the moment when all workers are ready until the last is done; each does one share."""
    spawning = get_context("spawn")
    ready, ends = spawning.Barrier(len(shares) + 1), spawning.SimpleQueue()
    cores = sorted(os.sched_getaffinity(0))
    if len(shares) > len(cores):
        raise WorkerFailed(
            f"{len(shares)} workers want a core each, and there are {len(cores)}; ask for fewer with --workers"
        )
    started = []
    for core, share in zip(cores, shares, strict=False):
        with _on(core):
            process = spawning.Process(target=_work, args=(settings, share, ready, ends), daemon=True)
            process.start()
            started.append(process)
    ready.wait(_PATIENCE_S)
    began = time.monotonic()
    for process in started:
        process.join(_PATIENCE_S)
        if process.exitcode != 0:
            raise WorkerFailed(f"a worker ended with {process.exitcode}")
    seconds = time.monotonic() - began
    return sum(ends.get() for _ in started) / seconds


def _work(settings: Settings, share: list[Range], ready: Barrier, ends: SimpleQueue[int]) -> None:
    with open_stores(settings) as stores:
        # Once untimed: compiled loops are loaded, connections made.
        ingest_range(stores, share[0])
        ready.wait(_PATIENCE_S)
        ends.put(sum(ingest_range(stores, range_) for range_ in share))


@contextmanager
def _on(core: int) -> Iterator[None]:
    """What is started inside runs on this core alone."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class WorkerFailed(RuntimeError):
    """A worker did not come to its end."""
