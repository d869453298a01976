"""The template codec of message-ids.

The ids of a record are sorted into templates: same counter form, same length of the rest, same ending. Within a template each character
position is one of: the same in all ids; the same within each file; part of a number that grows (a time); or random, and then packed with
all positions of the same alphabet. Ids that fit no template with others are stored as they are. Nothing is guessed on reading:
every id comes back byte for byte, whatever it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import polars as pl
from numpy.typing import NDArray

from store.chunks.columns import (
    Cursor,
    Integers,
    Malformed,
    Sections,
    Text,
    binary_series,
    differences,
    planes,
    read_integers,
    read_planes,
    read_text,
    text_of,
    varint,
    write_integers,
    zigzag,
)
from store.chunks.radix import CLASS_OF, DECIMAL, HEXADECIMAL, Bytes, alphabet, common_alphabet, pack, unpack


@dataclass(frozen=True, slots=True)
class CounterForm:
    """How a tool writes the segment counter into an id: `before`, number - `base`, then `between` and the total, `after`."""

    before: str
    base: int
    between: str | None
    after: str

    def literals(self, numbers: pl.Series, totals: pl.Series) -> pl.Series:
        """The counter's text for each row."""
        parts = [pl.lit(self.before), (pl.lit(numbers) - self.base).cast(pl.String)]
        if self.between is not None:
            parts += [pl.lit(self.between), pl.lit(totals).cast(pl.String)]
        return pl.select(pl.concat_str(*parts, pl.lit(self.after)).alias("literal")).to_series()


FORMS: tuple[CounterForm, ...] = (
    CounterForm("part", 0, "of", "."),  # PowerPost and its forks
    CounterForm("Part", 0, "of", "."),
    CounterForm("_", 0, "o", "@"),  # JBinUp
    CounterForm(".", 0, None, "@"),  # newsmangler
    CounterForm(".", 1, None, "@"),  # post2usenet
)
"""Template form i + 1 is `FORMS[i]`; form 0 has no counter. Appended to only, since files name them by number."""

_MIN_ROWS = 4
_MAX_LENGTH = 1000
_SURE_ROWS = 64
_CONSTANT, _DECIMAL, _HEXADECIMAL, _CONTINUED, _FIRST_ALPHABET = 0, 1, 2, 3, 4
_NUMBER = re.compile(rb"D[Dd]*\.[Dd]+(?![DdHh])|[DH][DdHh]*")
_DIGITS = {_DECIMAL: 18, _HEXADECIMAL: 15}
_RADIX = {_DECIMAL: 10, _HEXADECIMAL: 16}
_DIGIT = np.frombuffer(b"0123456789abcdef", np.uint8)
_DIGIT_VALUE = np.zeros(256, np.int64)
_DIGIT_VALUE[_DIGIT] = np.arange(16)


@dataclass(frozen=True, slots=True)
class Ids:
    """The ids of a batch, ready to be encoded record by record.

    Attributes:
        text: their bytes.
        form: counter form of each id.
        place: where the counter's text begins in the id.
        literal: bytes of the counter's text.
        key: equal for ids that may share a template.
        files: ordinal of the file of each id, ascending.
    """

    text: Text
    form: NDArray[np.uint8]
    place: Integers
    literal: Integers
    key: NDArray[np.uint64]
    files: Integers


def prepare(ids: pl.Series, numbers: pl.Series, totals: Integers, first_rows: Integers, files: Integers) -> Ids:
    """Look at all ids of a batch at once.

    Args:
        ids: String, without nulls.
        numbers: segment number of each id, Int32.
        totals: segments expected of the file of each id.
        first_rows: row of the first segment of each file that has segments.
        files: ordinal into `first_rows` of the file of each id.
    """
    text = text_of(ids)
    form, place, literal = _counters(ids, numbers, totals, first_rows, files)
    rest = text.lengths - literal
    key = (
        form.astype(np.uint64) << np.uint64(60)
        | np.minimum(place, 4095).astype(np.uint64) << np.uint64(48)
        | np.minimum(rest, 65535).astype(np.uint64) << np.uint64(32)
        | _common_endings(text)
    )
    return Ids(text, form, place, literal, key, files)


