"""The template codec of message-ids.

The ids of a record are sorted into templates: same derived text, same length of the rest, same ending; or the same marks (`@`, `.`, `$`)
in the same order where lengths differ. Ids that fit no template with others are stored as they are. Nothing is guessed on reading:
every id comes back byte for byte, whatever it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.texts import Texts, texts
from store.chunks.columns import (
    Cursor,
    Integers,
    Malformed,
    Planes,
    PlanesReader,
    Sections,
    TextColumn,
    TextReader,
    binary_series,
    bounds_of,
    planes,
    reduced,
    text_column,
    varint,
)
from store.chunks.fields import fielded
from store.chunks.forms import Derived, Places, derive
from store.chunks.patterns import MAX_LENGTH, pattern
from store.chunks.ragged import Ragged, windows
from store.chunks.runs import with_runs
from store.chunks.templates import Group, PatternReader, templates

_MIN_ROWS = 4


@dataclass(frozen=True, slots=True)
class Ids:
    """The ids of a batch, encoded, ready to be cut record by record.

    Attributes:
        templates: those of each record.
        template_of: the template of each id.
        plain: the ids that stand as they are.
        plain_cuts: where those of each record begin, and the last ones end.
    """

    templates: list[list[Sections]]
    template_of: Planes
    plain: TextColumn
    plain_cuts: list[int]

    def write(self, sections: Sections, record: int, first: int, last: int) -> None:
        """Append the ids of a record, which are the rows `first` to `last` (exclusive)."""
        sections.text.append(varint(len(self.templates[record])))
        self.template_of.write(sections.numbers, record, first, last)
        for template in self.templates[record]:
            sections.extend(template)
        self.plain.write(sections, record, self.plain_cuts[record], self.plain_cuts[record + 1])


def prepare_ids(ids: pl.Series, places: Places, bounds: Integers) -> Ids:
    """Encode all ids of a batch.

    Args:
        ids: String, without nulls.
        places: where they stand.
        bounds: row at which the ids of each record begin, and the last ones end.
    """
    text = texts(ids)
    derived = derive(ids, text, places)
    found: list[list[Sections]] = [[] for _ in range(bounds.size - 1)]
    template_of = np.full(len(ids), -1, np.int64)
    for group in _groups(text, derived, places, bounds):
        for record, template, begin, end in zip(
            group.records, templates(group), group.bounds[:-1].tolist(), group.bounds[1:].tolist(), strict=True
        ):
            template_of[group.rows[begin:end]] = len(found[record])
            found[record].append(template)
    counts = np.array([len(own) for own in found], np.int64)
    plain = template_of < 0
    template_of[plain] = np.repeat(counts, np.diff(bounds))[plain]
    cuts = bounds_of(plain.astype(np.int64))[bounds]
    return Ids(
        found,
        planes(template_of.view(np.uint64), bounds),
        text_column(texts(ids.filter(pl.Series(plain))), cuts),
        cuts.tolist(),
    )


def _groups(text: Texts, derived: Derived, places: Places, bounds: Integers) -> Iterator[Group]:
    """Ids that share a template with others of their record, by template."""
    rest = text.lengths - derived.length
    key = (
        derived.form.astype(np.uint64) << np.uint64(60)
        | np.minimum(derived.place, 4095).astype(np.uint64) << np.uint64(48)
        | np.minimum(rest, 65535).astype(np.uint64) << np.uint64(32)
        | _common_endings(text)
    )
    counts = np.diff(bounds)
    record = np.repeat(np.arange(counts.size), counts)
    differs = np.zeros(key.size, np.uint8)
    differs[1:] = (key[1:] != key[:-1]) & (record[1:] == record[:-1])
    mixed = reduced(np.maximum, differs, bounds) > 0
    left = (rest > 0) & (rest <= MAX_LENGTH)
    rows = np.flatnonzero(mixed[record] & (derived.form == 0))
    for group in fielded(text, rows, record, places.files):
        left[group.rows] = False
        yield group
    yield from _of_one_length(text, derived, places, record, key, np.flatnonzero(left))


def _of_one_length(
    text: Texts, derived: Derived, places: Places, record: Integers, key: NDArray[np.uint64], rows: Integers
) -> Iterator[Group]:
    """Groups of ids with equal keys."""
    for own in _by_key(key[rows], rows):
        change = np.flatnonzero(np.diff(record[own], prepend=-1))
        sizes = np.diff(change, append=own.size)
        enough = np.repeat(sizes >= _MIN_ROWS, sizes)
        if not enough.any():
            continue
        kept, cuts = own[enough], bounds_of(sizes[sizes >= _MIN_ROWS])
        form, place = int(derived.form[kept[0]]), int(derived.place[kept[0]])
        characters = _without(text, kept, place, derived.length[kept])
        owners = record[kept[cuts[:-1]]].tolist()
        group = Group(kept, cuts, owners, characters, places.files[kept], form, place)
        yield from with_runs(group, places.at(kept).articles(), _MIN_ROWS)


def _by_key(keys: NDArray[np.uint64], rows: Integers) -> Iterator[Integers]:
    """The rows of each key, ascending. Keys mostly stay the same from row to row, so only their runs are sorted."""
    if not rows.size:
        return
    begins = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    lengths = np.diff(begins, append=rows.size)
    order = np.argsort(keys[begins], kind="stable")
    sorted_keys = keys[begins][order]
    edges = np.flatnonzero(np.concatenate(([True], sorted_keys[1:] != sorted_keys[:-1]))).tolist()
    for first, last in zip(edges, [*edges[1:], order.size], strict=True):
        runs = order[first:last]
        sizes = lengths[runs]
        yield rows[np.arange(sizes.sum()) + np.repeat(begins[runs] - np.cumsum(sizes) + sizes, sizes)]


def _without(text: Texts, rows: Integers, place: int, derived: Integers) -> Ragged:
    """The ids of `rows` without what is derived, which begins at byte `place`."""
    begin = text.offsets[rows]
    length = int(text.offsets[rows[0] + 1] - begin[0] - derived[0])
    if not derived.any():
        return Ragged(windows(text.octets, begin, length))
    after = windows(text.octets, begin + place + derived, length - place)
    return Ragged(np.hstack((windows(text.octets, begin, place), after)))


def _common_endings(text: Texts) -> NDArray[np.uint64]:
    """The last four bytes of each id as a number where many ids share them, else 0: tools with a fixed domain part ways by it."""
    lengths = text.lengths
    endings = np.zeros(lengths.size, np.uint64)
    rows = np.flatnonzero(lengths >= 4)
    if not rows.size:
        return endings
    last = np.lib.stride_tricks.sliding_window_view(text.octets, 4)[text.offsets[1:][rows] - 4]
    values = np.ascontiguousarray(last).view("<u4").reshape(-1).astype(np.uint64)
    bucket = (values * np.uint64(0x9E3779B1) >> np.uint64(12) & np.uint64(0xFFFF)).astype(np.int64)
    frequent = np.bincount(bucket, minlength=65536) >= max(8, rows.size // 2000)
    endings[rows] = np.where(frequent[bucket], values, np.uint64(0))
    return endings


class IdsReader:
    """Reads the ids of one record after the other, and makes one series of them all."""

    def __init__(self) -> None:
        self._template_of = PlanesReader()
        self._patterns: dict[bytes, tuple[PatternReader, list[Integers]]] = {}
        self._plain = TextReader()
        self._plain_rows: list[Integers] = []
        self._count = 0

    def read(self, cursor: Cursor, count: int) -> None:
        """Read the `count` ids of a record.

        Raises:
            Malformed: no writer writes this.
        """
        total = cursor.varint()
        if total > count:
            raise Malformed("more templates than ids")
        self._template_of.read(cursor, count)
        for rows in self._rows(total, count):
            if not rows.size:
                raise Malformed("a template without ids")
            description = cursor.text(cursor.varint())
            if description not in self._patterns:
                self._patterns[description] = PatternReader(pattern(description)), []
            reader, all_rows = self._patterns[description]
            reader.read(cursor, rows.size)
            all_rows.append(rows)
        self._plain.read(cursor, self._plain_rows[-1].size)
        self._count += count

    def _rows(self, total: int, count: int) -> list[Integers]:
        """The rows of each template of a record; those of the ids that stand as they are go to `_plain_rows`."""
        if total == 1 and not self._template_of.last_width:
            self._plain_rows.append(np.zeros(0, np.int64))
            return [np.arange(self._count, self._count + count)]
        template_of = self._template_of.last()
        if (template_of > total).any():
            raise Malformed("an id without a template")
        order = np.argsort(template_of, kind="stable")
        sizes = np.bincount(template_of.view(np.int64), minlength=total + 1)
        *rows, plain = np.split(self._count + order, np.cumsum(sizes)[:-1])
        self._plain_rows.append(plain)
        return rows

    def series(self, places: Places) -> pl.Series:
        """All ids read, as String; `places` says where they stand.

        Raises:
            Malformed: no writer writes this.
        """
        parts = [self._plain.binary()]
        rows = [np.concatenate([np.zeros(0, np.int64), *self._plain_rows])]
        for reader, all_rows in self._patterns.values():
            own = np.concatenate(all_rows)
            ids = reader.ids(places.at(own))
            parts.append(binary_series(ids.joined(), ids.lengths))
            rows.append(own)
        order = np.concatenate(rows)
        joined = pl.concat(parts).cast(pl.String)
        if (order[1:] > order[:-1]).all():
            return joined
        back = np.empty(order.size, np.int64)
        back[order] = np.arange(order.size)
        return joined.gather(back)
