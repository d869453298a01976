"""Frames inside a record, column by column as their schema declares them.

A table begins with the set of its columns that hold nulls. Then each column: null flags if it is in that set, then its values: strings as
text; everything else as integers, each less its prediction, which is the row above unless the caller knows better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
import pyarrow as pa

from pipeline.schema import Column
from pipeline.texts import texts
from store.chunks.columns import (
    Cursor,
    Integers,
    Planes,
    PlanesReader,
    Sections,
    TextColumn,
    TextReader,
    bounds_of,
    differences,
    planes,
    reduced,
    sums,
    text_column,
    varint,
    zigzag,
)

_NO_PREDICTIONS: Mapping[str, Integers] = {}
_LIST = pl.List(pl.String)


@dataclass(frozen=True, slots=True)
class IntegerColumn:
    """Integers of all records, already less their predictions."""

    values: Planes

    def write(self, sections: Sections, record: int, first: int, last: int) -> None:
        """Append the rows `first` to `last` (exclusive) of a record."""
        self.values.write(sections.numbers, record, first, last)


@dataclass(frozen=True, slots=True)
class ListColumn:
    """Lists of strings of all records: the items of record i are `cuts[i]` to `cuts[i + 1]`."""

    lengths: Planes
    cuts: list[int]
    items: TextColumn

    def write(self, sections: Sections, record: int, first: int, last: int) -> None:
        """Append the rows `first` to `last` (exclusive) of a record."""
        self.lengths.write(sections.numbers, record, first, last)
        self.items.write(sections, record, self.cuts[record], self.cuts[record + 1])


@dataclass(frozen=True, slots=True)
class Table:
    """A frame ready to be written record by record.

    Attributes:
        cuts: row at which each record begins, and the last one ends.
        columns: its columns.
        flags: null flags of those columns that have any.
        masks: the set of columns with nulls in each record, bit i for column i.
    """

    cuts: list[int]
    columns: list[IntegerColumn | TextColumn | ListColumn]
    flags: dict[int, Planes]
    masks: list[int]

    def write(self, sections: Sections, record: int) -> None:
        """Append the rows of a record."""
        first, last, mask = self.cuts[record], self.cuts[record + 1], self.masks[record]
        sections.text.append(varint(mask))
        for index, column in enumerate(self.columns):
            if mask >> index & 1:
                self.flags[index].write(sections.numbers, record, first, last)
            column.write(sections, record, first, last)


def prepare_table(
    frame: pl.DataFrame,
    columns: Sequence[Column],
    bounds: Integers,
    predictions: Mapping[str, Integers] = _NO_PREDICTIONS,
) -> Table:
    """A frame, ready to be written record by record.

    Args:
        frame: has `columns`.
        columns: what is written, in order.
        bounds: row at which each record begins, and the last one ends.
        predictions: expected value of each row of some integer columns.
    """
    series = [frame[column.name] for column in columns]
    flags: dict[int, Planes] = {}
    masks = np.zeros(bounds.size - 1, np.int64)
    for index, one in enumerate(series):
        if one.null_count():
            nulls = one.is_null().to_numpy().astype(np.uint64)
            flags[index] = planes(nulls, bounds)
            masks |= reduced(np.maximum, nulls, bounds).astype(np.int64) << index
    prepared = [_prepare(one, bounds, predictions.get(one.name)) for one in series]
    return Table(bounds.tolist(), prepared, flags, masks.tolist())


def _prepare(
    series: pl.Series, bounds: Integers, prediction: Integers | None
) -> IntegerColumn | TextColumn | ListColumn:
    if series.dtype == pl.String or series.dtype == pl.Binary:
        filled = series.fill_null("" if series.dtype == pl.String else b"") if series.null_count() else series
        return text_column(texts(filled), bounds)
    if series.dtype == _LIST:
        lengths = series.list.len().fill_null(0).cast(pl.Int64).to_numpy()
        cuts = bounds_of(lengths)[bounds]
        items = texts(series.filter(pl.Series(lengths) > 0).explode())
        return ListColumn(planes(lengths.view(np.uint64), bounds), cuts.tolist(), text_column(items, cuts))
    return IntegerColumn(planes(zigzag(_residuals(series, bounds, prediction)), bounds))


def _residuals(series: pl.Series, bounds: Integers, prediction: Integers | None) -> Integers:
    """What is written of integers: each less its prediction, 0 for a null."""
    whole = series.to_physical() if series.dtype.is_temporal() else series
    values = (
        (whole.fill_null(False if series.dtype == pl.Boolean else 0) if series.null_count() else whole)
        .to_numpy()
        .astype(np.int64)
    )
    if not series.null_count():
        return differences(values, bounds[:-1]) if prediction is None else values - prediction
    valid = series.is_not_null().to_numpy()
    if prediction is not None:
        return np.where(valid, values - prediction, 0)
    shown = np.maximum.accumulate(np.where(valid, np.arange(values.size), -1))
    begin = np.repeat(bounds[:-1], np.diff(bounds))
    return differences(np.where(shown >= begin, values[shown], 0), bounds[:-1])


class TableReader:
    """Reads the rows of one record after the other, and makes one frame of them all."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = columns
        self._readers = [_READER.get(column.dtype, _IntegerReader)() for column in columns]
        self._nulls: dict[int, list[tuple[int, PlanesReader]]] = {}
        self._counts: list[int] = []

    def read(self, cursor: Cursor, count: int) -> None:
        """Read the next `count` rows.

        Raises:
            Malformed: no writer writes this.
        """
        mask = cursor.varint()
        record = len(self._counts)
        self._counts.append(count)
        for index, reader in enumerate(self._readers):
            if mask >> index & 1:
                flags = PlanesReader()
                flags.read(cursor, count)
                self._nulls.setdefault(index, []).append((record, flags))
            reader.read(cursor, count)

    @property
    def bounds(self) -> Integers:
        """Row at which each record begins, and the last one ends."""
        return bounds_of(self._counts)

    def series(self, predictions: Mapping[str, Integers] = _NO_PREDICTIONS) -> list[pl.Series]:
        """Every column, all rows read; `predictions` as when they were written."""
        bounds = self.bounds
        return [
            self._with_nulls(index, reader.series(column, bounds, predictions.get(column.name)), bounds)
            for index, (column, reader) in enumerate(zip(self._columns, self._readers, strict=True))
        ]

    def _with_nulls(self, index: int, values: pl.Series, bounds: Integers) -> pl.Series:
        name = self._columns[index].name
        if index not in self._nulls:
            return values.alias(name)
        nulls = np.zeros(int(bounds[-1]), np.bool_)
        for record, flags in self._nulls[index]:
            nulls[bounds[record] : bounds[record + 1]] = flags.unsigned() > 0
        return values.set(pl.Series(nulls), None).alias(name)


