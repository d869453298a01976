"""Publish a range's batch: the chunk file first, then one transaction. Old state or new state, never a mix.

A materialization first takes a generation number, then writes the chunk file under its unpublished name, then, in one transaction under
the range's lock and with the number checked, replaces everything the range had. A crash before the commit leaves an orphan file and
the old state; after it, the new state.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from psycopg import Connection

from catalog_sql import query
from pipeline.batch import Batch
from pipeline.ranges import Range
from store.catalog import releases
from store.catalog.connection import Catalog, Row
from store.catalog.planning import UnknownRange, Versions
from store.catalog.publication import Owner, WrittenChunk, copy_rows, hold_chunk, replace_rows, rows_of, write_chunk
from store.chunks import ChunkHeader
from store.disk import Disk


class Superseded(RuntimeError):
    """A later materialization of the same range has begun; this one is not published, and did not fail the range."""


@dataclass(frozen=True, slots=True)
class Committed:
    """What a commit published. `path` is null when the batch had no records."""

    generation: int
    path: str | None
    bytes: int
    records: int
    fragments: int
    probes: int
    base_keys: int


@dataclass(frozen=True, slots=True)
class _Claim:
    """A generation number of a range, taken by one materialization."""

    owner: Owner
    generation: int
    era: int
    source: str


def commit_range(catalog: Catalog, disk: Disk, range_: Range, batch: Batch, versions: Versions) -> Committed:
    """Replace what the range had with `batch`.

    Raises:
        Superseded: a later materialization of the range has begun.
        UnknownRange: the range is not planned.
        DiskError: the chunk file could not be written, or was collected before it was published; nothing changed.
        CatalogUnavailable: Postgres went away; a re-run completes the work.
    """
    claim, header, chunk = _write(catalog, disk, range_, batch, versions)
    rows = rows_of(catalog, batch, chunk.places, first_day(claim.era))
    try:
        with catalog.transaction() as connection:
            _fence(connection, claim, range_)
            hold_chunk(connection, disk, chunk)
            touched = releases.published(connection, [claim.owner.id]) + rows.touched
            releases.lock(connection, touched)
            replace_rows(connection, claim.owner, header, chunk, rows, batch)
            old_owners = [
                owner for (owner,) in connection.execute(query("withdraw_fragments"), {"range": claim.owner.id})
            ]
            copy_rows(connection, "copy_fragments", claim.owner.id, rows.fragments)
            releases.recompute(connection, touched)
            _publish(connection, claim, versions, batch.window)
            _mark_edges(
                connection,
                claim.owner,
                [range_.index - 1, range_.index, *(edge for edge in old_owners if edge is not None)],
            )
    except Superseded:
        if chunk.path is not None:
            disk.delete(chunk.path)
        raise
    return Committed(
        generation=claim.generation,
        path=chunk.path,
        bytes=chunk.bytes,
        records=len(rows.records),
        fragments=len(rows.fragments),
        probes=len(rows.probes),
        base_keys=len(set(touched.base_keys)),
    )


def first_day(era: int) -> datetime:
    """The start of a posting month YYYYMM: the date of what has none."""
    return datetime(max(era // 100, 1970), min(max(era % 100, 1), 12), 1, tzinfo=UTC)


def _write(
    catalog: Catalog, disk: Disk, range_: Range, batch: Batch, versions: Versions
) -> tuple[_Claim, ChunkHeader, WrittenChunk]:
    """Take a generation and write its chunk file. A catalog that was restored gives out numbers anew: names that are taken are passed over."""
    while True:
        claim = _claim(catalog, range_)
        header = ChunkHeader(claim.source, range_.group, range_.index, "range", claim.generation, versions.software)
        with suppress(FileExistsError):
            return claim, header, write_chunk(disk, batch, header)


def _claim(catalog: Catalog, range_: Range) -> _Claim:
    place = {"source": range_.source, "group": range_.group, "index": range_.index}
    with catalog.transaction() as connection:
        row = connection.execute(query("claim_generation"), place).fetchone()
    if row is None:
        raise UnknownRange(f"range {range_.index} of {range_.group} is not planned; run: overlake plan")
    range_id, generation, group, era, source = row
    return _Claim(Owner(range_id, range_.source, group), generation, era, source)


def _fence(connection: Connection[Row], claim: _Claim, range_: Range) -> None:
    """Take the locks, and see that no later materialization has begun."""
    connection.execute(query("lock_range"), {"group": claim.owner.group, "range": claim.owner.id})
    ((latest,),) = connection.execute("SELECT claimed FROM ranges WHERE range_id = %s", [claim.owner.id])
    if latest != claim.generation:
        raise Superseded(
            f"range {range_.index} of {range_.group} is being materialized again (generation {latest}); this run is not needed"
        )


def _publish(connection: Connection[Row], claim: _Claim, versions: Versions, window: int) -> None:
    facts = {"range": claim.owner.id, "generation": claim.generation, "window": window, **asdict(versions)}
    connection.execute(query("publish_range"), facts)


def _mark_edges(connection: Connection[Row], owner: Owner, indexes: list[int]) -> None:
    connection.execute(query("mark_edges"), {"source": owner.source, "group": owner.group, "indexes": indexes})