def _counters(
    ids: pl.Series, numbers: pl.Series, totals: Integers, first_rows: Integers, files: Integers
) -> tuple[NDArray[np.uint8], Integers, Integers]:
    """Form, place and length of the counter in each id; the first id of a file shows which form to look for."""
    form, place, literal = np.zeros(len(ids), np.uint8), np.zeros(len(ids), np.int64), np.zeros(len(ids), np.int64)
    form_of_file = np.zeros(first_rows.size, np.uint8)
    for ordinal, counter in enumerate(FORMS, start=1):
        open_files = np.flatnonzero(form_of_file == 0)
        found, _ = _find(counter, ids, numbers, totals, first_rows[open_files])
        form_of_file[open_files[found >= 0]] = ordinal
    wanted = form_of_file[files]
    for ordinal in np.unique(form_of_file[form_of_file > 0]):
        rows = np.flatnonzero(wanted == ordinal)
        found, lengths = _find(FORMS[ordinal - 1], ids, numbers, totals, rows)
        has = (found >= 0) & (found < _MAX_LENGTH)
        form[rows[has]], place[rows[has]], literal[rows[has]] = ordinal, found[has], lengths[has]
    return form, place, literal


def _find(
    counter: CounterForm, ids: pl.Series, numbers: pl.Series, totals: Integers, rows: Integers
) -> tuple[Integers, Integers]:
    """For each of `rows` where the counter's text begins in the id (-1: nowhere) and its length. Only ASCII ids have counters."""
    some = ids.gather(rows)
    found, lengths = np.full(rows.size, -1, np.int64), np.zeros(rows.size, np.int64)
    likely = np.flatnonzero(
        (some.str.contains(counter.before, literal=True) & (some.str.len_bytes() == some.str.len_chars())).to_numpy()
    )
    if likely.size:
        literals = counter.literals(numbers.gather(rows[likely]), pl.Series(totals[rows[likely]]))
        places = pl.select(pl.lit(some.gather(likely)).str.find(pl.lit(literals), literal=True)).to_series()
        found[likely] = places.cast(pl.Int64).fill_null(-1).to_numpy()
        lengths[likely] = literals.str.len_bytes().cast(pl.Int64).to_numpy()
    return found, lengths


def _common_endings(text: Text) -> NDArray[np.uint64]:
    """The last four bytes of each id as a number where many ids share them, else 0: tools with a fixed domain part ways by it."""
    lengths = text.lengths
    endings = np.zeros(lengths.size, np.uint64)
    rows = np.flatnonzero(lengths >= 4)
    if not rows.size:
        return endings
    last = np.lib.stride_tricks.sliding_window_view(text.data, 4)[text.offsets[1:][rows] - 4]
    values = np.ascontiguousarray(last).view("<u4").reshape(-1).astype(np.uint64)
    bucket = (values * np.uint64(0x9E3779B1) >> np.uint64(12) & np.uint64(0xFFFF)).astype(np.int64)
    frequent = np.bincount(bucket, minlength=65536) >= max(8, rows.size // 2000)
    endings[rows] = np.where(frequent[bucket], values, np.uint64(0))
    return endings


def write_ids(sections: Sections, ids: Ids, first: int, last: int) -> None:
    """Append the ids of rows `first` to `last` (exclusive)."""
    unique, inverse, counts = _distinct(ids.key[first:last])
    lengths = unique >> np.uint64(32) & np.uint64(0xFFFF)
    kept = np.flatnonzero((counts >= _MIN_ROWS) & (lengths > 0) & (lengths <= _MAX_LENGTH))
    ordinal = np.full(unique.size, kept.size, np.uint64)
    ordinal[kept] = np.arange(kept.size, dtype=np.uint64)
    template_of = ordinal[inverse]
    sections.text.append(varint(kept.size))
    sections.numbers += planes(template_of)
    for template in range(kept.size):
        _write_template(sections, ids, first + np.flatnonzero(template_of == template))
    _write_plain(sections, ids.text, first + np.flatnonzero(template_of == kept.size))


def _distinct(keys: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], Integers, Integers]:
    if keys.size and (keys == keys[0]).all():
        return keys[:1], np.zeros(keys.size, np.int64), np.array([keys.size])
    return np.unique(keys, return_inverse=True, return_counts=True)


