"""The three steps of one range, each the sentence that describes it. No Dagster in here: benchmarks run the same steps."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import islice
from typing import Any

import polars as pl

from assets.provider import leased_account
from pipeline.batch import Batch
from pipeline.materialize import materialize
from pipeline.nntp.connection import OverviewBlock
from pipeline.nntp.fetch import Progress, fetch_range
from pipeline.overview import parse
from pipeline.ranges import Range
from store.catalog.commit import Committed, commit_range
from store.catalog.edges import EdgeWritten, merge_edges
from store.catalog.planning import OverviewFacts, Versions, group_seen, record_overview
from store.catalog.versions import current_group_list, current_signatures
from store.lake import OverviewMeta
from store.stores import Stores

SOFTWARE = version("overlake")
"""Recorded with everything that is materialized."""

BLOCKS_AT_ONCE = 5
"""Blocks that are parsed together: at 10,000 numbers each, 50,000 lines, some 15 MB."""


class OverviewMissing(LookupError):
    """The overview file of a range was never fetched, or was deleted."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """What fetching the overview of a range brought: facts, size of the Parquet file in bytes, seconds by the clock."""

    facts: OverviewFacts
    parquet_bytes: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Derived:
    """What the overview of a range became, and the seconds it took."""

    batch: Batch
    committed: Committed
    seconds: float


def fetch_overview(stores: Stores, range_: Range, progress: Callable[[Progress], None] | None = None) -> Fetched:
    """Fetch the overview of `range_` into its Parquet file and record what came.

    Raises:
        NntpError: the provider refuses, or keeps failing.
        LeaseLost: the connections were given to another worker.
        DiskFull: the lake's disk is full.
    """
    began, now = time.monotonic(), datetime.now(UTC)
    source = stores.settings.provider.source
    with (
        leased_account(stores.catalog, stores.settings.provider) as (account, lease),
        fetch_range(account, range_, progress=progress) as blocks,
        stores.lake.writer(source, range_) as writer,
    ):
        group_seen(stores.catalog, range_.source, range_.group, blocks.reply.low, blocks.reply.high)
        dates: list[datetime] = []
        for first, last, text in _joined(blocks):
            lease.check()
            parsed = parse(text, first, last, now)
            dates += [date for date in _span(parsed.table) if date is not None]
            writer.append_table(parsed.table)
            writer.reject(parsed.rejected)
        written = writer.commit(
            OverviewMeta(
                source=source,
                group=range_.group,
                first=range_.first,
                last=range_.last,
                fetched_at=now,
                group_reply=blocks.reply.text,
                wire_form=blocks.form,
                wire_bytes=blocks.wire_bytes,
                software=SOFTWARE,
            )
        )
    facts = OverviewFacts(
        lines=written.lines,
        malformed=written.malformed,
        duplicate=written.duplicate,
        wire_bytes=blocks.wire_bytes,
        wire_form=blocks.form,
        fetched_at=now,
        first_posted=min(dates, default=None),
        last_posted=max(dates, default=None),
    )
    record_overview(stores.catalog, range_, facts)
    return Fetched(facts, written.bytes, time.monotonic() - began)


def _joined(blocks: Iterator[OverviewBlock]) -> Iterator[tuple[int, int, bytes]]:
    """Neighbouring blocks as one text, with its first and last number: parsing has a cost per call as well as per line."""
    while part := list(islice(blocks, BLOCKS_AT_ONCE)):
        yield part[0].first, part[-1].last, b"".join(block.text for block in part)


def _span(table: Any) -> tuple[datetime | None, datetime | None]:
    """Earliest and latest believable date of the rows of a `pyarrow.Table`."""
    dates = pl.Series(table["posted_at"])
    return dates.to_frame().select(earliest=pl.all().min(), latest=pl.all().max()).row(0)


def derive_chunks(stores: Stores, range_: Range) -> Derived:
    """Derive the records of `range_` from its overview file, without the provider, and commit them in place of the old ones.

    Raises:
        OverviewMissing: the overview of the range was never fetched.
        Superseded: a later materialization of the range has begun.
    """
    began = time.monotonic()
    try:
        overview, meta = stores.lake.read(stores.settings.provider.source, range_)
    except FileNotFoundError as error:
        raise OverviewMissing(
            f"the overview of {range_.group} range {range_.index} is not in the lake; materialize the asset overview first"
        ) from error
    group_list, signatures = current_group_list(stores.catalog), current_signatures(stores.catalog)
    batch = materialize(
        overview, range_, group_list, signatures, lines=meta.lines, malformed=meta.malformed, duplicate=meta.duplicate
    )
    versions = Versions(group_list.version, signatures.version, SOFTWARE)
    committed = commit_range(stores.catalog, stores.disk, range_, batch, versions)
    return Derived(batch, committed, time.monotonic() - began)


def join_edges(stores: Stores, range_: Range) -> list[EdgeWritten]:
    """Merge the fragments at the edges of `range_` with those of its finished neighbours."""
    return merge_edges(stores.catalog, stores.disk, range_)