class _IntegerReader(PlanesReader):
    __slots__ = ()

    def series(self, column: Column, bounds: Integers, prediction: Integers | None) -> pl.Series:
        residual = self.signed()
        values = sums(residual, bounds) if prediction is None else residual + prediction
        return pl.Series(values, dtype=pl.Int64).cast(column.dtype)


class _TextReader(TextReader):
    __slots__ = ()

    def series(self, column: Column, _bounds: Integers, _prediction: Integers | None) -> pl.Series:
        return self.binary().cast(column.dtype)


class _ListReader:
    def __init__(self) -> None:
        self._counts = PlanesReader()
        self._items = TextReader()

    def read(self, cursor: Cursor, count: int) -> None:
        self._counts.read(cursor, count)
        self._items.read(cursor, self._counts.last_sum())

    def series(self, _column: Column, _bounds: Integers, _prediction: Integers | None) -> pl.Series:
        text, offsets = self._items.binary().cast(pl.String), bounds_of(self._counts.unsigned().view(np.int64))
        array = pa.LargeListArray.from_arrays(pa.array(offsets), text.to_arrow(compat_level=pl.CompatLevel.oldest()))
        return pl.Series(array, dtype=_LIST)


_READER: dict[object, type[_IntegerReader | _TextReader | _ListReader]] = {
    pl.String: _TextReader,
    pl.Binary: _TextReader,
    _LIST: _ListReader,
}
