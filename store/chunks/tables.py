"""Frames inside a record, column by column as their schema declares them.

A table begins with the set of its columns that hold nulls. Then each column: null flags if it is in that set, then its values: strings as
text; everything else as integers, each less its prediction, which is the row above unless the caller knows better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.schema import Column
from store.chunks.columns import (
    Cursor,
    Integers,
    Malformed,
    Sections,
    Text,
    Unsigned,
    binary_series,
    differences,
    planes,
    read_planes,
    read_text,
    text_of,
    unzigzag,
    varint,
    write_text,
    zigzag,
)

_NO_PREDICTIONS: Mapping[str, Integers] = {}
_LIST = pl.List(pl.String)
_Item = TypeVar("_Item", bound=np.generic)


@dataclass(frozen=True, slots=True)
class IntegerColumn:
    """Integers of all records, already less their predictions."""

    values: Unsigned

    def write(self, sections: Sections, first: int, last: int) -> None:
        """Append rows `first` to `last` (exclusive)."""
        sections.numbers += planes(self.values[first:last])


@dataclass(frozen=True, slots=True)
class TextColumn:
    """Strings or byte strings of all records."""

    text: Text

    def write(self, sections: Sections, first: int, last: int) -> None:
        """Append rows `first` to `last` (exclusive)."""
        write_text(sections, self.text, first, last)


@dataclass(frozen=True, slots=True)
class ListColumn:
    """Lists of strings of all records: row i holds the items `bounds[i]` to `bounds[i + 1]`."""

    bounds: Integers
    items: Text

    def write(self, sections: Sections, first: int, last: int) -> None:
        """Append rows `first` to `last` (exclusive)."""
        bounds = self.bounds[first : last + 1]
        sections.numbers += planes(np.diff(bounds).view(np.uint64))
        write_text(sections, self.items, int(bounds[0]), int(bounds[-1]))


@dataclass(frozen=True, slots=True)
class Table:
    """A frame ready to be written record by record: its columns, and the null flags of those that have any."""

    columns: list[IntegerColumn | TextColumn | ListColumn]
    nulls: dict[int, Unsigned]

    def write(self, sections: Sections, first: int, last: int) -> None:
        """Append rows `first` to `last` (exclusive)."""
        flags = {index: nulls[first:last] for index, nulls in self.nulls.items() if nulls[first:last].any()}
        sections.text.append(varint(sum(1 << index for index in flags)))
        for index, column in enumerate(self.columns):
            if index in flags:
                sections.numbers += planes(flags[index])
            column.write(sections, first, last)


def prepare_table(
    frame: pl.DataFrame,
    columns: Sequence[Column],
    starts: Integers,
    predictions: Mapping[str, Integers] = _NO_PREDICTIONS,
) -> Table:
    """A frame, ready to be written record by record.

    Args:
        frame: has `columns`.
        columns: what is written, in order.
        starts: row at which each record begins.
        predictions: expected value of each row of some integer columns.
    """
    series = [frame[column.name] for column in columns]
    nulls = {index: one.is_null().to_numpy().astype(np.uint64) for index, one in enumerate(series) if one.null_count()}
    return Table([_prepare(one, starts, predictions.get(one.name)) for one in series], nulls)


def _prepare(
    series: pl.Series, starts: Integers, prediction: Integers | None
) -> IntegerColumn | TextColumn | ListColumn:
    if series.dtype == pl.String:
        return TextColumn(text_of(series.fill_null("")))
    if series.dtype == pl.Binary:
        return TextColumn(text_of(series.fill_null(b"")))
    if series.dtype == _LIST:
        lengths = series.list.len().fill_null(0).cast(pl.Int64).to_numpy()
        bounds = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
        return ListColumn(bounds, text_of(series.filter(pl.Series(lengths) > 0).explode()))
    filled = series.to_physical().cast(pl.Int64).fill_null(strategy="forward").fill_null(0)
    values = filled.to_numpy().astype(np.int64)
    residual = differences(values, starts) if prediction is None else values - prediction
    return IntegerColumn(zigzag(residual))


class TableReader:
    """Reads the rows of one record after the other, and makes one frame of them all."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = [
            _READER[column.dtype](column) if column.dtype in _READER else _IntegerReader(column) for column in columns
        ]

    def read(self, cursor: Cursor, count: int, predictions: Mapping[str, Integers] = _NO_PREDICTIONS) -> None:
        """Read the next `count` rows.

        Raises:
            Malformed: no writer writes this.
        """
        nulls = cursor.varint()
        for index, column in enumerate(self._columns):
            column.nulls.append(read_planes(cursor, count) > 0 if nulls >> index & 1 else np.zeros(count, np.bool_))
            column.read(cursor, count, predictions.get(column.declared.name))

    def last(self, name: str) -> Integers:
        """The integers of column `name` read last, nulls as 0."""
        column = next(column for column in self._columns if column.declared.name == name)
        if not isinstance(column, _IntegerReader):
            raise TypeError(name)
        return np.where(column.nulls[-1], 0, column.values[-1])

    def series(self) -> list[pl.Series]:
        """Every column, all rows read."""
        return [column.series_with_nulls() for column in self._columns]


