"""A backfill that goes on and on while everything around it fails: nothing is lost, nobody has to do anything, and nothing grows."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import psutil

from assets.failures import retried, sentence
from assets.range_work import derive_chunks, fetch_overview, join_edges
from benchmarks.ingest import planned
from benchmarks.provider import simulated
from pipeline.ranges import Range
from store.catalog.collect import collect
from store.catalog.conservation import unbalanced
from store.catalog.planning import fail, start
from store.configuration import Provider, Settings
from store.disk import DiskFull, LocalDisk
from store.postgres import EmbeddedPostgres, PostgresFailed
from store.stores import Stores, open_stores

RANGE_SIZE = 10_000
RANGES = 4
FAULTS = ("drop:0.3", "corrupt:0.3", "stall:0.1")
HISTORY = (
    *("--listen", "0:B", "--mix", "default", "--groups", "2", "--sizes", str((RANGES // 2 + 1) * RANGE_SIZE)),
    *(part for fault in FAULTS for part in ("--fault", fault)),
)
TIMEOUT_S = 2.0
RESTART_EVERY_S = 20.0
ATTEMPTS = 6
"""How often a backfill would come back to a range; one that needs more needs a person."""

WARM_PASSES = 1
"""After the first pass caches are filled; what grows after that goes on growing."""


@dataclass(frozen=True, slots=True)
class Soak:
    """One run.

    Attributes:
        minutes: how long.
        passes: how often every range was made, the provider's faults fresh each time.
        ranges: ranges made, over all passes.
        tried_again: attempts that failed and were repeated by themselves.
        manual_steps: ranges that did not come right in all their attempts.
        postgres_restarts: how often the database was stopped in the middle and started again.
        disk_full: writes of chunk files that found no space.
        out_of_balance: ranges and edges whose lines are not accounted for, over all passes.
        lines_changed: passes that ended with other lines or releases than the first.
        rss_mb_first: resident memory of the process after the warm passes.
        rss_mb_last: the same at the end.
        rss_growth: last by first.
        files_first: open file handles of the process after the warm passes.
        files_last: the same at the end.
        failures: what was said when an attempt failed, each once.
    """

    minutes: float
    passes: int
    ranges: int
    tried_again: int
    manual_steps: int
    postgres_restarts: int
    disk_full: int
    out_of_balance: int
    lines_changed: int
    rss_mb_first: float
    rss_mb_last: float
    rss_growth: float
    files_first: int
    files_last: int
    failures: tuple[str, ...]


class FullOnce(LocalDisk):
    """A disk that has no space for the first `refused` files, then as much as there is."""

    def __init__(self, root: Path, refused: int) -> None:
        super().__init__(root)
        self.left = refused
        self.met = 0

    def create(self, path: str, data: bytes | Iterable[bytes]) -> int:
        """See `Disk.create`."""
        if self.left:
            self.left -= 1
            self.met += 1
            raise DiskFull(28, f"the disk is full while writing {path}; free some space and run the range again")
        return super().create(path, data)


@dataclass(slots=True)
class _Course:
    """What happened so far."""

    tried_again: int = 0
    manual_steps: int = 0
    restarts: int = 0
    failures: dict[str, None] = field(default_factory=dict[str, None])


def run(folder: Path, minutes: float) -> Soak:
    """Make the same ranges again and again for `minutes`, at least twice, in stores in `folder`."""
    course, end = _Course(), time.monotonic() + 60 * minutes
    disk = FullOnce(folder / "data", refused=2)
    results: list[tuple[int, int]] = []
    sizes: list[tuple[float, int]] = []
    out_of_balance = 0
    for nth in count(1):
        # A new process has all its faults still before it.
        with simulated(folder / "provider", *HISTORY) as port:
            settings = _settings(folder, port)
            with open_stores(settings) as opened:
                stores = Stores(settings, opened.catalog, disk, opened.lake)
                ranges = planned(stores)[:RANGES]
                with _restarting(settings, course):
                    for range_ in ranges:
                        _until_done(stores, range_, course)
                found = unbalanced(stores.catalog)
                out_of_balance += len(found.places)
                collect(stores.catalog, disk, datetime.now(UTC), timedelta(0), timedelta(days=1))
                results.append(_made(stores))
            sizes.append(_size())
        if nth > WARM_PASSES and time.monotonic() >= end:
            break
    EmbeddedPostgres(folder / "data" / "postgres").stop()
    (first_mb, first_files), (last_mb, last_files) = sizes[WARM_PASSES - 1], sizes[-1]
    return Soak(
        minutes=minutes,
        passes=len(results),
        ranges=len(results) * RANGES,
        tried_again=course.tried_again,
        manual_steps=course.manual_steps,
        postgres_restarts=course.restarts,
        disk_full=disk.met,
        out_of_balance=out_of_balance,
        lines_changed=sum(result != results[0] for result in results),
        rss_mb_first=round(first_mb, 1),
        rss_mb_last=round(last_mb, 1),
        rss_growth=round(last_mb / first_mb, 3),
        files_first=first_files,
        files_last=last_files,
        failures=tuple(course.failures),
    )


def _until_done(stores: Stores, range_: Range, course: _Course) -> None:
    """As a backfill does it: a range that fails is begun again, as a whole."""
    for _ in range(ATTEMPTS):
        try:
            retried(lambda: start(stores.catalog, range_))
            retried(lambda: fetch_overview(stores, range_))
            retried(lambda: derive_chunks(stores, range_))
            retried(lambda: join_edges(stores, range_))
        except Exception as error:
            course.tried_again += 1
            course.failures[type(error).__name__ + ": " + sentence(error).split(";")[0][:120]] = None
            retried(lambda error=error: fail(stores.catalog, range_, sentence(error)))
        else:
            return
    course.manual_steps += 1


@contextmanager
def _restarting(settings: Settings, course: _Course) -> Iterator[None]:
    """Stop and start Postgres at once and then every 20 seconds, in the middle of whatever is under way."""
    ended, postgres = threading.Event(), EmbeddedPostgres(settings.data / "postgres")

    def restart() -> None:
        pause = 2.0
        while not ended.wait(pause):
            # A worker may have started it already.
            with suppress(PostgresFailed):
                postgres.stop()
                postgres.start()
                course.restarts += 1
            pause = RESTART_EVERY_S

    thread = threading.Thread(target=restart)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _made(stores: Stores) -> tuple[int, int]:
    """Lines that are accounted for, and releases."""
    with stores.catalog.transaction() as connection:
        row = connection.execute("SELECT (SELECT sum(lines) FROM ranges), (SELECT count(*) FROM releases)").fetchone()
    return (0, 0) if row is None else (int(row[0] or 0), int(row[1]))


def _size() -> tuple[float, int]:
    process = psutil.Process()
    return process.memory_info().rss / 2**20, process.num_fds()


def _settings(folder: Path, port: int) -> Settings:
    provider = Provider(
        host="127.0.0.1",
        port=port,
        tls=False,
        connections=4,
        connections_per_range=4,
        numbers_per_request=2_000,
        timeout=TIMEOUT_S,
    )
    return Settings(data=folder / "data", range_size=RANGE_SIZE, provider=provider)
