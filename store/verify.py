"""The chunk files against themselves and against the catalog: every byte read, every fault named."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Literal

import polars as pl
from psycopg.rows import class_row

from catalog_sql import query
from pipeline import schema
from store.catalog.connection import Catalog
from store.catalog.packing import MOST_SEGMENTS, packed_marks, short_keys
from store.chunks import ChunkDamaged, ChunkIndex, Place, fetch_record, read_index, verify
from store.disk import Disk, DiskError

_PLACE = ("offset", "length", "checksum")
_KEYS = ("base_key", "stem_key", "pool_key")
_ORDINAL, *_FACTS = schema.RECORDS.columns
_ROW = pl.Schema(
    [(_ORDINAL.name, _ORDINAL.dtype), *((name, pl.Int64()) for name in _PLACE)]
    + [(column.name, pl.Int64() if column.name in _KEYS else column.dtype) for column in _FACTS]
)
"""A record with its place, in the column order of queries/file_records.sql."""


@dataclass(frozen=True, slots=True)
class PublishedFile:
    """A chunk file that readers use now.

    Attributes:
        file_id: its number in the catalog.
        path: where it lies.
        bytes: its size as written.
        source: name of the provider's numbering.
        group: group name.
        range_index: index of the range; of an edge that of the range below it.
        is_edge: whether it belongs to an edge.
        generation: which materialization wrote it.
        key: partition key of the range that writes it anew; null where none is planned.
    """

    file_id: int
    path: str
    bytes: int
    source: str
    group: str
    range_index: int
    is_edge: bool
    generation: int
    key: str | None


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong.

    Attributes:
        path: the chunk file.
        record: ordinal of the record in it; null where the file as a whole is meant.
        key: partition key of the range that writes the file anew; null where none is planned.
        kind: `missing` file, `damaged` bytes, `unreadable` (the disk fails), or `differs`: file and catalog do not say the same.
        message: what is wrong.
    """

    path: str
    record: int | None
    key: str | None
    kind: Literal["missing", "damaged", "unreadable", "differs"]
    message: str


@dataclass(frozen=True, slots=True)
class Verified:
    """What verifying one file showed: its records by the catalog, and its faults."""

    records: int
    faults: tuple[Fault, ...]


def published_files(
    catalog: Catalog, group: str = "*", keys: Sequence[str] = (), after: str = ""
) -> list[PublishedFile]:
    """The published chunk files in order of path.

    Args:
        catalog: the catalog.
        group: name or shell pattern of the groups.
        keys: partition keys; only files of these ranges, and of the edges that belong to them. Empty: all.
        after: a path; only files that come after it.
    """
    with catalog.transaction() as connection, connection.cursor(row_factory=class_row(PublishedFile)) as cursor:
        files = cursor.execute(query("published_files")).fetchall()
    return [
        file
        for file in files
        if fnmatchcase(file.group, group) and file.path > after and (not keys or file.key in keys)
    ]


def verify_file(catalog: Catalog, disk: Disk, file: PublishedFile) -> Verified:
    """Read every byte of a file, decode every record, and compare header, places and aggregates with the catalog.

    A file that a later materialization replaced meanwhile has no faults: nobody will read it.
    """
    rows = _rows(catalog, file)
    faults = tuple(_faults(disk, file, rows))
    return Verified(rows.height, faults if faults and _is_published(catalog, file) else ())


def _faults(disk: Disk, file: PublishedFile, rows: pl.DataFrame) -> Iterator[Fault]:
    try:
        index = verify(disk, file.path)
    except FileNotFoundError:
        yield Fault(file.path, None, file.key, "missing", "the file is not there")
    except ChunkDamaged as error:
        yield from _damaged(disk, file, rows, error)
    except DiskError as error:
        yield Fault(file.path, None, file.key, "unreadable", str(error))
    else:
        yield from _different(file, index, rows)