def _write_plain(sections: Sections, text: Text, rows: Integers) -> None:
    lengths = text.lengths[rows]
    sections.numbers += planes(lengths.view(np.uint64))
    sections.text += [text.data[text.offsets[row] : text.offsets[row + 1]].tobytes() for row in rows]


def _write_template(sections: Sections, ids: Ids, rows: Integers) -> None:
    """One template: where the counter stands, what each position is, then what varies."""
    characters, place, form = _characters(ids, rows), int(ids.place[rows[0]]), int(ids.form[rows[0]])
    files = ids.files[rows]
    leads = np.flatnonzero(np.concatenate(([True], files[1:] != files[:-1])))
    codes = _position_codes(characters, leads)
    sections.text += [varint(form), varint(place), varint(codes.size), _runs(codes, characters[0])]
    for code in np.unique(codes[codes >= _FIRST_ALPHABET]):
        classes, per_file = int(code - _FIRST_ALPHABET) >> 1, int(code - _FIRST_ALPHABET) & 1
        shown = characters[leads] if per_file else characters
        sections.packed.append(pack(shown[:, codes == code].reshape(-1), alphabet(classes)))
    for radix, positions in _numbers(codes):
        write_integers(sections, differences(_values(characters, positions, radix), np.zeros(1, np.int64)))


def _characters(ids: Ids, rows: Integers) -> Bytes:
    """The ids of a template without their counters, one row each."""
    begin, end = ids.text.offsets[rows], ids.text.offsets[rows + 1]
    place, literal = int(ids.place[rows[0]]), ids.literal[rows]
    length = int(end[0] - begin[0] - literal[0])
    if not literal.any():
        return _window(ids.text.data, begin, length)
    after = _window(ids.text.data, begin + place + literal, length - place)
    return np.hstack((_window(ids.text.data, begin, place), after))


def _window(data: Bytes, begin: Integers, width: int) -> Bytes:
    if width == 0:
        return np.zeros((begin.size, 0), np.uint8)
    return np.lib.stride_tricks.sliding_window_view(data, width)[begin]


def _position_codes(characters: Bytes, leads: Integers) -> Integers:
    """What each position is: a code per column of `characters`."""
    classes = np.bitwise_or.reduce(CLASS_OF[characters], axis=0).astype(np.int64)
    constant = (characters == characters[0]).all(axis=0)
    held = np.zeros(constant.size, np.bool_)
    if 1 < leads.size <= len(characters) // 2:
        same = characters[1:] == characters[:-1]
        same[leads[1:] - 1] = True
        held = same.all(axis=0) & ~constant
    # Few rows do not show every class of an alphabet, and ragged alphabets pack worse than one that is a little too large.
    unsure = np.where(held, leads.size, len(characters)) < _SURE_ROWS
    shown = np.array(
        [common_alphabet(seen) if some else seen for seen, some in zip(classes.tolist(), unsure.tolist(), strict=True)],
        np.int64,
    )
    codes = np.where(constant, _CONSTANT, _FIRST_ALPHABET + (shown << 1 | held))
    for radix, positions in _candidates(classes, constant, held, characters[0]):
        if _grows(_values(characters, positions, radix), len(positions), radix):
            codes[positions] = _CONTINUED
            codes[positions[0]] = radix
    return codes


