"""Files and their segments as they lie in a record or a fragment, written for a whole batch and read for one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline import schema
from pipeline.schema import Column
from store.chunks.columns import (
    Cursor,
    Integers,
    Malformed,
    Sections,
    Unsigned,
    differences,
    planes,
    read_integers,
    read_planes,
    unzigzag,
    varint,
    zigzag,
)
from store.chunks.ids import Ids, prepare, read_ids, write_ids
from store.chunks.tables import AnyColumn, prepare_table, read_table, write_table


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
    table: list[AnyColumn]

    def write(self, sections: Sections, first: int, last: int) -> None:
        """Append the files `first` to `last` (exclusive)."""
        begin, end = int(self.bounds[first]), int(self.bounds[last])
        sections.text.append(varint(last - first))
        sections.numbers += [planes(column[first:last]) for column in (self.counts, self.usual, self.last)]
        sections.numbers += [planes(column[begin:end]) for column in (self.numbers, self.sizes)]
        write_table(sections, self.table, first, last)
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


def read_files(cursor: Cursor, columns: Sequence[Column]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """(files with `file` and `columns`, their segments as `schema.SEGMENTS`).

    Raises:
        Malformed: no writer writes this.
    """
    height = cursor.varint()
    counts, usual, last = (np.cumsum(read_integers(cursor, height)) for _ in range(3))
    if (counts < 0).any():
        raise Malformed("a negative count")
    bounds = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    owner = np.repeat(np.arange(height), counts)
    filled = np.flatnonzero(counts)
    lead, tail = bounds[:-1][filled], bounds[1:][filled] - 1
    steps = unzigzag(read_planes(cursor, owner.size)) + 1
    numbers = np.cumsum(steps)
    numbers -= np.repeat(numbers[lead] - steps[lead], counts[filled])
    sizes = usual[owner] + unzigzag(read_planes(cursor, owner.size))
    sizes[tail] += np.where(tail > lead, last[filled], 0)
    table = read_table(cursor, columns, height, {"segments_found": counts, "bytes": _sums(sizes, bounds)})
    files = pl.DataFrame([pl.Series("file", np.arange(height), dtype=pl.UInt32), *table])
    totals = files["segments_expected"].cast(pl.Int64).fill_null(0).to_numpy()
    number = pl.Series("number", numbers).cast(pl.Int32)
    segments = pl.DataFrame(
        [
            pl.Series("file", owner, dtype=pl.UInt32),
            number,
            pl.Series("bytes", sizes),
            read_ids(cursor, number, totals[owner], owner).alias("message_id"),
        ]
    )
    return files, schema.SEGMENTS.check(segments)


def _sums(sizes: Integers, bounds: Integers) -> Integers:
    total = np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes)))
    return total[bounds[1:]] - total[bounds[:-1]]
