"""From compressed wire bytes to committed catalog, beside the floor: inflate, split into columns, write the same Parquet."""

from __future__ import annotations

import io
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
from isal import isal_zlib

from assets.provider import account_of
from assets.range_work import SOFTWARE, derive_chunks, fetch_overview, join_edges
from benchmarks import synthetic_catalog
from benchmarks.machine import Stages, peak_rss_mb, tree_cpu_s
from benchmarks.provider import simulated
from pipeline.nntp.fetch import fetch_range
from pipeline.nntp.probe import list_groups, plan_group
from pipeline.ranges import Range
from pipeline.schema import OVERVIEW
from pipeline.signatures import DEFAULT_TABLE
from store.catalog.planning import plan, source_number
from store.catalog.versions import record_group_list, record_signatures
from store.configuration import Provider, Settings
from store.lake import OverviewMeta
from store.stores import Stores, open_stores

GROUPS = 3
"""Several, so that there are crossposts."""


@dataclass(frozen=True, slots=True)
class Ingest:
    """One run.

    Attributes:
        lines: overview lines fetched.
        ranges: ranges they came in.
        start_cpu_s: CPU seconds of one more range before, uncounted elsewhere: with compiling or loading what is compiled.
        cpu_s: CPU seconds of this process and of Postgres, the simulator not counted.
        postgres_cpu_s: Postgres' part of it.
        wall_s: seconds by the clock.
        lines_per_s: lines by wall seconds.
        floor_cpu_s: CPU seconds of inflating (isal), splitting into columns and writing the same Parquet over the same lines.
        ratio: cpu_s by floor_cpu_s.
        us_per_line: microseconds of CPU a line, Postgres included, range by range.
        peak_rss_mb: peak memory of this process.
        wire_bytes_per_line: compressed bytes on the wire.
        parquet_bytes_per_line: bytes of the overview files.
        chunk_bytes_per_segment: bytes of the chunk files by kept segments.
        kept_share: kept segments and those in fragments, by lines.
        stages: CPU seconds by stage.
    """

    lines: int
    ranges: int
    start_cpu_s: float
    cpu_s: float
    postgres_cpu_s: float
    wall_s: float
    lines_per_s: float
    floor_cpu_s: float
    ratio: float
    us_per_line: list[float]
    peak_rss_mb: float
    wire_bytes_per_line: float
    parquet_bytes_per_line: float
    chunk_bytes_per_segment: float
    kept_share: float
    stages: dict[str, float]


@dataclass(frozen=True, slots=True)
class Simulated:
    """What the provider sends: a mix of posts, in a wire form, posted in these years."""

    mix: str
    wire: str
    eras: tuple[int, ...]

    def arguments(self, numbers: int) -> tuple[str, ...]:
        """Of the simulator, for one group of so many article numbers."""
        eras = [word for era in self.eras for word in ("--eras", str(era))]
        group = ("--groups", "alt.binaries.bench", "--sizes", str(numbers))
        return ("--listen", f"0:{self.wire}", "--mix", self.mix, *group, *eras)


