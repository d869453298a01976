"""The catalog at scale: bytes a release, search latency, commits, the probe queue and vacuum, at a tenth of the size and at the whole.

The rows are made up (benchmarks/synthetic_catalog.py) and copied in; commits, searches and takers then run as they do in production,
in an embedded Postgres with the settings it always has.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import log10
from pathlib import Path
from typing import Self

import numpy as np

from benchmarks import synthetic_catalog as synthetic
from benchmarks.machine import tree_cpu_s
from catalog_sql import query
from pipeline.batch import Batch
from store.catalog import releases as releases_of
from store.catalog.connection import Catalog
from store.catalog.probes import take_probes
from store.catalog.publication import Owner, WrittenChunk, replace_rows, rows_of
from store.catalog.search import Search, search
from store.chunks import ChunkHeader, Place
from store.configuration import Settings

GROWING = (*synthetic.Rows.__slots__, "release_aliases", "group_sets", "kinds", "chunk_files")
"""Tables that grow with releases. What grows with ranges alone (counters, fragments, samples) is not among them."""

RETENTION = 115_000_000
"""Releases the catalog is built for: design.md section 1."""

COMMITS, RERUNS = 40, 100
TAKERS = (1, 4, 8)
_A_KIND = 60
_WARM_UP = 10
_PROBES, _AT_ONCE = 16_000, 100
_MARGIN = timedelta(days=3)

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Latency:
    """Page and count of one kind of query, as the server asks for them. `hits`: the median of the totals, which count no further than the days that were looked at."""

    p50_ms: float
    p95_ms: float
    hits: int


@dataclass(frozen=True, slots=True)
class Commits:
    """Ranges committed one after the other: names interned, rows copied, releases recomputed.

    Attributes:
        ranges: ranges committed.
        records: records in each.
        records_per_s: records by wall seconds.
        p50_ms: milliseconds of one commit.
        p95_ms: the same.
        postgres_share: CPU of Postgres by wall time.
        bytes_per_release: what tables and indexes grew by, for each new release.
    """

    ranges: int
    records: int
    records_per_s: float
    p50_ms: float
    p95_ms: float
    postgres_share: float
    bytes_per_release: float


@dataclass(frozen=True, slots=True)
class Reruns:
    """One range materialized again and again.

    Attributes:
        runs: how often.
        replace_ms: median milliseconds of replacing its records by other ones.
        delete_ms: milliseconds of replacing them by none.
        grown_mb: what tables and indexes grew by, before any vacuum.
        vacuum_s: seconds of a vacuum of all tables then.
        grown_again_mb: what as many runs after the vacuum added.
        grown_by_relation_mb: the same of each table and index, without and with what the vacuum gave back: before it, and after it.
    """

    runs: int
    replace_ms: float
    delete_ms: float
    grown_mb: float
    vacuum_s: float
    grown_again_mb: float
    grown_by_relation_mb: dict[str, tuple[float, float]]


@dataclass(frozen=True, slots=True)
class AtSize:
    """All figures at one size.

    Attributes:
        releases: releases in the catalog.
        records: records.
        bytes_per_release: bytes of all tables and indexes that grow with releases, by release.
        bytes_by_relation: the same of each of them.
        fill_s: seconds it took to copy the rows and make the indexes.
        search: by kind of query.
        search_p95_ms: over all queries, the kinds in equal shares.
        search_worst_p95_ms: the 95th percentile of the slowest kind.
        commits: ranges that are new.
        probes_per_s: probes taken and finished a second, by takers at once.
        reruns: one range again and again.
    """

    releases: int
    records: int
    bytes_per_release: float
    bytes_by_relation: dict[str, float]
    fill_s: float
    search: dict[str, Latency]
    search_p95_ms: float
    search_worst_p95_ms: float
    commits: Commits
    probes_per_s: dict[int, float]
    reruns: Reruns


@dataclass(frozen=True, slots=True)
class Extrapolated:
    """What the growth from a tenth to the whole says of the full retention; latencies hold where the indexes still fit into memory."""

    releases: int
    gigabytes: float
    search_p95_ms: float
    search_p95_ms_by_kind: dict[str, float]


@dataclass(frozen=True, slots=True)
class CatalogFigures:
    """The figures that have goals, at the whole size; then all of them at a tenth and at the whole, and what follows from both."""

    bytes_per_release: float
    search_p95_ms: float
    tenth: AtSize
    whole: AtSize
    extrapolated: Extrapolated


def run(folder: Path, releases: int, say: Say) -> CatalogFigures:
    """Fill and measure a catalog of a tenth of `releases`, then one of all of them, each on a server of its own in `folder`."""
    tenth = _measured(folder / "tenth", releases // 10, say)
    whole = _measured(folder / "whole", releases, say)
    return CatalogFigures(
        whole.bytes_per_release, whole.search_p95_ms, tenth, whole, _extrapolated(tenth, whole)
    )  # fmt: skip


def _measured(folder: Path, releases: int, say: Say) -> AtSize:
    with _served(folder) as catalog:
        started = time.monotonic()
        synthetic.fill(catalog, releases, lambda done: say(f"{releases:,} releases: {done:,} copied"))
        filled = time.monotonic() - started
        sizes = _sizes(catalog)
        records = _count(catalog, "records")
        say(f"{releases:,} releases: committing {COMMITS} ranges")
        commits = _commits(catalog, releases)
        # After commits, which may leave work to a search.
        say(f"{releases:,} releases: searching")
        timings = _searched(catalog, releases)
        every = np.concatenate([milliseconds for milliseconds, _ in timings.values()])
        latencies = {
            kind: Latency(_percentile(ms, 50), _percentile(ms, 95), int(np.median(hits)))
            for kind, (ms, hits) in timings.items()
        }
        say(f"{releases:,} releases: taking probes")
        taken = {takers: _taken(catalog, takers) for takers in TAKERS}
        say(f"{releases:,} releases: committing one range {2 * RERUNS} times")
        reruns = _reruns(catalog, releases)
    return AtSize(
        releases=releases,
        records=records,
        bytes_per_release=round(sum(sizes.values()) / releases, 1),
        bytes_by_relation={name: round(size / releases, 1) for name, size in sizes.items()},
        fill_s=round(filled, 1),
        search=latencies,
        search_p95_ms=_percentile(every, 95),
        search_worst_p95_ms=max(latency.p95_ms for latency in latencies.values()),
        commits=commits,
        probes_per_s=taken,
        reruns=reruns,
    )


@contextmanager
def _served(folder: Path) -> Iterator[Catalog]:
    with Catalog.open(Settings(data=folder)) as catalog:
        try:
            yield catalog
        finally:
            if catalog.postgres is not None:
                catalog.postgres.stop()


def _sizes(catalog: Catalog) -> dict[str, int]:
    with catalog.transaction() as connection:
        found = connection.execute(query("relation_sizes"), {"tables": list(GROWING)})
        return {name if name == table else f"{table}: {name}": size for table, name, size in found}


def _count(catalog: Catalog, table: str) -> int:
    with catalog.transaction() as connection:
        ((rows,),) = connection.execute(f"SELECT count(*) FROM {table}".encode())
        return int(rows)


def _percentile(values: np.typing.NDArray[np.float64], share: int) -> float:
    return round(float(np.percentile(values, share)), 2)


def _searched(catalog: Catalog, releases: int) -> dict[str, tuple[np.typing.NDArray[np.float64], list[int]]]:
    """Milliseconds and totals of the queries of each kind; the kinds take turns, so that what disturbs the machine hits all alike."""
    kinds = queries(releases)
    timings: dict[str, list[float]] = {kind: [] for kind in kinds}
    totals: dict[str, list[int]] = {kind: [] for kind in kinds}
    for nth in range(_A_KIND):
        for kind, searches in kinds.items():
            started = time.perf_counter()
            page = search(catalog, searches[nth])
            if nth >= _WARM_UP:
                timings[kind].append(1000 * (time.perf_counter() - started))
                totals[kind].append(page.total)
    return {kind: (np.array(timings[kind]), totals[kind]) for kind in kinds}


def queries(releases: int) -> dict[str, list[Search]]:
    """Queries by kind; words are drawn from names made like those in the catalog, so that common ones are asked for often."""
    random = np.random.default_rng(7)
    names, readable = synthetic.names_of(random, 20 * _A_KIND)
    known = [name for name, is_readable in zip(names, readable.tolist(), strict=True) if is_readable]
    drawn = [name for name, is_readable in zip(names, readable.tolist(), strict=True) if not is_readable]
    episodes = [name.split(".") for name in known if ".S0" in name or ".S1" in name]
    picked = [name.replace("-", ".").split(".") for name in known]
    held = synthetic.held_names(releases, _A_KIND)
    common = ("1080p", "x264", "720p", "flac", "dvd", "h264", "debian", "2160p", "pdfilm", "mirror")
    parents = (2000, 3000, 4000, 5000, 7000, 8000)
    now = datetime.now(UTC) - synthetic.FIRST_DAY - timedelta(days=synthetic.DAYS)
    kinds: dict[str, Callable[[int], Search]] = {
        "one word": lambda n: Search(picked[n][0]),
        "two words": lambda n: Search(" ".join(picked[n][:2])),
        "whole name": lambda n: Search(held[n]),
        "rare word": lambda n: Search(drawn[n] if n % 2 else held[-1 - n]),
        "common word": lambda n: Search(common[n % len(common)]),
        "common words": lambda n: Search(f"{common[n % 4]} {common[(n + 1 + n // 10) % len(common)]}"),
        "no hit": lambda n: Search(f"{picked[n][0]} {'x' * (4 + n % 5)}{n}q"),
        "word, prefix": lambda n: Search(f"{picked[n][0]} {picked[n + 50][0][:4]}*"),
        "word but not": lambda n: Search(f"{picked[n][0]} -{common[n % len(common)]}"),
        "words, category": lambda n: Search(" ".join(picked[n][:2]), (parents[n % len(parents)],)),
        "common word, category": lambda n: Search(common[n % len(common)], (parents[n % len(parents)],)),
        "newest": lambda n: Search(offset=100 * (n % 5)),
        "category, newest": lambda n: Search(categories=(parents[n % len(parents)] + 10 * (n % 5),)),
        "tvsearch": lambda n: Search(f"{' '.join(episodes[n][:2])} {_asked(episodes[n][2])}", (5000,)),
        "tvsearch, season": lambda n: Search(f"{episodes[n][0]} {episodes[n][2][:3]}*|{n % 9 + 1}x*", (5000,)),
        "days": lambda n: Search(max_age=now + _MARGIN * (1 + n)),
        "word, days": lambda n: Search(picked[n][0], max_age=now + 10 * _MARGIN * (1 + n)),
        "word, group": lambda n: Search(picked[n][0], groups=(f"alt.binaries.g{1 + n % 20}",)),
        "word, size": lambda n: Search(picked[n][0], min_bytes=2_000_000_000, max_bytes=9_000_000_000),
    }  # fmt: skip
    return {kind: [made(n) for n in range(_A_KIND)] for kind, made in kinds.items()}


def _asked(episode: str) -> str:
    """`S01E02` as the server asks for it."""
    return f"{episode}|{int(episode[1:3])}x{episode[4:6]}"


def _taken(catalog: Catalog, takers: int) -> float:
    """Probes a second that so many takers lease at once."""

    def take(worker: str) -> int:
        turns = _PROBES // _AT_ONCE // takers
        return sum(len(take_probes(catalog, _AT_ONCE, worker, timedelta(hours=1))) for _ in range(turns))

    started = time.monotonic()
    with ThreadPoolExecutor(takers) as pool:
        taken = sum(pool.map(take, [f"worker {takers}.{number}" for number in range(takers)]))
    return round(taken / (time.monotonic() - started))


def _commits(catalog: Catalog, releases: int) -> Commits:
    """New ranges all over the retention."""
    ranges = [_Range.new(catalog) for _ in range(COMMITS)]
    batches = [
        synthetic.batch(nth * releases // COMMITS, releases, synthetic.RECORDS_A_FILE, nth + 1) for nth in range(COMMITS)
    ]  # fmt: skip
    before, postmaster = sum(_sizes(catalog).values()), catalog.postgres.pid if catalog.postgres else None
    known = _count(catalog, "releases")
    cpu, started, timings = tree_cpu_s(postmaster), time.monotonic(), []
    for range_, batch in zip(ranges, batches, strict=True):
        timings.append(range_.commit_ms(batch))
    wall, cpu = time.monotonic() - started, tree_cpu_s(postmaster) - cpu
    new = _count(catalog, "releases") - known
    return Commits(
        ranges=COMMITS,
        records=synthetic.RECORDS_A_FILE,
        records_per_s=round(COMMITS * synthetic.RECORDS_A_FILE / wall),
        p50_ms=_percentile(np.array(timings), 50),
        p95_ms=_percentile(np.array(timings), 95),
        postgres_share=round(cpu / wall, 3),
        bytes_per_release=round((sum(_sizes(catalog).values()) - before) / new, 1),
    )


def _reruns(catalog: Catalog, releases: int) -> Reruns:
    """One range with two batches in turn, so that each run replaces all records by others and half the releases go and come."""
    range_ = _Range.new(catalog)
    batches = [synthetic.batch(releases // 3, releases, synthetic.RECORDS_A_FILE, COMMITS + 1 + nth) for nth in (0, 1)]
    range_.commit_ms(batches[1])
    synthetic.vacuum(catalog)
    before = _sizes(catalog)
    timings = [range_.commit_ms(batches[nth % 2]) for nth in range(RERUNS)]
    grown = _sizes(catalog)
    started = time.monotonic()
    synthetic.vacuum(catalog)
    vacuum_s = time.monotonic() - started
    vacuumed = _sizes(catalog)
    for nth in range(RERUNS):
        range_.commit_ms(batches[nth % 2])
    again = _sizes(catalog)
    return Reruns(
        runs=RERUNS,
        replace_ms=_percentile(np.array(timings), 50),
        delete_ms=round(range_.commit_ms(synthetic.nothing()), 1),
        grown_mb=_megabytes(sum(grown.values()) - sum(before.values())),
        vacuum_s=round(vacuum_s, 1),
        grown_again_mb=_megabytes(sum(again.values()) - sum(vacuumed.values())),
        grown_by_relation_mb={
            name: (_megabytes(grown[name] - before[name]), _megabytes(again[name] - vacuumed[name]))
            for name in before
            if grown[name] != before[name]
        },
    )


@dataclass(slots=True)
class _Range:
    """A range of its own that is committed again and again; its chunk file is left out, so that what is measured is the catalog."""

    catalog: Catalog
    owner: Owner
    generation: int = 0

    @classmethod
    def new(cls, catalog: Catalog) -> Self:
        with catalog.transaction() as connection:
            ((owner,),) = connection.execute("SELECT nextval('owners')")
        return cls(catalog, Owner(int(owner), 1, 1))

    def commit_ms(self, batch: Batch) -> float:
        """Milliseconds of what store/catalog/commit.py does with a batch, beside its chunk file and its state."""
        self.generation += 1
        header = ChunkHeader("main", f"alt.binaries.bench{self.owner.id}", 0, "range", self.generation, "bench")
        places = tuple(Place(10_000 * nth, 9_000, nth) for nth in range(batch.records.height))
        chunk = WrittenChunk(header.path if places else None, 10_000 * len(places), places)
        started = time.perf_counter()
        rows = rows_of(self.catalog, batch, places, synthetic.FIRST_DAY)
        with self.catalog.transaction() as connection:
            touched = releases_of.published(connection, [self.owner.id]) + rows.touched
            releases_of.lock(connection, touched)
            replace_rows(connection, self.owner, header, chunk, rows, batch)
            releases_of.recompute(connection, touched)
        return 1000 * (time.perf_counter() - started)


def _megabytes(size: int) -> float:
    return round(size / 1e6, 1)


def _extrapolated(tenth: AtSize, whole: AtSize) -> Extrapolated:
    """Each figure as a power of the number of releases, through both sizes; none shrinks."""
    steps = log10(RETENTION / whole.releases)

    def grown(small: float, large: float) -> float:
        return large * max(1.0, large / small) ** steps

    by_kind = {kind: round(grown(tenth.search[kind].p95_ms, own.p95_ms), 1) for kind, own in whole.search.items()}
    size = grown(tenth.bytes_per_release, whole.bytes_per_release) * RETENTION
    return Extrapolated(
        RETENTION, round(size / 1e9, 1), round(grown(tenth.search_p95_ms, whole.search_p95_ms), 1), by_kind
    )