@dataclass(slots=True)
class _ColumnReader:
    declared: Column
    nulls: list[NDArray[np.bool_]] = field(default_factory=list[NDArray[np.bool_]])

    def read(self, cursor: Cursor, count: int, prediction: Integers | None, /) -> None:
        raise NotImplementedError

    def series(self) -> pl.Series:
        raise NotImplementedError

    def series_with_nulls(self) -> pl.Series:
        values, nulls = self.series(), _joined(self.nulls, np.bool_)
        return (values.set(pl.Series(nulls), None) if nulls.any() else values).alias(self.declared.name)


@dataclass(slots=True)
class _IntegerReader(_ColumnReader):
    values: list[Integers] = field(default_factory=list[Integers])

    def read(self, cursor: Cursor, count: int, prediction: Integers | None, /) -> None:
        residual = unzigzag(read_planes(cursor, count))
        self.values.append(np.cumsum(residual) if prediction is None else residual + prediction)

    def series(self) -> pl.Series:
        physical = pl.Series(_joined(self.values, np.int64), dtype=pl.Int64)
        return physical.cast(self.declared.dtype)


@dataclass(slots=True)
class _TextReader(_ColumnReader):
    lengths: list[Integers] = field(default_factory=list[Integers])
    data: list[memoryview] = field(default_factory=list[memoryview])

    def read(self, cursor: Cursor, count: int, _prediction: Integers | None, /) -> None:
        lengths, data = read_text(cursor, count)
        self.lengths.append(lengths)
        self.data.append(data)

    def series(self) -> pl.Series:
        return binary_series(b"".join(self.data), _joined(self.lengths, np.int64)).cast(self.declared.dtype)


@dataclass(slots=True)
class _ListReader(_ColumnReader):
    items: list[Integers] = field(default_factory=list[Integers])
    lengths: list[Integers] = field(default_factory=list[Integers])
    data: list[memoryview] = field(default_factory=list[memoryview])

    def read(self, cursor: Cursor, count: int, _prediction: Integers | None, /) -> None:
        items = read_planes(cursor, count).view(np.int64)
        if (items < 0).any():
            raise Malformed("a negative length")
        lengths, data = read_text(cursor, int(items.sum()))
        self.items.append(items)
        self.lengths.append(lengths)
        self.data.append(data)

    def series(self) -> pl.Series:
        text = binary_series(b"".join(self.data), _joined(self.lengths, np.int64)).cast(pl.String)
        offsets = np.concatenate((np.zeros(1, np.int64), np.cumsum(_joined(self.items, np.int64))))
        array = pa.LargeListArray.from_arrays(pa.array(offsets), text.to_arrow(compat_level=pl.CompatLevel.oldest()))
        return pl.Series(array, dtype=_LIST)


_READER: dict[object, type[_ColumnReader]] = {pl.String: _TextReader, pl.Binary: _TextReader, _LIST: _ListReader}


def _joined(pieces: Sequence[NDArray[_Item]], dtype: type[_Item]) -> NDArray[_Item]:
    return np.concatenate(pieces) if pieces else np.zeros(0, dtype)
