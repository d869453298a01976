"""Ids whose parts differ in length: split at their marks, and each part aligned at its end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.compiled import compiled
from pipeline.texts import Texts
from store.chunks.columns import Integers, binary_series
from store.chunks.patterns import MAX_LENGTH, SHORTENED, UNPADDED, Field
from store.chunks.radix import Bytes, translated
from store.chunks.ragged import ZERO, Ragged, beside, constant, ending_at
from store.chunks.templates import Group, Words


def _table(members: bytes) -> bytes:
    """1 for the bytes that are members, 0 for the others."""
    return bytes(byte in members for byte in range(256))


_MARKS = (ord("@"), ord("."), ord("$"))
_MOST_MARKS = 8
_MIN_ROWS = 8
_OF_ONE_LENGTH = 0.9
"""Where as many ids of a record are of one length, they are of one tool with parts of fixed length, and the rest is foreign."""

_FEW_WORDS = 32
_DECIMAL_OR_HEX = _table(b"0123456789abcdef")
_BASE36 = _table(b"0123456789abcdefghijklmnopqrstuvwxyz")


@dataclass(frozen=True, slots=True)
class _Part:
    """One part of the ids of a group: its bytes, and how they are taken."""

    ids: Ragged
    kind: int | None = None
    words: tuple[Integers, list[bytes]] | None = None


def fielded(text: Texts, rows: Integers, record: Integers, files: Integers) -> Iterator[Group]:
    """Groups of those of `rows` that have the same marks as others of their record but not the same length.

    Args:
        text: all ids.
        rows: those that are looked at, ascending.
        record: record of each id.
        files: file of each id.
    """
    counts, marks = _marks(text.offsets, text.octets, rows)
    for count in range(1, _MOST_MARKS + 1):
        alike = rows[counts == count]
        if not alike.size:
            continue
        at = marks[counts == count, :count]
        kinds = np.ascontiguousarray(text.octets[at]).astype(np.uint64)
        skeleton = (kinds << (8 * np.arange(count)).astype(np.uint64)).sum(axis=1, dtype=np.uint64)
        for one in np.unique(skeleton):
            shown = skeleton == one
            chosen = _ragged(text.lengths[alike[shown]], record[alike[shown]])
            if chosen.any():
                yield from _group(text, alike[shown][chosen], at[shown][chosen], record, files)


@compiled
def _marks(offsets: Integers, octets: Bytes, rows: Integers) -> tuple[Integers, Integers]:
    """How many marks each of `rows` has, and where the first of them stand."""
    counts, places = np.zeros(rows.size, np.int64), np.zeros((rows.size, _MOST_MARKS), np.int64)
    for row in range(rows.size):
        for at in range(offsets[rows[row]], offsets[rows[row] + 1]):
            if octets[at] in _MARKS:
                if counts[row] < _MOST_MARKS:
                    places[row, counts[row]] = at
                counts[row] += 1
    return counts, places


def _ragged(lengths: Integers, record: Integers) -> NDArray[np.bool_]:
    """Rows of records in which no length prevails."""
    change = np.flatnonzero(np.diff(record, prepend=-1))
    sizes = np.diff(change, append=record.size)
    own = np.repeat(np.arange(sizes.size), sizes)
    longest = int(lengths.max()) + 1
    lengths_of, counts = np.unique(own * longest + lengths, return_counts=True)
    most = np.zeros(sizes.size, np.int64)
    np.maximum.at(most, lengths_of // longest, counts)
    return ((sizes >= _MIN_ROWS) & (most < _OF_ONE_LENGTH * sizes))[own]


def _group(text: Texts, rows: Integers, marks: Integers, record: Integers, files: Integers) -> Iterator[Group]:
    """The ids of `rows`, whose marks stand at `marks`, as one group."""
    change = np.flatnonzero(np.diff(record[rows], prepend=-1))
    bounds = np.append(change, rows.size)
    begins = np.column_stack((text.offsets[rows], marks + 1))
    ends = np.column_stack((marks, text.offsets[rows + 1]))
    widths = (ends - begins).max(axis=0)
    if int(widths.sum()) + marks.shape[1] > MAX_LENGTH:
        return
    parts = [_part(text, begins[:, i], ends[:, i], int(widths[i]), bounds) for i in range(widths.size)]
    columns: list[Ragged] = []
    fields: list[Field] = []
    words: list[Words] = []
    width = 0
    for index, part in enumerate(parts):
        if index:
            columns.append(constant(text.octets[marks[:1, index - 1]].tobytes(), rows.size))
            width += 1
        columns.append(part.ids)
        end = width + part.ids.characters.shape[1]
        if part.words is not None and end > width:
            words.append(Words(width, end, *part.words))
        elif part.kind is not None:
            fields.append(Field(width, end, part.kind))
        width = end
    ids, owners = beside(*columns), record[rows[change]].tolist()
    yield Group(rows, bounds, owners, ids, files[rows], fields=tuple(fields), words=tuple(words))


def _part(text: Texts, begins: Integers, ends: Integers, width: int, bounds: Integers) -> _Part:
    """How a part is taken: as it is, as a number without padding, as one of few words, or shortened."""
    lengths = ends - begins
    ids = ending_at(text.octets, ends, lengths, width)
    fixed = bool((lengths == width).all())
    if width == 0:
        return _Part(Ragged(ids.characters))
    words = _words(ids, lengths, bounds, fixed)
    if words is not None:
        return _Part(ids, words=words)
    if fixed:
        return _Part(Ragged(ids.characters))
    if _is_number(ids, lengths):
        characters = ids.characters.copy()
        characters[_absent(ids)] = ZERO
        return _Part(Ragged(characters, ids.absent), UNPADDED)
    return _Part(ids, SHORTENED)


def _words(ids: Ragged, lengths: Integers, bounds: Integers, fixed: bool) -> tuple[Integers, list[bytes]] | None:
    """(word of each row, the words) where each record has few of them; None otherwise, and where they are all the same."""
    texts = binary_series(ids.joined(), lengths)
    if texts.n_unique() > max(64, lengths.size // 16):
        return None
    unique = texts.unique(maintain_order=True)
    ordinals = pl.DataFrame({"text": unique, "ordinal": pl.Series(range(len(unique)), dtype=pl.Int64)})
    word = texts.to_frame("text").join(ordinals, on="text", how="left", maintain_order="left")["ordinal"].to_numpy()
    own = np.repeat(np.arange(bounds.size - 1), np.diff(bounds))
    used = np.unique(own * len(unique) + word) // len(unique)
    distinct = np.bincount(used, minlength=bounds.size - 1)
    if (fixed and (distinct == 1).all()) or (distinct > np.minimum(_FEW_WORDS, np.diff(bounds) // 4)).any():
        return None
    return word, unique.to_list()


def _is_number(ids: Ragged, lengths: Integers) -> bool:
    """Whether a part reads as numbers without padding."""
    width = ids.characters.shape[1]
    first = ids.characters[np.arange(lengths.size), np.minimum(width - lengths, width - 1)]
    if ((lengths == 0) | ((first == ZERO) & (lengths > 1))).any():
        return False
    shown = _absent(ids) | translated(ids.characters, _BASE36).view(np.bool_)
    if not shown.all():
        return False
    digits = (_absent(ids) | translated(ids.characters, _DECIMAL_OR_HEX).view(np.bool_)).all()
    return bool(digits) or bool((lengths == width).mean() >= 0.6)


def _absent(ids: Ragged) -> NDArray[np.bool_]:
    return np.zeros(ids.characters.shape, np.bool_) if ids.absent is None else ids.absent
