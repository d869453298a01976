"""Fragments of finished neighbours, merged into chunk files that belong to the edge between them.

Edge `i` lies between the ranges `i` and `i + 1` of a group.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version

import polars as pl
from psycopg import Connection

from catalog_sql import query
from pipeline.batch import Batch, Counters
from pipeline.fragments import decide
from pipeline.materialize import merge_edge
from pipeline.ranges import Range
from store.catalog import releases
from store.catalog.commit import first_day
from store.catalog.connection import Catalog, Row
from store.catalog.publication import Owner, Rows, WrittenChunk, hold_chunk, replace_rows, rows_of, write_chunk
from store.catalog.versions import current_signatures
from store.chunks import ChunkHeader, decode_fragments
from store.disk import Disk

_SOFTWARE = "overlake"
_FRAGMENTS = pl.Schema(
    {
        "range_id": pl.Int64,
        "ordinal": pl.Int64,
        "range_index": pl.Int64,
        "file_key": pl.Binary,
        "owner": pl.Int64,
        "segments_found": pl.Int32,
        "segments_expected": pl.Int32,
        "at_low": pl.Boolean,
        "at_high": pl.Boolean,
    }
)


@dataclass(frozen=True, slots=True)
class EdgeWritten:
    """One edge that was decided: the index of its lower range, and what it holds now."""

    index: int
    generation: int
    path: str | None
    records: int
    counters: Counters


@dataclass(frozen=True, slots=True)
class _Content:
    """What one edge is to hold: its chunk file is written, its rows are ready."""

    owner: Owner
    header: ChunkHeader
    chunk: WrittenChunk
    rows: Rows
    batch: Batch
    signature_table: int
    waits: bool

    @property
    def generation(self) -> int:
        """As the edge's row tells it: one that waits for a side has none, as if it had never been decided."""
        return 0 if self.waits else self.header.generation


@dataclass(frozen=True, slots=True)
class _Group:
    """A group whose edges are being merged: which ranges are closed, with their eras, and the numbers the group has."""

    id: int
    source: int
    source_name: str
    name: str
    size: int
    low: int | None
    high: int | None
    eras: dict[int, int | None]

    def is_closed(self, index: int) -> bool:
        """Committed, known empty, or outside the group's article numbers."""
        if index in self.eras:
            return True
        if self.low is None or self.high is None:
            return index < 0
        return (index + 1) * self.size <= self.low or index * self.size > self.high

    def has_closed_sides(self, edge: int) -> bool:
        """Whether no article can come any more on either side of the edge."""
        return self.is_closed(edge) and self.is_closed(edge + 1)

    def undated(self, index: int) -> datetime:
        """The date of edge `index` for records that have none."""
        return first_day(self.eras.get(index) or self.eras.get(index + 1) or 0)


def merge_edges(catalog: Catalog, disk: Disk, range_: Range) -> list[EdgeWritten]:
    """Decide the dirty edges of the range's group whose both sides are closed, and publish what they hold.

    A side is closed when its range is committed, known empty, or outside the group's article numbers. Idempotent, and the same
    in any order of ranges. Holds a lock per (source, group), so two calls of one group run one after the other, and commits of
    that group's ranges wait.

    Raises:
        DiskError: a chunk file could not be written, or was collected before it was published; nothing changed.
        CatalogUnavailable: Postgres went away; a re-run completes the work.
    """
    with catalog.transaction() as connection:
        group = _lock_group(connection, range_)
        if group is None:
            return []
        dirty = _dirty(connection, group)
        decided = [index for index in dirty if group.has_closed_sides(index)]
        # A side that was closed when the edge was decided may be open again: what was withdrawn there must not stay.
        reopened = [index for index, has_content in dirty.items() if has_content and index not in decided]
        if not decided and not reopened:
            return []
        fragments, affected = _affected(connection, group, decided, reopened)
        contents = _contents(catalog, connection, disk, group, fragments, affected)
        _publish(connection, contents)
        _own(connection, fragments)
    return [
        EdgeWritten(
            content.header.range_index,
            content.header.generation,
            content.chunk.path,
            len(content.rows.records),
            content.batch.counters,
        )
        for content in contents
    ]


def _lock_group(connection: Connection[Row], range_: Range) -> _Group | None:
    wanted = {"source": range_.source, "group": range_.group}
    row = connection.execute(query("group_of_edges"), wanted).fetchone()
    if row is None:
        return None
    group_id, low, high, source_name = row
    connection.execute(query("lock_group"), {"group": group_id})
    closed = connection.execute(query("closed_ranges"), {"source": range_.source, "group": group_id})
    return _Group(group_id, range_.source, source_name, range_.group, range_.size, low, high, dict(closed.fetchall()))