def _damaged(disk: Disk, file: PublishedFile, rows: pl.DataFrame, first: ChunkDamaged) -> Iterator[Fault]:
    """Header or footer, and every record that cannot be read; what was found first where none of these says more."""
    places = [(row, Place(*place)) for row, *place in rows.select(_ORDINAL.name, *_PLACE).iter_rows()]
    reads = [(None, lambda: read_index(disk, file.path))]
    reads += [(row, lambda place=place: fetch_record(disk, file.path, place)) for row, place in places]
    named = False
    for row, read in reads:
        try:
            read()
        except (ChunkDamaged, DiskError) as error:
            named = True
            kind = "damaged" if isinstance(error, ChunkDamaged) else "unreadable"
            yield Fault(file.path, row, file.key, kind, str(error))
    if not named:
        yield Fault(file.path, None, file.key, "damaged", str(first))


def _different(file: PublishedFile, index: ChunkIndex, rows: pl.DataFrame) -> Iterator[Fault]:
    header = index.header
    written = (header.source, header.group, header.range_index, header.kind == "edge", header.generation)
    if written != (file.source, file.group, file.range_index, file.is_edge, file.generation):
        yield Fault(file.path, None, file.key, "differs", f"its header is that of {header.path}")
    if index.records.height != rows.height:
        message = f"it holds {index.records.height} records, the catalog {rows.height}"
        yield Fault(file.path, None, file.key, "differs", message)
    for ordinal, columns in _differences(_as_rows(index), rows):
        yield Fault(file.path, ordinal, file.key, "differs", f"the catalog has another {', '.join(columns)}")


def _differences(held: pl.DataFrame, rows: pl.DataFrame) -> list[tuple[int, list[str]]]:
    """Ordinals of the records that both have, but not alike, with the columns in which they differ."""
    both = held.join(rows, on="record", suffix="_row")
    columns = [name for name in held.columns if name != "record"]
    unlike = both.select("record", *((~_alike(name)).alias(name) for name in columns))
    return [
        (row["record"], [name for name in columns if row[name]])
        for row in unlike.filter(pl.any_horizontal(columns)).iter_rows(named=True)
    ]


def _alike(name: str) -> pl.Expr:
    held, row = pl.col(name), pl.col(f"{name}_row")
    if name == "base_key":
        # Of a lone file the catalog chooses between two keys: see queries/choose_base_keys.sql.
        chosen = row.eq_missing(pl.col("stem_key")) | row.eq_missing(pl.col("pool_key"))
        return held.eq_missing(row) | (pl.col("lone_number").is_not_null() & chosen)
    if name in ("first_posted", "last_posted"):
        # A record without a believable date has in the catalog that of its range.
        return held.is_null() | held.eq_missing(row)
    return held.eq_missing(row)


def _as_rows(index: ChunkIndex) -> pl.DataFrame:
    """The records of a file with their places, as the catalog keeps them: short keys, packed marks, text without NUL."""
    places = pl.DataFrame(
        [(place.offset, place.length, place.checksum) for place in index.places],
        schema=dict.fromkeys(_PLACE, pl.Int64),
        orient="row",
    )
    packed = [pl.Series(name, short_keys(index.records[name]), pl.Int64) for name in _KEYS]
    packed.append(pl.Series("file_marks", packed_marks(index.records["file_marks"]), pl.Binary))
    held = places.hstack(index.records.with_columns(packed)).select(_ROW.names())
    return held.with_columns(
        pl.col(pl.String).str.replace_all("\0", "", literal=True),
        pl.col("segments_expected").clip(upper_bound=MOST_SEGMENTS),
    )


def _rows(catalog: Catalog, file: PublishedFile) -> pl.DataFrame:
    """The catalog's rows of a file, in the columns of `_as_rows`."""
    with catalog.transaction() as connection:
        rows = connection.execute(query("file_records"), {"file": file.file_id}).fetchall()
    return pl.DataFrame(rows, schema=_ROW, orient="row")


def _is_published(catalog: Catalog, file: PublishedFile) -> bool:
    with catalog.transaction() as connection:
        ((published,),) = connection.execute(query("is_published"), {"file": file.file_id})
        return bool(published)