def _candidates(
    classes: Integers, constant: NDArray[np.bool_], held: NDArray[np.bool_], sample: Bytes
) -> list[tuple[int, list[int]]]:
    """Runs of digits that may be a number: (decimal or hexadecimal, its positions); a constant point inside a decimal run is left out."""
    kinds = np.full(classes.size, ord("x"), np.uint8)
    kinds[(classes | HEXADECIMAL) == HEXADECIMAL] = ord("H")
    kinds[(classes | DECIMAL) == DECIMAL] = ord("D")
    kinds[constant & (kinds != ord("x"))] |= 0x20
    kinds[constant & (sample == ord("."))] = ord(".")
    kinds[held] = ord("x")
    line = kinds.tobytes()
    found: list[tuple[int, list[int]]] = []
    for match in _NUMBER.finditer(line):
        positions = [position for position in range(match.start(), match.end()) if line[position] != ord(".")]
        radix = _HEXADECIMAL if {*line[match.start() : match.end()]} & {*b"Hh"} else _DECIMAL
        if 3 <= len(positions) <= _DIGITS[radix]:
            found.append((radix, positions))
    return found


def _grows(values: Integers, digits: int, radix: int) -> bool:
    """Whether the steps between neighbours take clearly fewer bits than the digits would."""
    steps = zigzag(differences(values, np.zeros(1, np.int64))[1:])
    bits = np.log2(steps + 1.0).mean() + 1
    return bool(bits < 0.85 * digits * np.log2(_RADIX[radix]))


def _values(characters: Bytes, positions: list[int], radix: int) -> Integers:
    """The numbers that the digits at `positions` write."""
    values = np.zeros(len(characters), np.int64)
    digits = _DIGIT_VALUE[characters[:, positions]]
    for column in range(len(positions)):
        values *= _RADIX[radix]
        values += digits[:, column]
    return values


def _numbers(codes: Integers) -> list[tuple[int, list[int]]]:
    """The numbers among the positions: (decimal or hexadecimal, its positions), in order."""
    numbers: list[tuple[int, list[int]]] = []
    for position, code in enumerate(codes.tolist()):
        if code in _DIGITS:
            numbers.append((code, [position]))
        elif code == _CONTINUED:
            if not numbers:
                raise Malformed("a number goes on that never began")
            numbers[-1][1].append(position)
    return numbers


def _runs(codes: Integers, sample: Bytes) -> bytes:
    """Runs of equal codes: length and code, and for constants their text."""
    edges = [0, *(np.flatnonzero(codes[1:] != codes[:-1]) + 1).tolist(), codes.size]
    out: list[bytes] = []
    for begin, end in pairwise(edges):
        code = int(codes[begin])
        out += [varint(end - begin), varint(code)]
        if code == _CONSTANT:
            out.append(sample[begin:end].tobytes())
    return b"".join(out)


@dataclass(frozen=True, slots=True)
class _Piece:
    """Ids of one template of one record: which rows they are, and their bytes without counters."""

    form: int
    place: int
    rows: Integers
    characters: Bytes


