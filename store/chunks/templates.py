"""Templates: ids of one record that share a shape, as a matrix of characters, and what it costs to write them.

Each position is one of: the same in all ids; the same within each file; part of a number that grows (a time); or drawn at random, and then
packed with all positions of the same alphabet. The positions are looked at for all records of a batch at once; what a position is, each
record has for itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from pipeline.compiled import compiled
from store.chunks.columns import (
    Cursor,
    Integers,
    Malformed,
    Planes,
    PlanesReader,
    Sections,
    Unsigned,
    bounds_of,
    differences,
    planes,
    reduced,
    sums,
    unzigzag,
    varint,
    zigzag,
)
from store.chunks.forms import FORMS, Places, written
from store.chunks.patterns import (
    CONSTANT,
    CONTINUED,
    DECIMAL,
    DIGITS,
    HEXADECIMAL,
    RADIX,
    SEEDED,
    SHORTENED,
    UNPADDED,
    WORD,
    Field,
    Pattern,
    Stream,
    described,
    drawn,
    pattern,
)
from store.chunks.radix import (
    DECIMAL_DIGITS,
    HEXADECIMAL_DIGITS,
    HIGH_CLASSES,
    LOW_CLASSES,
    Bytes,
    common_alphabet,
    pack,
    translated,
    unpack,
)
from store.chunks.ragged import Mask, Ragged, beside, leading_zeros, missing
from store.chunks.xorshift import LETTERS, PHASES, letters

_SURE_ROWS = 64
_GAP = 64
"""Articles that may be missing among the ids of a seed, beyond as many as there are."""

_MOST = np.iinfo(np.int64).max
_NUMBER = re.compile(rb"D[Dd]*\.[Dd]+(?![DdHh])|[DH][DdHh]*")
_DIGITS = b"0123456789abcdef"
_HEX_DIGIT = _DIGITS.ljust(256, b"f")
_DIGIT_VALUE = bytes(max(_DIGITS.find(byte), 0) for byte in range(256))


@dataclass(frozen=True, slots=True)
class Words:
    """A field that holds one of few words.

    Attributes:
        begin: its first position.
        end: the position after it.
        word: ordinal of the word in each row.
        texts: the words.
    """

    begin: int
    end: int
    word: Integers
    texts: list[bytes]


@dataclass(frozen=True, slots=True)
class Seeds:
    """Where the letters of the ids of some templates come from.

    Attributes:
        states: (templates, 2), and
        phases: of the generator, as `letters` takes them.
        articles: for each id how many articles come before it.
    """

    states: Unsigned
    phases: Integers
    articles: Integers


def drawn_letters(seeds: Seeds, bounds: Integers) -> Bytes:
    """The letters of the ids of all templates, each of which begins with the first id drawn.

    Raises:
        Malformed: ids that are not drawn after the first, or long after it.
    """
    counts = np.diff(bounds)
    after = seeds.articles - np.repeat(seeds.articles[bounds[:-1]], counts)
    most = reduced(np.maximum, after, bounds) + 1
    if (after < 0).any() or (most > 2 * counts + _GAP).any():
        raise Malformed("ids out of order")
    drawn = letters(seeds.states, seeds.phases, most)
    return drawn[np.repeat(bounds_of(most)[:-1], counts) + after]


@dataclass(frozen=True, slots=True)
class Group:
    """Ids of one shape, of many records: one template for each record.

    Attributes:
        rows: their rows among all ids, ascending.
        bounds: where the ids of each record begin in `rows`, and the last ones end.
        records: those records.
        ids: the ids without what is derived. What is absent of an `UNPADDED` field is 0 (the digit).
        files: file of each id.
        form: what is derived.
        place: where it stands.
        fields: those with absent characters.
        words: those that hold words.
        seeds: of the letters of the first positions, where they follow from one.
    """

    rows: Integers
    bounds: Integers
    records: list[int]
    ids: Ragged
    files: Integers
    form: int = 0
    place: int = 0
    fields: tuple[Field, ...] = ()
    words: tuple[Words, ...] = ()
    seeds: Seeds | None = None


def templates(group: Group) -> list[Sections]:
    """The templates of a group, one for each of its records."""
    fresh = np.diff(group.files, prepend=-1) != 0
    fresh[group.bounds[:-1]] = True
    out = [Sections() for _ in group.records]
    for codes, members in _patterns(group, fresh):
        description = described(group.form, group.place, codes, group.fields)
        _write(group, fresh, pattern(description), description, members, out)
    return out


def _patterns(group: Group, fresh: Mask) -> Iterator[tuple[Integers, Integers]]:
    """(codes, ordinals of the records whose positions have them)."""
    characters, starts = group.ids.characters, group.bounds[:-1]
    counts, leads = np.diff(group.bounds), np.add.reduceat(fresh, starts, dtype=np.int64)
    changes = np.empty(characters.shape, np.bool_)
    changes[0] = False
    np.not_equal(characters[1:], characters[:-1], out=changes[1:])
    changes[starts] = False
    constant = ~np.logical_or.reduceat(changes, starts, axis=0)
    changes[fresh] = False
    held = ~np.logical_or.reduceat(changes, starts, axis=0) & ~constant
    held &= ((leads > 1) & (leads <= counts // 2))[:, None]
    classes = _classes(group.ids, group.fields, starts)
    for own in group.fields:
        if own.kind == SHORTENED:
            span = slice(own.begin, own.end)
            seen = np.bitwise_or.reduce(classes[:, span], axis=1)
            classes[:, span] = np.maximum(seen, 1)[:, None]
            constant[:, span] = held[:, span] = False
    codes = np.where(constant, CONSTANT, drawn(_believed(classes, constant, held, counts, leads), held))
    for words in group.words:
        codes[:, words.begin : words.end] = WORD
    if group.seeds is not None:
        codes[:, :LETTERS] = SEEDED
    kinds = _kinds(classes, constant, held, characters[starts], codes)
    # Few different rows of codes: the loop is over these, not over the records.
    for members in _alike(np.hstack((codes.astype(np.int32).view(np.uint8), kinds))):
        yield from _with_numbers(group, codes[members[0]], kinds[members[0]], members)


def _classes(ids: Ragged, fields: tuple[Field, ...], starts: Integers) -> Integers:
    """The classes of characters at each position of each record, what is absent of a `SHORTENED` field left out."""
    out = np.zeros((starts.size, ids.characters.shape[1]), np.int64)
    short = np.zeros(ids.characters.shape[1], np.bool_)
    for own in fields:
        short[own.begin : own.end] |= own.kind == SHORTENED
    absent = np.zeros((0, 0), np.bool_) if ids.absent is None else ids.absent
    _add_classes(ids.characters, absent, short, np.append(starts, len(ids.characters)), out)
    return out


@compiled
def _add_classes(characters: Bytes, absent: Mask, short: Mask, bounds: Integers, out: Integers) -> None:
    """Add to `out` the classes of the characters of each record, less what is absent where fields are `short`."""
    for record in range(out.shape[0]):
        for row in range(bounds[record], bounds[record + 1]):
            for position in range(out.shape[1]):
                if not (short[position] and absent.size and absent[row, position]):
                    out[record, position] |= _CLASSES[characters[row, position]]


_CLASSES = np.frombuffer(LOW_CLASSES, np.uint8) | np.frombuffer(HIGH_CLASSES, np.uint8).astype(np.int64) << 8


def _believed(classes: Integers, constant: Mask, held: Mask, counts: Integers, leads: Integers) -> Integers:
    """The classes of each position, where few draws do not show every class of their alphabet.

    Then also those that other records show there; if these are few too, the smallest alphabet in common use, since ragged alphabets
    pack worse than one that is a little too large.
    """
    draws = np.where(constant, 0, np.where(held, leads[:, None], counts[:, None]))
    unsure = (draws < _SURE_ROWS) & ~constant
    if not unsure.any():
        return classes
    for of in (held, ~held & ~constant):
        together = np.bitwise_or.reduce(np.where(of, classes, 0), axis=0)
        shown = np.where((draws * of).sum(axis=0) < _SURE_ROWS, _common(together), together)
        classes = np.where(of & unsure, shown, classes)
    return classes


def _common(classes: Integers) -> Integers:
    return np.array([common_alphabet(seen) for seen in classes.tolist()], np.int64)


def _alike(rows: Bytes) -> list[Integers]:
    """The ordinals of equal rows, together."""
    found: dict[bytes, list[int]] = {}
    for ordinal, row in enumerate(rows):
        found.setdefault(row.tobytes(), []).append(ordinal)
    return [np.array(members) for members in found.values()]


def _kinds(classes: Integers, constant: Mask, held: Mask, sample: Bytes, codes: Integers) -> Bytes:
    """What each position may be in a number: `D` a decimal digit, `H` a hexadecimal one, small where constant; `.` a constant point."""
    kinds = np.full(classes.shape, ord("x"), np.uint8)
    kinds[(classes | HEXADECIMAL_DIGITS) == HEXADECIMAL_DIGITS] = ord("H")
    kinds[(classes | DECIMAL_DIGITS) == DECIMAL_DIGITS] = ord("D")
    kinds[constant & (kinds != ord("x"))] |= 0x20
    kinds[constant & (sample == ord("."))] = ord(".")
    kinds[held | (codes == WORD) | (codes == SEEDED)] = ord("x")
    return kinds


def _with_numbers(
    group: Group, codes: Integers, kinds: Bytes, members: Integers
) -> Iterator[tuple[Integers, Integers]]:
    """The same, with those digits taken for numbers that grow."""
    candidates = list(_candidates(kinds, group.fields))
    if not candidates:
        yield codes, members
        return
    rows, bounds = _of(group.bounds, members)
    grows = np.empty((members.size, len(candidates)), np.uint8)
    for column, (code, positions) in enumerate(candidates):
        values = _values(group.ids.characters, rows, positions, code)
        grows[:, column] = _grows(values, bounds, len(positions), code)
    for alike in _alike(grows):
        own = codes.copy()
        for (code, positions), accepted in zip(candidates, grows[alike[0]].tolist(), strict=True):
            if accepted:
                own[positions] = CONTINUED
                own[positions[0]] = code
        yield own, members[alike]


def _candidates(kinds: Bytes, fields: tuple[Field, ...]) -> Iterator[tuple[int, list[int]]]:
    """Runs of digits that may be a number: (decimal or hexadecimal, its positions); a constant point inside a decimal run is left out."""
    line = bytearray(kinds.tobytes())
    short = {position for own in fields if own.kind == SHORTENED for position in range(own.begin, own.end)}
    for position in short:
        line[position] = ord("x")
    for match in _NUMBER.finditer(bytes(line)):
        positions = [position for position in range(match.start(), match.end()) if line[position] != ord(".")]
        code = HEXADECIMAL if {*line[match.start() : match.end()]} & {*b"Hh"} else DECIMAL
        unpadded = any(own.kind == UNPADDED and own.begin <= positions[0] < own.end for own in fields)
        if (1 if unpadded else 3) <= len(positions) <= DIGITS[code]:
            yield code, positions


def _grows(values: Integers, bounds: Integers, digits: int, code: int) -> Mask:
    """Whether, record by record, the steps between neighbours take clearly fewer bits than the digits would."""
    steps = zigzag(differences(values, np.arange(0)))
    steps[bounds[:-1]] = 0
    bits = np.add.reduceat(np.log2(steps + 1.0), bounds[:-1]) / np.maximum(np.diff(bounds) - 1, 1) + 1
    return bits < 0.85 * digits * np.log2(RADIX[code])


def _of(bounds: Integers, members: Integers) -> tuple[Integers | slice, Integers]:
    """(rows of some records, their bounds among these rows)."""
    if members.size == bounds.size - 1:
        return slice(None), bounds
    counts = np.diff(bounds)[members]
    own = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
    return np.arange(own[-1]) + np.repeat(bounds[:-1][members] - own[:-1], counts), own


def _values(characters: Bytes, rows: Integers | slice, positions: list[int], code: int) -> Integers:
    """The numbers that the digits at `positions` write."""
    values: Integers | None = None
    for position in positions:
        digits = translated(characters[rows, position], _DIGIT_VALUE)
        if values is None:
            values = digits.astype(np.int64)
        else:
            values *= RADIX[code]
            values += digits
    return np.zeros(0, np.int64) if values is None else values


def _write(
    group: Group, fresh: Mask, shape: Pattern, description: bytes, members: Integers, out: list[Sections]
) -> None:
    """Write the templates of the records that have this pattern."""
    rows, bounds = _of(group.bounds, members)
    characters, new = group.ids.characters[rows], fresh[rows]
    absent = None if group.ids.absent is None else group.ids.absent[rows]
    own = [out[member] for member in members.tolist()]
    head = varint(len(description)) + description
    for template, constants in zip(own, characters[bounds[:-1]][:, shape.constants], strict=True):
        template.text += [head, constants.tobytes()]
    if shape.per_file:
        for template, files in zip(own, np.add.reduceat(new, bounds[:-1], dtype=np.int64).tolist(), strict=True):
            template.text.append(varint(files))
    if group.seeds is not None:
        states, phases = group.seeds.states[members], group.seeds.phases[members]
        for template, state, phase in zip(own, states, phases.tolist(), strict=True):
            template.text += [state.astype("<u8").tobytes(), varint(phase)]
    _write_numbers(characters, shape, own, bounds)
    for one in shape.fields:
        if one.kind == SHORTENED and absent is not None:
            counts = absent[:, one.begin : one.end].sum(axis=1).astype(np.uint64)
            _append(own, planes(counts, bounds), bounds)
    for words in group.words:
        _write_words(words, words.word[rows], own, bounds)
    for stream in shape.streams:
        symbols, counts = _drawn(characters, absent, new, bounds, stream)
        for template, data in zip(own, pack(symbols, counts, stream.letters), strict=True):
            template.packed.append(data)


def _write_numbers(characters: Bytes, shape: Pattern, own: list[Sections], bounds: Integers) -> None:
    for code, positions in shape.numbers:
        values = _values(characters, slice(None), positions, code)
        steps = differences(values, np.arange(0))
        steps[bounds[:-1]] = _MOST
        least = np.minimum.reduceat(steps, bounds[:-1])
        least[least == _MOST] = 0
        steps[bounds[:-1]] = np.maximum(least, 0)
        # Steps that never go back are less the least of them; the others are signed.
        least = np.where(least < 0, -1, least)
        for template, first, base in zip(own, values[bounds[:-1]].tolist(), least.tolist(), strict=True):
            template.text.append(varint(first) + varint(base + 1))
        base = np.repeat(least, np.diff(bounds))
        _append(own, planes(np.where(base < 0, zigzag(steps), (steps - base).view(np.uint64)), bounds), bounds)


def _append(own: list[Sections], integers: Planes, bounds: Integers) -> None:
    cuts = bounds.tolist()
    for ordinal, template in enumerate(own):
        integers.write(template.numbers, ordinal, cuts[ordinal], cuts[ordinal + 1])


def _write_words(words: Words, word: Integers, own: list[Sections], bounds: Integers) -> None:
    """The words of each record, by first use of all, and which one each id has."""
    local = np.empty(word.size, np.uint64)
    cuts = bounds.tolist()
    for ordinal, template in enumerate(own):
        span = slice(cuts[ordinal], cuts[ordinal + 1])
        used, inverse = np.unique(word[span], return_inverse=True)
        local[span] = inverse
        texts = [words.texts[index] for index in used.tolist()]
        template.text += [varint(len(texts)), *(varint(len(text)) + text for text in texts)]
    _append(own, planes(local, bounds), bounds)


def _drawn(
    characters: Bytes, absent: Mask | None, new: Mask, bounds: Integers, stream: Stream
) -> tuple[Bytes, Integers]:
    """(characters of a stream, one record after the other; how many of each record)."""
    shown = characters[:, columns_of(stream.positions)]
    if stream.per_file:
        return shown[new].reshape(-1), np.add.reduceat(new, bounds[:-1], dtype=np.int64) * stream.positions.size
    if absent is None or (stream.shortened < 0).all():
        return shown.reshape(-1), np.diff(bounds) * stream.positions.size
    present = ~absent[:, stream.positions] | (stream.shortened < 0)
    return shown[present], np.add.reduceat(present.sum(axis=1), bounds[:-1])


def columns_of(positions: Integers) -> slice | Integers:
    """Positions as a slice where they are equally far apart, which is quicker."""
    if positions.size < 2:
        return slice(int(positions[0]), int(positions[0]) + 1) if positions.size else slice(0, 0)
    step = int(positions[1] - positions[0])
    if (np.diff(positions) == step).all():
        return slice(int(positions[0]), int(positions[-1]) + 1, step)
    return positions


@dataclass(frozen=True, slots=True)
class Piece:
    """A template of a record as it was read: what follows its pattern, in the order of the pattern.

    Attributes:
        count: its ids.
        constants: the constant text.
        files: files that have ids of it, where that is written.
        seed: state and phase of the generator, where that is written.
        firsts: of each number its first value, and 1 more than its least step; 0 where the steps are signed.
        words: the words of each field of words.
        streams: the packed characters of each stream.
        drawn: how many there are in each.
    """

    count: int
    constants: bytes
    files: int
    seed: tuple[bytes, int]
    firsts: list[tuple[int, int]]
    words: list[list[bytes]]
    streams: list[bytes]
    drawn: list[int]


class PatternReader:
    """Reads the templates of one pattern, of one record after the other, and makes the ids of them all."""

    def __init__(self, shape: Pattern) -> None:
        self.shape = shape
        self.pieces: list[Piece] = []
        self._numbers = [PlanesReader() for _ in shape.numbers]
        self._lengths = [PlanesReader() for own in shape.fields if own.kind == SHORTENED]
        self._shortened = [index for index, own in enumerate(shape.fields) if own.kind == SHORTENED]
        self._words = [PlanesReader() for _ in shape.words]

    def read(self, cursor: Cursor, count: int) -> None:
        """Read a template of `count` ids, from behind its pattern.

        Raises:
            Malformed: no writer writes this.
        """
        shape = self.shape
        constants = cursor.text(shape.constants.size)
        files = cursor.varint() if shape.per_file else 0
        if files > count:
            raise Malformed("more files than ids")
        seed = (cursor.text(16), cursor.varint()) if shape.seeded.size else (b"", 0)
        if seed[1] >= PHASES:
            raise Malformed("a seed that no writer writes")
        firsts: list[tuple[int, int]] = []
        for reader in self._numbers:
            firsts.append((cursor.varint(), cursor.varint()))
            reader.read(cursor, count)
        for reader in self._lengths:
            reader.read(cursor, count)
        words = [
            _read_words(cursor, reader, count, end - begin)
            for reader, (begin, end) in zip(self._words, shape.words, strict=True)
        ]
        absent = dict(zip(self._shortened, (reader.last_sum() for reader in self._lengths), strict=True))
        drawn = [_count(stream, count, files, absent) for stream in shape.streams]
        streams = [
            cursor.packed(stream.letters.packed_size(number))
            for stream, number in zip(shape.streams, drawn, strict=True)
        ]
        self.pieces.append(Piece(count, constants, files, seed, firsts, words, streams, drawn))

    def ids(self, places: Places) -> Ragged:
        """The ids of all templates read; `places` are theirs.

        Raises:
            Malformed: no writer writes this.
        """
        shape = self.shape
        counts = np.array([piece.count for piece in self.pieces])
        bounds = np.concatenate((np.zeros(1, np.int64), np.cumsum(counts)))
        characters = self._constants(counts)
        absent = self._absent(characters)
        if shape.seeded.size:
            states = np.frombuffer(b"".join(piece.seed[0] for piece in self.pieces), "<u8").reshape(-1, 2)
            phases = np.array([piece.seed[1] for piece in self.pieces], np.int64)
            drawn = drawn_letters(Seeds(states, phases, places.articles()), bounds)
            characters[:, columns_of(shape.seeded)] = drawn
        for stream, packed, drawn_counts in zip(
            shape.streams,
            zip(*(piece.streams for piece in self.pieces), strict=True),
            zip(*(piece.drawn for piece in self.pieces), strict=True),
            strict=True,
        ):
            symbols = unpack(packed, np.array(drawn_counts), stream.letters)
            self._place(characters, absent, places, stream, symbols, bounds)
        for (code, positions), reader, firsts in zip(
            shape.numbers, self._numbers, zip(*(piece.firsts for piece in self.pieces), strict=True), strict=True
        ):
            first, least = np.array(firsts, np.uint64).T
            steps = _steps(reader.unsigned(), np.repeat(least, counts))
            steps[bounds[:-1]] = first.view(np.int64)
            _place_numbers(characters, sums(steps, bounds), positions, code)
        for index, (reader, (begin, end)) in enumerate(zip(self._words, shape.words, strict=True)):
            lengths = self._place_words(characters, reader, index, begin, end, counts)
            if absent is not None:
                absent[:, begin:end] = missing(end - begin - lengths, end - begin)
        for own in shape.fields:
            if own.kind == UNPADDED and absent is not None:
                absent[:, own.begin : own.end] = leading_zeros(characters[:, own.begin : own.end])
        if not shape.form:
            return Ragged(characters, absent)
        derived = written(FORMS[shape.form - 1], places)
        return beside(Ragged(characters[:, : shape.place]), derived, Ragged(characters[:, shape.place :]))

    def _constants(self, counts: Integers) -> Bytes:
        """The ids with their constant text alone."""
        shape = self.shape
        texts = [piece.constants for piece in self.pieces]
        if len(set(texts)) == 1:
            texts = texts[:1]
        sample = np.zeros((len(texts), shape.codes.size), np.uint8)
        sample[:, shape.constants] = np.frombuffer(b"".join(texts), np.uint8).reshape(len(texts), -1)
        if len(texts) > 1:
            return np.repeat(sample, counts, axis=0)
        characters = np.empty((int(counts.sum()), shape.codes.size), np.uint8)
        characters[:] = sample
        return characters

    def _absent(self, characters: Bytes) -> Mask | None:
        """What is absent as far as it is written."""
        if not self.shape.fields and not self.shape.words:
            return None
        absent = np.zeros(characters.shape, np.bool_)
        for index, reader in zip(self._shortened, self._lengths, strict=True):
            own = self.shape.fields[index]
            lengths = reader.unsigned()
            if (lengths > own.end - own.begin).any():
                raise Malformed("more absent than there is")
            absent[:, own.begin : own.end] = missing(lengths.view(np.int64), own.end - own.begin)
        return absent

    def _place(
        self, characters: Bytes, absent: Mask | None, places: Places, stream: Stream, symbols: Bytes, bounds: Integers
    ) -> None:
        columns = columns_of(stream.positions)
        if stream.per_file:
            fresh = np.diff(places.files, prepend=-1) != 0
            fresh[bounds[:-1]] = True
            files = np.add.reduceat(fresh, bounds[:-1], dtype=np.int64)
            if files.tolist() != [piece.files for piece in self.pieces]:
                raise Malformed("a template of other files")
            characters[:, columns] = symbols.reshape(-1, stream.positions.size)[np.cumsum(fresh) - 1]
        elif absent is None or (stream.shortened < 0).all():
            characters[:, columns] = symbols.reshape(-1, stream.positions.size)
        else:
            present = ~absent[:, stream.positions] | (stream.shortened < 0)
            shown = np.zeros(present.shape, np.uint8)
            shown[present] = symbols
            characters[:, stream.positions] = shown

    def _place_words(
        self, characters: Bytes, reader: PlanesReader, index: int, begin: int, end: int, counts: Integers
    ) -> Integers:
        """Write the words into their field; returns their lengths."""
        tables = [piece.words[index] for piece in self.pieces]
        sizes = np.array([len(table) for table in tables])
        word = reader.unsigned()
        if (word >= np.repeat(sizes, counts)).any():
            raise Malformed("a word that is not there")
        at = word.view(np.int64) + np.repeat(np.cumsum(sizes) - sizes, counts)
        texts = [text for table in tables for text in table]
        shown = b"".join(text.rjust(end - begin, b"\0") for text in texts)
        characters[:, begin:end] = np.frombuffer(shown, np.uint8).reshape(len(texts), -1)[at]
        return np.array([len(text) for text in texts])[at]


def _read_words(cursor: Cursor, reader: PlanesReader, count: int, longest: int) -> list[bytes]:
    table = cursor.varint()
    if not 0 < table <= count:
        raise Malformed("words that no writer writes")
    words = [cursor.text(cursor.varint()) for _ in range(table)]
    if any(len(word) > longest for word in words):
        raise Malformed("a word is too long")
    reader.read(cursor, count)
    return words


def _count(stream: Stream, count: int, files: int, absent: dict[int, int]) -> int:
    if stream.per_file:
        return files * stream.positions.size
    # A field's positions all lie in one stream, so its absent characters are counted once.
    short = sum(absent[index] for index in np.unique(stream.shortened[stream.shortened >= 0]).tolist())
    total = count * stream.positions.size - short
    if total < 0:
        raise Malformed("more absent than there is")
    return total


def _steps(written: Unsigned, least: Unsigned) -> Integers:
    signed = least == 0
    if signed.all():
        return unzigzag(written)
    steps = (written + least - np.uint64(1)).view(np.int64)
    return np.where(signed, unzigzag(written), steps) if signed.any() else steps


def _place_numbers(characters: Bytes, values: Integers, positions: list[int], code: int) -> None:
    radix = RADIX[code]
    if values.min(initial=0) < 0 or values.max(initial=0) >= radix ** len(positions):
        raise Malformed("a number that does not fit")
    rest = values.astype(np.uint32 if radix ** len(positions) <= 1 << 32 else np.uint64)
    base = rest.dtype.type(radix)
    for position in reversed(positions):
        above = rest // base
        digit = rest - above * base
        if code == DECIMAL:
            np.add(digit, base.dtype.type(ord("0")), out=characters[:, position], casting="unsafe")
        else:
            characters[:, position] = translated(digit.astype(np.uint8), _HEX_DIGIT)
        rest = above
