"""Files and their segments as they lie in a record or a fragment: prepared for a whole batch, cut record by record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline import schema
from pipeline.schema import Column
from store.chunks.columns import (
    MAX_ROWS,
    Cursor,
    Integers,
    Malformed,
    Planes,
    PlanesReader,
    Sections,
    Unsigned,
    bounds_of,
    differences,
    planes,
    reduced,
    sums,
    unzigzag,
    varint,
    zigzag,
)
from store.chunks.ids import Ids, IdsReader, Places, prepare_ids
from store.chunks.radix import NIBBLES, pack, unpack
from store.chunks.tables import Table, TableReader, prepare_table

_SAMPLE = 31
"""Segments of a file looked at for the usual size; odd."""

_NOISY = 64
"""Mean from which sizes are noisy."""


@dataclass(frozen=True, slots=True)
class Files:
    """Files of many records, each with its segments, ready to be written record by record.

    Attributes:
        files: row at which the files of each record begin, and the last ones end.
        segments: the same for their segments.
        per_file: segments of each file; usual bytes of a segment; bytes of its last segment less those.
        numbers: segment number less the one expected after the row above.
        sizes: bytes of each segment but the last of a file, less the usual.
        table: the files' own columns.
        ids: message-ids.
    """

    files: list[int]
    segments: list[int]
    per_file: tuple[Planes, ...]
    numbers: Planes
    sizes: Sizes
    table: Table
    ids: Ids

    def write(self, sections: Sections, record: int) -> None:
        """Append the files of a record."""
        first, last = self.files[record], self.files[record + 1]
        begin, end = self.segments[record], self.segments[record + 1]
        sections.text += [varint(last - first), varint(end - begin)]
        for column in self.per_file:
            column.write(sections.numbers, record, first, last)
        self.numbers.write(sections.numbers, record, begin, end)
        self.sizes.write(sections, record, begin, end)
        self.table.write(sections, record)
        self.ids.write(sections, record, begin, end)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Segment sizes of all records less what is usual, ready to be cut.

    Zstd's Huffman codes cost nearly a bit in vain where a byte plane holds mostly two values, and gain nothing on noise: the lowest four
    bits of noisy sizes are packed as they are, so that what is left spreads over enough values.

    Attributes:
        planes: the sizes, or what is above their lowest four bits.
        low: those bits of each record whose sizes are noisy.
    """

    planes: Planes
    low: list[bytes | None]

    def write(self, sections: Sections, record: int, first: int, last: int) -> None:
        """Append the sizes of a record, which are the rows `first` to `last` (exclusive)."""
        low = self.low[record]
        sections.text.append(varint(low is not None))
        self.planes.write(sections.numbers, record, first, last)
        if low is not None:
            sections.packed.append(low)


class SizesReader:
    """Reads the sizes of one record after the other."""

    def __init__(self) -> None:
        self._planes = PlanesReader()
        self._low: list[bytes] = []
        self._split: list[bool] = []
        self._counts: list[int] = []

    def read(self, cursor: Cursor, count: int) -> None:
        """Read the sizes of the next `count` segments.

        Raises:
            Malformed: no writer writes this.
        """
        split = cursor.varint()
        if split > 1:
            raise Malformed("sizes that no writer writes")
        self._planes.read(cursor, count)
        self._counts.append(count)
        self._split.append(split == 1)
        if split:
            self._low.append(cursor.packed(NIBBLES.packed_size(count)))

    def noise(self) -> Integers:
        """All sizes read, less what is usual in their file."""
        values = self._planes.unsigned()
        split, counts = np.array(self._split, np.bool_), np.array(self._counts, np.int64)
        rows = np.repeat(split, counts)
        low = unpack(self._low, counts[split], NIBBLES)
        if rows.all():
            return unzigzag((values << np.uint64(4)) | low)
        values[rows] = (values[rows] << np.uint64(4)) | low
        return unzigzag(values)


def prepare_files(files: pl.DataFrame, columns: Sequence[Column], segments: pl.DataFrame, bounds: Integers) -> Files:
    """Look at the files of a whole batch at once.

    Args:
        files: has `columns` of `schema.FILES` or `schema.FRAGMENTS`, and `file` counting 0, 1, 2, ...
        columns: what is written of each file.
        segments: `schema.SEGMENTS`, ordered by file, then number.
        bounds: row of `files` at which each record begins, and the last one ends.

    Raises:
        ValueError: the frames are not ordered so, or a record has too many segments.
    """
    owner = segments["file"].to_numpy().astype(np.int64)
    ordinals = files["file"].to_numpy()
    if (ordinals != np.arange(files.height)).any() or (owner[1:] < owner[:-1]).any() or (owner >= files.height).any():
        raise ValueError("files must count 0, 1, 2, ... and segments must be ordered by them")
    counts = np.bincount(owner, minlength=files.height).astype(np.int64)
    rows = bounds_of(counts)
    inside = rows[bounds]
    if (np.diff(inside) > MAX_ROWS).any():
        raise ValueError(f"a record has more than {MAX_ROWS} segments")
    sizes = segments["bytes"].to_numpy().astype(np.int64)
    filled = np.flatnonzero(counts)
    lead, tail = rows[:-1][filled], rows[1:][filled] - 1
    usual, last = np.zeros(files.height, np.int64), np.zeros(files.height, np.int64)
    usual[filled] = _usual(sizes, lead, tail)
    last[filled] = sizes[tail] - usual[filled]
    noise = sizes - usual[owner]
    noise[tail] = 0
    numbers = segments["number"].to_numpy().astype(np.int64)
    return Files(
        files=bounds.tolist(),
        segments=inside.tolist(),
        per_file=tuple(planes(zigzag(differences(each, bounds[:-1])), bounds) for each in (counts, usual, last)),
        numbers=planes(zigzag(differences(numbers, lead) - 1), inside),
        sizes=_sizes(zigzag(noise), inside),
        table=prepare_table(files, columns, bounds, {"segments_found": counts, "bytes": totals_of(sizes, rows)}),
        ids=prepare_ids(segments["message_id"], _places(files, numbers, owner), inside),
    )


