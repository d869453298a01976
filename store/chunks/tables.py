"""Frames inside a record, column by column as their schema declares them.

Every column is a null flag per row, then its values: strings as text; everything else as integers, each less its prediction, which is
the row above unless the caller knows better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl

from pipeline.schema import Column
from store.chunks.columns import (
    Cursor,
    Integers,
    Malformed,
    Sections,
    Text,
    Unsigned,
    differences,
    planes,
    read_planes,
    read_text,
    text_of,
    unzigzag,
    write_text,
    zigzag,
)

_NO_PREDICTIONS: Mapping[str, Integers] = {}


@dataclass(frozen=True, slots=True)
class IntegerColumn:
    """Integers of all records, already less their predictions."""

    nulls: Unsigned
    values: Unsigned

    def write(self, sections: Sections, first: int, last: int) -> None:
        """Append rows `first` to `last` (exclusive)."""
        sections.numbers += [planes(self.nulls[first:last]), planes(self.values[first:last])]


@dataclass(frozen=True, slots=True)
class TextColumn:
    """Strings or byte strings of all records."""

    nulls: Unsigned
    text: Text

    def write(self, sections: Sections, first: int, last: int) -> None:
        """Append rows `first` to `last` (exclusive)."""
        sections.numbers.append(planes(self.nulls[first:last]))
        write_text(sections, self.text, first, last)


@dataclass(frozen=True, slots=True)
class ListColumn:
    """Lists of strings of all records: row i holds the items `bounds[i]` to `bounds[i + 1]`."""

    nulls: Unsigned
    bounds: Integers
    items: Text

    def write(self, sections: Sections, first: int, last: int) -> None:
        """Append rows `first` to `last` (exclusive)."""
        bounds = self.bounds[first : last + 1]
        sections.numbers += [planes(self.nulls[first:last]), planes(np.diff(bounds).view(np.uint64))]
        write_text(sections, self.items, int(bounds[0]), int(bounds[-1]))


AnyColumn = IntegerColumn | TextColumn | ListColumn


def prepare_table(
    frame: pl.DataFrame, columns: Sequence[Column], starts: Integers, predictions: Mapping[str, Integers] = _NO_PREDICTIONS
) -> list[AnyColumn]:
    """The columns of a frame, ready to be written record by record.

    Args:
        frame: has `columns`.
        columns: what is written, in order.
        starts: row at which each record begins.
        predictions: expected value of each row of some integer columns.
    """
    return [_prepare(frame[column.name], starts, predictions.get(column.name)) for column in columns]


def _prepare(series: pl.Series, starts: Integers, prediction: Integers | None) -> AnyColumn:
    nulls = series.is_null().to_numpy().astype(np.uint64)
    if series.dtype == pl.String:
        return TextColumn(nulls, text_of(series.fill_null("")))
    if series.dtype == pl.Binary:
        return TextColumn(nulls, text_of(series.fill_null(b"")))
    if series.dtype == pl.List(pl.String):
        lengths = series.list.len().fill_null(0).cast(pl.Int64).to_numpy()
        bounds = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
        return ListColumn(nulls, bounds, text_of(series.filter(pl.Series(lengths) > 0).explode()))
    filled = series.to_physical().cast(pl.Int64).fill_null(strategy="forward").fill_null(0)
    values = filled.to_numpy().astype(np.int64)
    residual = differences(values, starts) if prediction is None else values - prediction
    return IntegerColumn(nulls, zigzag(residual))


def write_table(sections: Sections, table: list[AnyColumn], first: int, last: int) -> None:
    """Append rows `first` to `last` (exclusive) of a prepared table."""
    for column in table:
        column.write(sections, first, last)


def read_table(
    cursor: Cursor, columns: Sequence[Column], count: int, predictions: Mapping[str, Integers] = _NO_PREDICTIONS
) -> list[pl.Series]:
    """The columns of the next `count` rows.

    Raises:
        Malformed: no writer writes this.
    """
    return [_read(cursor, column, count, predictions.get(column.name)) for column in columns]


def _read(cursor: Cursor, column: Column, count: int, prediction: Integers | None) -> pl.Series:
    nulls = read_planes(cursor, count)
    if column.dtype in (pl.String, pl.Binary):
        values = read_text(cursor, count).cast(column.dtype)
    elif column.dtype == pl.List(pl.String):
        values = _read_lists(cursor, count)
    else:
        residual = unzigzag(read_planes(cursor, count))
        numbers = np.cumsum(residual) if prediction is None else residual + prediction
        physical = pl.Series(numbers, dtype=pl.Int64)
        values = physical.cast(pl.Boolean) if column.dtype == pl.Boolean else physical.cast(column.dtype)
    if nulls.any():
        values = values.set(pl.Series(nulls > 0), None)
    return values.alias(column.name)


def _read_lists(cursor: Cursor, count: int) -> pl.Series:
    lengths = read_planes(cursor, count).view(np.int64)
    if (lengths < 0).any():
        raise Malformed("a negative length")
    items = read_text(cursor, int(lengths.sum())).cast(pl.String)
    row = pl.Series(np.repeat(np.arange(count), lengths))
    grouped = pl.DataFrame({"row": row, "items": items}).group_by("row", maintain_order=True).agg("items")
    rows = pl.DataFrame({"row": pl.Series(np.arange(count))})
    return rows.join(grouped, on="row", how="left", maintain_order="left")["items"].fill_null([])
