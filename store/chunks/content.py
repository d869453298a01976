"""Files and their segments as they lie in a record or a fragment, written for a whole batch and read for one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline import schema
from pipeline.schema import Column
from store.chunks.columns import (
    MAX_CONTENT,
    Cursor,
    Integers,
    Malformed,
    Sections,
    Unsigned,
    differences,
    planes,
    read_integers,
    varint,
    zigzag,
)
from store.chunks.ids import Ids, IdsReader, prepare, write_ids
from store.chunks.tables import Table, TableReader, prepare_table


@dataclass(frozen=True, slots=True)
class Files:
    """Files of many records, each with its segments, ready to be written record by record.

    Attributes:
        bounds: row of `segments` at which the segments of each file begin; one more than files.
        counts: segments of each file, less those of the file above in its record.
        usual: bytes of the first segment of each file, less that of the file above.
        last: bytes of the last segment of each file less those of the first, less that of the file above.
        numbers: segment number less the one expected after the row above.
        sizes: bytes of the segments between first and last, less those of the first; 0 for first and last.
        ids: message-ids.
        table: the files' own columns.
    """

    bounds: Integers
    counts: Unsigned
    usual: Unsigned
    last: Unsigned
    numbers: Unsigned
    sizes: Unsigned
    ids: Ids
    table: Table

    def write(self, sections: Sections, first: int, last: int) -> None:
        """Append the files `first` to `last` (exclusive)."""
        begin, end = int(self.bounds[first]), int(self.bounds[last])
        sections.text.append(varint(last - first))
        for column in (self.counts, self.usual, self.last):
            sections.numbers += planes(column[first:last])
        for column in (self.numbers, self.sizes):
            sections.numbers += planes(column[begin:end])
        self.table.write(sections, first, last)
        write_ids(sections, self.ids, begin, end)


def prepare_files(files: pl.DataFrame, columns: Sequence[Column], segments: pl.DataFrame, starts: Integers) -> Files:
    """Look at the files of a whole batch at once.

    Args:
        files: has `columns` of `schema.FILES` or `schema.FRAGMENTS`, and `file` counting 0, 1, 2, ...
        columns: what is written of each file.
        segments: `schema.SEGMENTS`, ordered by file, then number.
        starts: row of `files` at which each record begins.

    Raises:
        ValueError: the frames are not ordered so.
    """
    owner = segments["file"].to_numpy().astype(np.int64)
    ordinals = files["file"].to_numpy()
    if (ordinals != np.arange(files.height)).any() or (owner[1:] < owner[:-1]).any() or (owner >= files.height).any():
        raise ValueError("files must count 0, 1, 2, ... and segments must be ordered by them")
    counts = np.bincount(owner, minlength=files.height).astype(np.int64)
    bounds = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    sizes = segments["bytes"].to_numpy().astype(np.int64)
    filled = np.flatnonzero(counts)
    lead, tail = bounds[:-1][filled], bounds[1:][filled] - 1
    usual, last = np.zeros(files.height, np.int64), np.zeros(files.height, np.int64)
    usual[filled], last[filled] = sizes[lead], sizes[tail] - sizes[lead]
    inner = sizes - usual[owner]
    inner[tail] = 0
    numbers = segments["number"].to_numpy().astype(np.int64)
    place_of = np.zeros(files.height, np.int64)
    place_of[filled] = np.arange(filled.size)
    totals = files["segments_expected"].cast(pl.Int64).fill_null(0).to_numpy()
    ids = prepare(segments["message_id"], segments["number"], totals[owner], lead, place_of[owner])
    return Files(
        bounds=bounds,
        counts=zigzag(differences(counts, starts)),
        usual=zigzag(differences(usual, starts)),
        last=zigzag(differences(last, starts)),
        numbers=zigzag(differences(numbers, lead) - 1),
        sizes=zigzag(inner),
        ids=ids,
        table=prepare_table(files, columns, starts, {"segments_found": counts, "bytes": _sums(sizes, bounds)}),
    )


class FilesReader:
    """Reads the files and segments of one record after the other, and makes two frames of them all."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._table = TableReader(columns)
        self._ids = IdsReader()
        self._heights: list[int] = []
        self._counts: list[Integers] = []
        self._numbers: list[Integers] = []
        self._sizes: list[Integers] = []
        self._totals: list[Integers] = []

    def read(self, cursor: Cursor) -> None:
        """Read the files of a record.

        Raises:
            Malformed: no writer writes this.
        """
        height = cursor.varint()
        counts, usual, last = (np.cumsum(read_integers(cursor, height)) for _ in range(3))
        if (counts < 0).any() or counts.sum() > MAX_CONTENT:
            raise Malformed("a count that cannot be")
        bounds = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
        owner = np.repeat(np.arange(height), counts)
        filled = np.flatnonzero(counts)
        lead, tail = bounds[:-1][filled], bounds[1:][filled] - 1
        steps = read_integers(cursor, owner.size) + 1
        numbers = np.cumsum(steps)
        numbers -= np.repeat(numbers[lead] - steps[lead], counts[filled])
        sizes = usual[owner] + read_integers(cursor, owner.size)
        sizes[tail] += np.where(tail > lead, last[filled], 0)
        self._table.read(cursor, height, {"segments_found": counts, "bytes": _sums(sizes, bounds)})
        self._ids.read(cursor, owner)
        self._heights.append(height)
        self._counts.append(counts)
        self._numbers.append(numbers)
        self._sizes.append(sizes)
        self._totals.append(self._table.last("segments_expected")[owner])

    def frames(self) -> tuple[pl.DataFrame, pl.DataFrame, Integers]:
        """(files with `file` and the columns, segments as `schema.SEGMENTS`, files of each record)."""
        counts = np.concatenate([np.zeros(0, np.int64), *self._counts])
        files = pl.DataFrame([pl.Series("file", np.arange(counts.size), dtype=pl.UInt32), *self._table.series()])
        number = pl.Series("number", np.concatenate([np.zeros(0, np.int64), *self._numbers])).cast(pl.Int32)
        ids = self._ids.series(number, np.concatenate([np.zeros(0, np.int64), *self._totals]))
        owner = pl.Series("file", np.repeat(np.arange(counts.size), counts), dtype=pl.UInt32)
        sizes = pl.Series("bytes", np.concatenate([np.zeros(0, np.int64), *self._sizes]))
        segments = schema.SEGMENTS.check(pl.DataFrame([owner, number, sizes, ids.alias("message_id")]))
        return files, segments, np.array(self._heights, np.int64)


def _sums(sizes: Integers, bounds: Integers) -> Integers:
    total = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
    return total[bounds[1:]] - total[bounds[:-1]]