class IdsReader:
    """Reads the ids of one record after the other, and makes one series of them all."""

    def __init__(self) -> None:
        self._pieces: list[_Piece] = []
        self._plain_rows: list[Integers] = []
        self._plain_lengths: list[Integers] = []
        self._plain_data: list[memoryview] = []
        self._count = 0

    def read(self, cursor: Cursor, files: Integers) -> None:
        """Read the ids of a record; `files` is the ordinal of the file of each, ascending.

        Raises:
            Malformed: no writer writes this.
        """
        templates = cursor.varint()
        template_of = read_planes(cursor, files.size)
        rows = [np.flatnonzero(template_of == template) for template in range(templates + 1)]
        if sum(some.size for some in rows) != files.size:
            raise Malformed("an id without a template")
        self._pieces += [_read_template(cursor, files, some, self._count) for some in rows[:-1]]
        lengths, data = read_text(cursor, rows[-1].size)
        self._plain_rows.append(self._count + rows[-1])
        self._plain_lengths.append(lengths)
        self._plain_data.append(data)
        self._count += files.size

    def series(self, numbers: pl.Series, totals: Integers) -> pl.Series:
        """All ids read, as String.

        Args:
            numbers: segment number of each id.
            totals: segments expected of the file of each id.
        """
        if not self._count:
            return pl.Series([], dtype=pl.String)
        rows = [np.concatenate(self._plain_rows)]
        parts = [binary_series(b"".join(self._plain_data), np.concatenate(self._plain_lengths)).cast(pl.String)]
        for form, place in sorted({(piece.form, piece.place) for piece in self._pieces}):
            pieces = [piece for piece in self._pieces if (piece.form, piece.place) == (form, place)]
            own = np.concatenate([piece.rows for piece in pieces])
            rows.append(own)
            if form == 0:
                parts.append(_strings([piece.characters for piece in pieces]))
            else:
                literal = FORMS[form - 1].literals(numbers.gather(own), pl.Series(totals[own]))
                before = _strings([piece.characters[:, :place] for piece in pieces])
                after = _strings([piece.characters[:, place:] for piece in pieces])
                parts.append(pl.select(pl.concat_str(pl.lit(before), pl.lit(literal), pl.lit(after))).to_series())
        order = np.concatenate(rows)
        back = np.empty(order.size, np.int64)
        back[order] = np.arange(order.size)
        joined = pl.concat(parts)
        return joined if (back[1:] > back[:-1]).all() else joined.gather(back)


def _read_template(cursor: Cursor, files: Integers, rows: Integers, above: int) -> _Piece:
    form, place, length = cursor.varint(), cursor.varint(), cursor.varint()
    if form > len(FORMS) or place > length or length > _MAX_LENGTH or not rows.size:
        raise Malformed("a template that no writer writes")
    codes, sample = _read_runs(cursor, length)
    characters = np.empty((rows.size, length), np.uint8)
    characters[:] = sample
    own = files[rows]
    change = np.concatenate(([True], own[1:] != own[:-1]))
    for code in np.unique(codes[codes >= _FIRST_ALPHABET]):
        letters, per_file = alphabet(int(code - _FIRST_ALPHABET) >> 1), int(code - _FIRST_ALPHABET) & 1
        positions = np.flatnonzero(codes == code)
        height = int(change.sum()) if per_file else rows.size
        symbols = unpack(cursor.packed(letters.packed_size(height * positions.size)), height * positions.size, letters)
        shown = symbols.reshape(height, positions.size)
        characters[:, positions] = shown[np.cumsum(change) - 1] if per_file else shown
    for radix, positions in _numbers(codes):
        values = np.cumsum(read_integers(cursor, rows.size))
        base = _RADIX[radix]
        for position in reversed(positions):
            higher = values // base
            characters[:, position] = _DIGIT[values - higher * base]
            values = higher
    return _Piece(form, place, above + rows, characters)


def _read_runs(cursor: Cursor, length: int) -> tuple[Integers, Bytes]:
    codes, sample = np.zeros(length, np.int64), np.zeros(length, np.uint8)
    done = 0
    while done < length:
        count, code = cursor.varint(), cursor.varint()
        if (
            not 0 < count <= length - done
            or code in (_FIRST_ALPHABET, _FIRST_ALPHABET + 1)
            or code > _FIRST_ALPHABET + 0x1FFFF
        ):
            raise Malformed("positions that no writer writes")
        codes[done : done + count] = code
        if code == _CONSTANT:
            sample[done : done + count] = np.frombuffer(cursor.text(count), np.uint8)
        done += count
    return codes, sample


def _strings(pieces: list[Bytes]) -> pl.Series:
    lengths = np.concatenate([np.full(len(piece), piece.shape[1], np.int64) for piece in pieces])
    return binary_series(b"".join(piece.tobytes() for piece in pieces), lengths).cast(pl.String)