def run(
    folder: Path, lines: int, range_size: int, provider: Simulated, releases: int = 0, profile: Path | None = None
) -> Ingest:
    """Ingest about `lines` lines in whole ranges of `range_size` into stores in `folder`, whose catalog holds `releases` made-up ones.

    With `profile`, where the time of the main thread went is written there as HTML; looking costs some CPU of its own.
    """
    count = max(3, lines // range_size)
    with simulated(folder / "provider", *provider.arguments((count + 2) * range_size)) as port:
        settings = Settings(
            data=folder / "data",
            range_size=range_size,
            provider=Provider(host="127.0.0.1", port=port, tls=False, connections=8, connections_per_range=4),
        )
        with open_stores(settings) as stores:
            if releases:
                synthetic_catalog.fill(stores.catalog, releases, lambda _: None)
            first, *ranges = planned(stores)[: count + 1]
            # Compiled loops are compiled once an installation and loaded once a process, which takes many ranges: not a line's cost.
            before = time.process_time()
            ingest_range(stores, first)
            start_cpu = time.process_time() - before
            return _measured(stores, ranges, profile, start_cpu)


def ingest_range(stores: Stores, range_: Range) -> int:
    """All steps of one range; its lines."""
    fetched = fetch_overview(stores, range_)
    derive_chunks(stores, range_)
    join_edges(stores, range_)
    return fetched.facts.lines


def planned(stores: Stores) -> list[Range]:
    """Record the provider's groups, plan them, and return their ranges, the groups in turn."""
    settings, account = stores.settings, account_of(stores.settings.provider)
    source = source_number(stores.catalog, settings.provider.source)
    groups = [item.name for item in list_groups(account)]
    record_group_list(stores.catalog, groups)
    record_signatures(stores.catalog, DEFAULT_TABLE.signatures)
    found = [
        item
        for group in groups
        for item in plan_group(account, source, group, size=settings.range_size, now=datetime.now(UTC))
    ]
    plan(stores.catalog, found)
    return sorted(
        (item.range for item in found if item.first_posted is not None), key=lambda range_: (range_.index, range_.group)
    )


@contextmanager
def _watched(profile: Path | None) -> Iterator[None]:
    """Write a profile of what happens inside, if any is wanted."""
    if profile is None:
        yield
        return
    # Here, since it comes with the tools of development alone.
    from pyinstrument import Profiler

    with Profiler(interval=0.005) as profiler:
        yield
    profile.write_text(profiler.output_html(), encoding="utf-8")


def _measured(stores: Stores, ranges: list[Range], profile: Path | None, start_cpu: float) -> Ingest:
    # Once untimed, so that the provider has made and cached its blocks.
    for range_ in ranges:
        for _ in _wire_blocks(stores, range_):
            pass
    postmaster = stores.catalog.postgres.pid if stores.catalog.postgres else None
    postgres_before = tree_cpu_s(postmaster)
    stages = Stages()
    lines = wire = parquet = chunks = kept = in_fragments = 0
    us_per_line: list[float] = []
    with _watched(profile):
        for range_ in ranges:
            before = time.process_time() + tree_cpu_s(postmaster)
            with stages.stage("overview"):
                fetched = fetch_overview(stores, range_)
            with stages.stage("release_chunks"):
                derived = derive_chunks(stores, range_)
            with stages.stage("edge_chunks"):
                join_edges(stores, range_)
            lines += fetched.facts.lines
            wire += fetched.facts.wire_bytes
            parquet += fetched.parquet_bytes
            chunks += derived.committed.bytes
            kept += derived.batch.counters.kept
            in_fragments += derived.batch.counters.in_fragments
            cpu = time.process_time() + tree_cpu_s(postmaster) - before
            us_per_line.append(round(1e6 * cpu / fetched.facts.lines, 2))
    postgres = tree_cpu_s(postmaster) - postgres_before
    peak = peak_rss_mb()
    floor = Stages()
    for range_ in ranges:
        _floor(stores, range_, floor)
    cpu, wall, floor_cpu = sum(stages.cpu.values()) + postgres, sum(stages.wall.values()), sum(floor.cpu.values())
    return Ingest(
        lines=lines,
        ranges=len(ranges),
        start_cpu_s=round(start_cpu, 3),
        cpu_s=round(cpu, 3),
        postgres_cpu_s=round(postgres, 3),
        wall_s=round(wall, 3),
        lines_per_s=round(lines / wall),
        floor_cpu_s=round(floor_cpu, 3),
        ratio=round(cpu / floor_cpu, 3),
        us_per_line=us_per_line,
        peak_rss_mb=round(peak, 1),
        wire_bytes_per_line=round(wire / lines, 2),
        parquet_bytes_per_line=round(parquet / lines, 2),
        chunk_bytes_per_segment=round(chunks / max(1, kept), 2),
        kept_share=round((kept + in_fragments) / lines, 4),
        stages={name: round(seconds, 3) for name, seconds in stages.cpu.items()}
        | {f"floor_{name}": round(seconds, 3) for name, seconds in floor.cpu.items()},
    )


def _wire_blocks(stores: Stores, range_: Range) -> Iterator[bytes]:
    """The lines of a range as zlib streams, one a block, as a provider sends them (fastest level)."""
    with fetch_range(account_of(stores.settings.provider), range_) as blocks:
        for block in blocks:
            yield zlib.compress(block.text, 1)


def _floor(stores: Stores, range_: Range, floor: Stages) -> None:
    meta = OverviewMeta(
        "floor",
        range_.group,
        range_.first,
        range_.last,
        datetime.now(UTC),
        group_reply="",
        wire_form="floor",
        wire_bytes=0,
        software=SOFTWARE,
    )
    with stores.lake.writer("floor", range_) as writer:
        # The whole range first: the fetching threads must not work while the floor is timed.
        for block in list(_wire_blocks(stores, range_)):
            with floor.stage("inflate"):
                text = isal_zlib.decompress(block)
            with floor.stage("split"):
                frame = _split(text)
            with floor.stage("parquet"):
                writer.append(frame)
        with floor.stage("parquet"):
            writer.commit(meta)


def _split(text: bytes) -> pl.DataFrame:
    """The least that makes columns of lines: one CSV read, numbers as numbers, no check of anything."""
    names = ["number", "subject", "poster", "date", "message_id", "references", "bytes", "lines", "xref"]
    frame = pl.read_csv(
        io.BytesIO(text),
        separator="\t",
        has_header=False,
        quote_char=None,
        encoding="utf8-lossy",
        truncate_ragged_lines=True,
        ignore_errors=True,
        # The first line of a block may be damaged.
        missing_columns="insert",
        schema={name: pl.Int64 if name in ("number", "bytes") else pl.String for name in names},
    )
    dates = pl.lit(None, dtype=OVERVIEW.polars["posted_at"]).alias("posted_at")
    return (
        frame.with_columns(dates)
        .select(OVERVIEW.names)
        .drop_nulls("number")
        .unique("number", keep="first", maintain_order=True)
        .sort("number")
    )
