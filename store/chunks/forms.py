"""Counters and subjects as tools write them into message-ids: text that follows from the segment and its file."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

import numpy as np
import polars as pl

from pipeline.compiled import compiled
from pipeline.texts import Texts, texts
from store.chunks.columns import Integers
from store.chunks.radix import Bytes
from store.chunks.ragged import Mask, Ragged, beside, constant, decimal, ending_at


class Fact(Enum):
    """What a form takes from the segment or its file."""

    NUMBER = auto()
    NUMBER_FROM_ZERO = auto()
    TOTAL = auto()
    SUBJECT = auto()


Form = tuple[str | Fact, ...]

FORMS: tuple[Form, ...] = (
    ("part", Fact.NUMBER, "of", Fact.TOTAL, "."),  # PowerPost and its forks
    ("Part", Fact.NUMBER, "of", Fact.TOTAL, "."),
    ("_", Fact.NUMBER, "o", Fact.TOTAL, "@"),  # JBinUp
    (".", Fact.NUMBER, "@"),  # newsmangler
    (".", Fact.NUMBER_FROM_ZERO, "@"),  # post2usenet
    (".", Fact.NUMBER, "-", Fact.TOTAL, "@"),  # JBinDown
    (Fact.SUBJECT, "@"),  # ngPost -x
)
"""Form i + 1 of a template is `FORMS[i]`; form 0 derives nothing. Appended to only, since files name them by number."""

_LONGEST = 400
"""Bytes a form is looked for in, and a subject may have."""


@dataclass(frozen=True, slots=True)
class Places:
    """Where ids stand.

    Attributes:
        numbers: segment number of each id.
        files: file of each id, ascending.
        totals: segments expected of each file.
        subjects: subject of each file.
    """

    numbers: Integers
    files: Integers
    totals: Integers
    subjects: pl.Series

    def at(self, rows: Integers) -> Places:
        """The places of some ids."""
        return Places(self.numbers[rows], self.files[rows], self.totals, self.subjects)

    def articles(self) -> Integers:
        """For each id how many articles come before it, if its files follow each other and none is missing."""
        expected = np.maximum(self.totals, 0)
        return (np.cumsum(expected) - expected)[self.files] + self.numbers


@dataclass(frozen=True, slots=True)
class Derived:
    """What of each id is derived: its form, the byte at which it begins, and its bytes. Form 0 derives nothing."""

    form: Integers
    place: Integers
    length: Integers


def written(form: Form, places: Places) -> Ragged:
    """The text of a form for each id.

    Raises:
        Malformed: a counter is negative.
    """
    height = places.numbers.size
    return beside(*(constant(part.encode(), height) if isinstance(part, str) else _fact(part, places) for part in form))


def _fact(fact: Fact, places: Places) -> Ragged:
    match fact:
        case Fact.NUMBER:
            return decimal(places.numbers)
        case Fact.NUMBER_FROM_ZERO:
            return decimal(places.numbers - 1)
        case Fact.TOTAL:
            return decimal(places.totals[places.files])
        case Fact.SUBJECT:
            text = texts(places.subjects)
            lengths, ends = text.lengths[places.files], text.offsets[1:][places.files]
            return ending_at(text.octets, ends, lengths, int(lengths.max(initial=0)))


def derive(ids: pl.Series, text: Texts, places: Places) -> Derived:
    """What of each id follows from its place. The first id of a file shows which form to look for, and where.

    Args:
        ids: String, without nulls.
        text: their bytes.
        places: where they stand.
    """
    form, place, length = (np.zeros(len(ids), np.int64) for _ in range(3))
    fresh = np.flatnonzero(np.diff(places.files, prepend=-1))
    leads, files = ids.gather(fresh), places.files[fresh]
    form_of, place_of = np.zeros((2, places.totals.size), np.int64)
    for ordinal, parts in enumerate(FORMS, start=1):
        left = np.flatnonzero(form_of[files] == 0)
        found = _find(parts, leads.gather(left), places.at(fresh[left]))
        shown = found >= 0
        form_of[files[left[shown]]], place_of[files[left[shown]]] = ordinal, found[shown]
    sensible = (places.numbers > 0) & (places.totals >= 0)[places.files]
    for ordinal in np.unique(form_of[form_of > 0]).tolist():
        rows = np.flatnonzero((form_of[places.files] == ordinal) & sensible)
        expected = written(FORMS[ordinal - 1], places.at(rows))
        begin, lengths = place_of[places.files[rows]], expected.lengths
        same = _holds(text, rows, begin, expected)
        own = rows[same]
        form[own], place[own], length[own] = ordinal, begin[same], lengths[same]
    return Derived(form, place, length)


def _find(form: Form, ids: pl.Series, places: Places) -> Integers:
    """Where the text of a form begins in each id; -1: nowhere."""
    start = form[0] if isinstance(form[0], str) else "@"
    likely = np.flatnonzero(ids.str.contains(start, literal=True).to_numpy())
    found = np.full(len(ids), -1, np.int64)
    if likely.size:
        near = places.at(likely)
        facts = {
            Fact.NUMBER: pl.lit(pl.Series(near.numbers)).cast(pl.String),
            Fact.NUMBER_FROM_ZERO: pl.lit(pl.Series(near.numbers - 1)).cast(pl.String),
            Fact.TOTAL: pl.lit(pl.Series(near.totals[near.files])).cast(pl.String),
            Fact.SUBJECT: pl.lit(near.subjects.gather(near.files)),
        }
        literal = pl.concat_str(pl.lit(part) if isinstance(part, str) else facts[part] for part in form)
        at = pl.select(pl.lit(ids.gather(likely)).str.find(literal, literal=True)).to_series()
        places_found = at.cast(pl.Int64).fill_null(-1).to_numpy()
        if form[0] is Fact.SUBJECT:
            sizes = near.subjects.gather(near.files).str.len_bytes().to_numpy()
            places_found = np.where((sizes > 0) & (sizes <= _LONGEST) & (places_found == 0), 0, -1)
        found[likely] = np.where(places_found <= _LONGEST, places_found, -1)
    return found


def _holds(text: Texts, rows: Integers, begins: Integers, expected: Ragged) -> Mask:
    """Whether each of `rows` has the expected characters from its byte `begins` on."""
    absent = np.zeros((0, 0), np.bool_) if expected.absent is None else expected.absent
    return _hold(text.offsets, text.octets, rows, begins, expected.characters, absent)


@compiled
def _hold(offsets: Integers, octets: Bytes, rows: Integers, begins: Integers, expected: Bytes, absent: Mask) -> Mask:
    held = np.ones(rows.size, np.bool_)
    for row in range(rows.size):
        at, end = offsets[rows[row]] + begins[row], offsets[rows[row] + 1]
        for column in range(expected.shape[1]):
            if absent.size and absent[row, column]:
                continue
            if at >= end or octets[at] != expected[row, column]:
                held[row] = False
                break
            at += 1
    return held