def _dirty(connection: Connection[Row], group: _Group) -> dict[int, bool]:
    """The edges to look at, and whether each was decided before."""
    return dict(connection.execute(query("dirty_edges"), {"source": group.source, "group": group.id}).fetchall())


def _affected(
    connection: Connection[Row], group: _Group, decided: list[int], reopened: list[int]
) -> tuple[pl.DataFrame, list[int]]:
    """The fragments to look at, with their chains, and the edges whose content they make up.

    An edge is affected when it is decided now, open again, held one of these fragments, or is to hold one; all that an affected edge holds is
    looked at, so the two grow until neither brings more.
    """
    affected = {*decided, *reopened}
    while True:
        fragments = _fragments(connection, group, decided, sorted(affected))
        owners = fragments.filter(pl.col("decided"))["low_index"].to_list() + fragments["owner"].drop_nulls().to_list()
        if affected.issuperset(owners):
            return fragments, sorted(affected)
        affected.update(owners)


def _fragments(connection: Connection[Row], group: _Group, decided: list[int], affected: list[int]) -> pl.DataFrame:
    wanted = {"source": group.source, "group": group.id, "decided": decided, "affected": affected}
    rows = [(*row[:3], row[3].bytes, *row[4:]) for row in connection.execute(query("edge_fragments"), wanted)]
    fragments = pl.DataFrame(rows, schema=_FRAGMENTS, orient="row")
    return fragments.hstack(decide(fragments, group.is_closed).select("low_index", "decided"))


def _contents(
    catalog: Catalog,
    connection: Connection[Row],
    disk: Disk,
    group: _Group,
    fragments: pl.DataFrame,
    affected: list[int],
) -> list[_Content]:
    """What each affected edge is to hold, its chunk file written; edges that had and get nothing are left out."""
    signatures = current_signatures(catalog)
    contents: list[_Content] = []
    waiting = [index for index in affected if not group.has_closed_sides(index)]
    wanted = {"source": group.source, "group": group.id, "indexes": affected, "waiting": waiting}
    for index, edge, has_content in connection.execute(query("take_edges"), wanted).fetchall():
        held = fragments.filter(pl.col("decided") & (pl.col("low_index") == index))
        if held.is_empty() and not has_content:
            continue
        batch = merge_edge(*decode_fragments(_payloads(connection, held)), signatures)
        header, chunk = _write(connection, disk, group, index, batch)
        hold_chunk(connection, disk, chunk)
        rows = rows_of(catalog, batch, chunk.places, group.undated(index))
        owner = Owner(edge, group.source, group.id)
        contents.append(_Content(owner, header, chunk, rows, batch, signatures.version, index in waiting))
    return contents


def _write(
    connection: Connection[Row], disk: Disk, group: _Group, index: int, batch: Batch
) -> tuple[ChunkHeader, WrittenChunk]:
    """Write the chunk file under the next generation. A server that was killed may give out numbers anew: names that are taken are passed over."""
    while True:
        ((generation,),) = connection.execute("SELECT nextval('edge_generations')")
        header = ChunkHeader(group.source_name, group.name, index, "edge", generation, version(_SOFTWARE))
        with suppress(FileExistsError):
            return header, write_chunk(disk, batch, header)


def _payloads(connection: Connection[Row], fragments: pl.DataFrame) -> list[bytes]:
    wanted = {"ranges": fragments["range_id"].to_list(), "ordinals": fragments["ordinal"].to_list()}
    return [payload for (payload,) in connection.execute(query("fragment_payloads"), wanted)]


def _publish(connection: Connection[Row], contents: list[_Content]) -> None:
    """Replace what the edges held, and the releases that follow."""
    touched = sum(
        (content.rows.touched for content in contents),
        releases.published(connection, [content.owner.id for content in contents]),
    )
    releases.lock(connection, touched)
    for content in contents:
        replace_rows(connection, content.owner, content.header, content.chunk, content.rows, content.batch)
        facts = {
            "edge": content.owner.id,
            "generation": content.generation,
            "signature_table": content.signature_table,
            "software": content.header.software,
        }
        connection.execute(query("publish_edge"), facts)
    releases.recompute(connection, touched)


def _own(connection: Connection[Row], fragments: pl.DataFrame) -> None:
    """Record which edge holds each fragment; those of undecided chains are held by none."""
    owners = fragments.select(pl.when("decided").then("low_index"))["low_index"].to_list()
    owned = {"ranges": fragments["range_id"].to_list(), "ordinals": fragments["ordinal"].to_list(), "owners": owners}
    connection.execute(query("own_fragments"), owned)
