"""Chunk files back to records: one by its place, all by the footer, or every byte to be sure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np
import polars as pl

from pipeline import schema
from store.chunks.columns import Malformed, PlanesReader, bounds_of
from store.chunks.content import FilesReader, record_facts
from store.chunks.format import (
    FILE_COLUMNS,
    FRAGMENT,
    FRAGMENT_COLUMNS,
    FRAME,
    INDEX,
    RECORD,
    RECORD_COLUMNS,
    TRAILER,
    ChunkDamaged,
    ChunkHeader,
    ChunkIndex,
    FrameReader,
    Place,
    RecordContent,
    checksum,
    footer_size,
    header_size,
    parse_footer,
    parse_header,
)
from store.chunks.tables import TableReader
from store.disk import Disk

_RANGE_AGAIN = "materialize its range again (overlake backfill --range)"


def read_record(data: bytes | memoryview) -> RecordContent:
    """Decode one record from its bytes alone.

    Raises:
        ChunkDamaged: they are not a whole record.
    """
    return read_records([data])


def read_records(frames: Sequence[bytes | memoryview]) -> RecordContent:
    """Decode several records at once, much quicker than one by one: the rows of all, in the order given.

    Raises:
        ChunkDamaged: one of them is not a whole record.
    """
    record, files = TableReader(RECORD_COLUMNS), FilesReader(FILE_COLUMNS)
    opener = FrameReader()
    for ordinal, data in enumerate(frames):
        with _damage(f"record {ordinal}"):
            cursor = opener.open(data, RECORD)
            files.read(cursor)
            record.read(cursor, 1)
            cursor.end()
    with _damage("a record"):
        ordinals = np.arange(len(frames))
        rows, segments, bounds = files.frames()
        facts = record_facts(rows, bounds, files.segment_bounds)
        records = pl.DataFrame([pl.Series("record", ordinals, dtype=pl.UInt32), *record.series(facts)])
        owned = pl.DataFrame([pl.Series("record", np.repeat(ordinals, np.diff(bounds)), dtype=pl.UInt32), *rows])
        return RecordContent(schema.RECORDS.check(records), schema.RECORD_FILES.check(owned), segments)


def fetch_record(disk: Disk, path: str, place: Place) -> RecordContent:
    """Read one record from a chunk file, its checksum verified first.

    Raises:
        FileNotFoundError: the chunk file was collected; look the record's place up again.
        ChunkDamaged: the bytes are not those that were written.
    """
    with _damage(f"{path}, record at byte {place.offset}"):
        data = disk.read(path, place.offset, place.length)
        return read_record(_checked(data, place))


def read_index(disk: Disk, path: str) -> ChunkIndex:
    """The header and the footer of a chunk file, from which catalog rows can be rebuilt.

    Raises:
        FileNotFoundError: no such file.
        ChunkDamaged: they are not what was written, or of a later format version.
    """
    with _damage(path):
        size = disk.size(path)
        header = parse_header(disk.read(path, 0, header_size(disk.read(path, 0, FRAME.size))))
        total = footer_size(disk.read(path, max(0, size - TRAILER.size), TRAILER.size), size)
        return _index(header, disk.read(path, size - total, total))


def verify(disk: Disk, path: str) -> ChunkIndex:
    """Read every byte of a chunk file and decode every record.

    Raises:
        FileNotFoundError: no such file.
        ChunkDamaged: any bit is not as it was written.
    """
    with _damage(path):
        data = disk.read(path)
        head = header_size(data)
        total = footer_size(data[-TRAILER.size :], len(data))
        index = _index(parse_header(data[:head]), data[-total:])
    end = head
    for row, place in enumerate(index.places):
        with _damage(f"{path}, record {row} at byte {place.offset}"):
            if place.offset != end:
                raise Malformed("bytes that belong to no record")
            content = read_record(_checked(data[place.offset : place.offset + place.length], place))
            if not content.record.drop("record").equals(index.records[row].drop("record")):
                raise Malformed("the record is not the one in the footer")
            end += place.length
    with _damage(path):
        if end != len(data) - total:
            raise Malformed("bytes that belong to no record")
    return index


def decode_fragments(fragments: Sequence[bytes]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The fragments as `schema.FRAGMENTS`, counted 0, 1, 2, ... in the order given, and their segments as `schema.SEGMENTS`.

    Raises:
        ChunkDamaged: they are not what was written.
    """
    reader = FilesReader(FRAGMENT_COLUMNS)
    opener = FrameReader()
    for ordinal, data in enumerate(fragments):
        with _damage(f"fragment {ordinal}"):
            cursor = opener.open(data, FRAGMENT)
            reader.read(cursor)
            cursor.end()
    with _damage("a fragment"):
        files, segments, bounds = reader.frames()
        if (np.diff(bounds) != 1).any():
            raise Malformed("not one file")
        return schema.FRAGMENTS.check(files), segments


def _index(header: ChunkHeader, footer: bytes) -> ChunkIndex:
    frame, count = parse_footer(footer)
    cursor = FrameReader().open(frame, INDEX)
    if cursor.varint() != count:
        raise Malformed("the footer counts its records wrongly")
    ordinals = pl.Series("record", np.arange(count), dtype=pl.UInt32)
    table, sizes = TableReader(RECORD_COLUMNS), PlanesReader()
    table.read(cursor, count)
    records = pl.DataFrame([ordinals, *table.series()])
    sizes.read(cursor, count)
    lengths = sizes.unsigned().view(np.int64)
    offsets = cursor.varint() + bounds_of(lengths)[:-1]
    sums = np.frombuffer(cursor.packed(8 * count), "<i8")
    cursor.end()
    rows = zip(offsets.tolist(), lengths.tolist(), sums.tolist(), strict=True)
    return ChunkIndex(header, schema.RECORDS.check(records), tuple(Place(*row) for row in rows))


def _checked(data: bytes, place: Place) -> bytes:
    if len(data) != place.length or checksum(data) != place.checksum:
        raise Malformed("the checksum does not match")
    return data


@contextmanager
def _damage(where: str) -> Iterator[None]:
    """Name what is damaged. Content that passed its checksum but does not fit its schema is damage too."""
    try:
        yield
    except ChunkDamaged as error:
        raise ChunkDamaged(f"{where}: {error}") from error
    except (Malformed, pl.exceptions.PolarsError, ValueError, IndexError, KeyError, TypeError, OverflowError) as error:
        raise ChunkDamaged(f"{where} is damaged ({error}); {_RANGE_AGAIN}") from error
