"""What the positions of a template are: its pattern, as bytes and taken apart."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np

from store.chunks.columns import Cursor, Integers, Malformed, varint
from store.chunks.forms import FORMS
from store.chunks.radix import Alphabet, alphabet
from store.chunks.ragged import Mask
from store.chunks.xorshift import LETTERS

CONSTANT, DECIMAL, HEXADECIMAL, CONTINUED, WORD, SEEDED = range(6)
"""Codes of positions; beyond them see `drawn`."""

UNPADDED, SHORTENED = range(2)
"""Kinds of fields whose leading characters may be absent: zeros that are not written, or any number that is stored."""

RADIX = {DECIMAL: 10, HEXADECIMAL: 16}
DIGITS = {DECIMAL: 18, HEXADECIMAL: 15}
MAX_LENGTH = 1000
_FIRST = 6
_LAST = 5 + 2 * 0xFFFF


@dataclass(frozen=True, slots=True)
class Field:
    """Positions `begin` to `end` (exclusive), of which the first ones may be absent."""

    begin: int
    end: int
    kind: int


@dataclass(frozen=True, slots=True)
class Stream:
    """The drawn characters of one alphabet: at which positions, and whether once for each file.

    Attributes:
        shortened: the field (place in `Pattern.fields`) that each position lies in and that is `SHORTENED`; -1: none.
    """

    letters: Alphabet
    per_file: bool
    positions: Integers
    shortened: Integers


@dataclass(frozen=True, slots=True)
class Pattern:
    """Form and place of what is derived, and the positions of the rest.

    Attributes:
        form: 0, or a form of `FORMS`, counted from 1.
        place: position before which its text stands.
        codes: one for each position.
        constants: the positions of constant text.
        streams: the drawn characters, by code.
        numbers: code and positions of each number.
        words: begin and end of each field of words.
        seeded: the positions of letters that follow from a seed; all of an id, or none.
        fields: those whose characters may be absent.
    """

    form: int
    place: int
    codes: Integers
    constants: Integers
    streams: tuple[Stream, ...]
    numbers: tuple[tuple[int, list[int]], ...]
    words: tuple[tuple[int, int], ...]
    seeded: Integers
    fields: tuple[Field, ...]

    @property
    def per_file(self) -> bool:
        """Whether some characters are stored once for each file."""
        return any(stream.per_file for stream in self.streams)


def drawn(classes: Integers, per_file: Mask) -> Integers:
    """The codes of positions with characters of an alphabet, drawn for each id or for each file."""
    return 4 + 2 * classes + per_file


def described(form: int, place: int, codes: Integers, fields: tuple[Field, ...]) -> bytes:
    """A pattern as bytes."""
    edges = [0, *(np.flatnonzero(codes[1:] != codes[:-1]) + 1).tolist(), codes.size]
    parts = [varint(form), varint(place), varint(codes.size)]
    parts += [varint(end - begin) + varint(int(codes[begin])) for begin, end in pairwise(edges) if end > begin]
    parts.append(varint(len(fields)))
    parts += [varint(field.begin) + varint(field.end - field.begin) + varint(field.kind) for field in fields]
    return b"".join(parts)


@lru_cache(4096)
def pattern(description: bytes) -> Pattern:
    """The inverse of `described`.

    Raises:
        Malformed: no writer writes this.
    """
    cursor = Cursor(description, 0, len(description), 0)
    form, place, length = cursor.varint(), cursor.varint(), cursor.varint()
    if form > len(FORMS) or place > length or length > MAX_LENGTH:
        raise Malformed("a template that no writer writes")
    codes = np.zeros(length, np.int64)
    runs: list[tuple[int, int, int]] = []
    done = 0
    while done < length:
        count, code = cursor.varint(), cursor.varint()
        if not 0 < count <= length - done or code > _LAST:
            raise Malformed("positions that no writer writes")
        codes[done : done + count] = code
        runs.append((done, done + count, code))
        done += count
    fields = tuple(_field(cursor, codes) for _ in range(_few(cursor.varint())))
    cursor.end()
    words = tuple((begin, end) for begin, end, code in runs if code == WORD)
    spans = sorted([*((field.begin, field.end) for field in fields), *words])
    if any(first[1] > second[0] for first, second in pairwise(spans)) or (spans and form):
        raise Malformed("fields that no writer writes")
    seeded = np.flatnonzero(codes == SEEDED)
    if seeded.size not in (0, LETTERS):
        raise Malformed("not all letters of an id")
    streams = tuple(_stream(code, codes, fields) for code in np.unique(codes[codes >= _FIRST]).tolist())
    return Pattern(
        form, place, codes, np.flatnonzero(codes == CONSTANT), streams, tuple(_numbers(codes)), words, seeded, fields
    )


def _few(count: int) -> int:
    if count > MAX_LENGTH:
        raise Malformed("too many fields")
    return count


def _field(cursor: Cursor, codes: Integers) -> Field:
    begin, length, kind = cursor.varint(), cursor.varint(), cursor.varint()
    field = Field(begin, begin + length, kind)
    own = codes[field.begin : field.end]
    whole = kind == UNPADDED or (kind == SHORTENED and own[:1].sum() >= _FIRST and (own == own[0]).all())
    if not length > 0 or field.end > codes.size or not whole or (kind == SHORTENED and own[0] & 1):
        raise Malformed("a field that no writer writes")
    return field


def _stream(code: int, codes: Integers, fields: tuple[Field, ...]) -> Stream:
    shortened = np.full(codes.size, -1, np.int64)
    for index, field in enumerate(fields):
        if field.kind == SHORTENED:
            shortened[field.begin : field.end] = index
    positions = np.flatnonzero(codes == code)
    return Stream(alphabet((code - 4) >> 1), bool(code & 1), positions, shortened[positions])


def _numbers(codes: Integers) -> list[tuple[int, list[int]]]:
    numbers: list[tuple[int, list[int]]] = []
    for position, code in enumerate(codes.tolist()):
        if code in RADIX:
            numbers.append((code, [position]))
        elif code == CONTINUED:
            if not numbers:
                raise Malformed("a number goes on that never began")
            numbers[-1][1].append(position)
            if len(numbers[-1][1]) > DIGITS[numbers[-1][0]]:
                raise Malformed("a number has too many digits")
    return numbers