def _usual(sizes: Integers, lead: Integers, tail: Integers) -> Integers:
    """The median of some segments of each file, its last one left out where there are others: that one is shorter."""
    inner = np.maximum(tail - lead, 1)
    some = lead[:, None] + np.arange(_SAMPLE) * inner[:, None] // _SAMPLE
    return np.sort(sizes[some], axis=1)[:, _SAMPLE // 2]


def _sizes(noise: Unsigned, bounds: Integers) -> Sizes:
    counts = np.diff(bounds)
    split = reduced(np.add, np.minimum(noise, 1 << 40), bounds) > _NOISY * counts.astype(np.uint64)
    rows = np.repeat(split, counts)
    low = pack((noise[rows] & np.uint64(15)).astype(np.uint8), counts[split], NIBBLES)
    packed: list[bytes | None] = [None] * counts.size
    for record, data in zip(np.flatnonzero(split).tolist(), low, strict=True):
        packed[record] = data
    return Sizes(planes(np.where(rows, noise >> np.uint64(4), noise), bounds), packed)


def _places(files: pl.DataFrame, numbers: Integers, owner: Integers) -> Places:
    return Places(numbers, owner, whole_numbers(files["segments_expected"], 0), files["subject"])


class FilesReader:
    """Reads the files and segments of one record after the other, and makes two frames of them all."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._table = TableReader(columns)
        self._ids = IdsReader()
        self._per_file = tuple(PlanesReader() for _ in range(3))
        self._numbers = PlanesReader()
        self._sizes = SizesReader()
        self._segments: list[int] = []

    def read(self, cursor: Cursor) -> None:
        """Read the files of a record.

        Raises:
            Malformed: no writer writes this.
        """
        height, count = cursor.varint(), cursor.varint()
        for column in self._per_file:
            column.read(cursor, height)
        self._numbers.read(cursor, count)
        self._sizes.read(cursor, count)
        self._table.read(cursor, height)
        self._ids.read(cursor, count)
        self._segments.append(count)

    def frames(self) -> tuple[pl.DataFrame, pl.DataFrame, Integers]:
        """(files with `file` and the columns, segments as `schema.SEGMENTS`, row of the files at which each record begins and the last ends)."""
        bounds, inside = self._table.bounds, bounds_of(self._segments)
        counts, usual, last = (sums(column.signed(), bounds) for column in self._per_file)
        if (counts < 0).any() or (counts > MAX_ROWS).any() or (bounds_of(counts)[bounds] != inside).any():
            raise Malformed("files do not have the segments they claim")
        rows = bounds_of(counts)
        owner = np.repeat(np.arange(counts.size), counts)
        filled = np.flatnonzero(counts)
        lead, tail = rows[:-1][filled], rows[1:][filled] - 1
        numbers = sums(self._numbers.signed() + 1, np.append(lead, owner.size))
        sizes = usual[owner] + self._sizes.noise()
        sizes[tail] += last[filled]
        columns = self._table.series({"segments_found": counts, "bytes": totals_of(sizes, rows)})
        files = pl.DataFrame([pl.Series("file", np.arange(counts.size), dtype=pl.UInt32), *columns])
        segments = [
            pl.Series("file", owner, dtype=pl.UInt32),
            pl.Series("number", numbers).cast(pl.Int32),
            pl.Series("bytes", sizes),
            self._ids.series(_places(files, numbers, owner)).alias("message_id"),
        ]
        return files, schema.SEGMENTS.check(pl.DataFrame(segments)), bounds

    @property
    def segment_bounds(self) -> Integers:
        """Row at which the segments of each record begin, and the last ones end."""
        return bounds_of(self._segments)


def totals_of(values: Integers, bounds: Integers) -> Integers:
    """Sums of the values from each bound to the next."""
    total = bounds_of(values)
    return total[bounds[1:]] - total[bounds[:-1]]


def record_facts(files: pl.DataFrame, bounds: Integers, segments: Integers) -> dict[str, Integers]:
    """What the columns of a record are most likely, from its files.

    Args:
        files: `schema.RECORD_FILES` or what holds its columns.
        bounds: row of `files` at which each record begins, and the last one ends.
        segments: the same for the segments.
    """
    return {
        "files": np.diff(bounds),
        "segments": np.diff(segments),
        "segments_expected": totals_of(whole_numbers(files["segments_expected"], 0), bounds),
        "bytes": totals_of(whole_numbers(files["bytes"], 0), bounds),
        "first_posted": reduced(np.minimum, whole_numbers(files["posted_at"], (1 << 63) - 1), bounds),
        "last_posted": reduced(np.maximum, whole_numbers(files["posted_at"], -1 << 63), bounds),
    }


def whole_numbers(series: pl.Series, empty: int) -> Integers:
    """Integers, or times as ms, with `empty` for null. Polars computes a column of a few rows no quicker than a long one, numpy does."""
    filled = series.to_physical().cast(pl.Int64).fill_null(empty) if series.null_count() else series
    return filled.to_numpy().astype(np.int64)
