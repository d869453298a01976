"""Is a name random? Measured by how much likelier people write its pairs of characters than a generator draws them.

Letters drawn at random lose 0.9 nats a pair, words gain 0.7; generators also jump between cases and between letters and
digits. What cannot be told is called readable, since a readable name is never dropped: whatever is short, a name with a
single word in it, a number. `benchmarks.names` measures both kinds of error over labelled names.
"""

from __future__ import annotations

from string import ascii_letters, ascii_lowercase, digits, hexdigits

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.compiled import compiled
from pipeline.texts import Octets, Texts, texts

_PAIRS = (
    "66673354646879351878552055 96629003921706800842860051 90668009916403800535760624 91169615933425820663741055 "
    "44566653646869240987356234 92069761921601900846700030 92239666843625821755711152 90439066864455811526830050 "
    "74668362666779631688650145 91149106866344800144810011 90008006866614900666830050 93159132946764810055730051 "
    "95019002902366860343700040 96588383845266700168620062 36574353656779660887664045 90109014801612966945700030 "
    "91227211922522216622926131 93359142915455820666740044 81668018816544760269730044 90109015923314800766741066 "
    "65676354646778551887662165 96629000912404810542566063 91339105902415826552606664 82628326932322782227822666 "
    "94567343635667730577742066 95258048924557730434753666"
)
"""A row for each letter, a column for the letter after it, in half nats: the logarithm of how much likelier words have that
letter there than one of 26 drawn alike, 6 being 0, 0 all below -3 and 9 all above 1.5. From the 10,000 commonest words of
each of 30 languages (Cyrillic transliterated), romaji, pinyin, and Arabic and Hindi in Latin letters, all of one weight.
Neighbours on the keyboard or in the alphabet and doubled letters, which are typed rather than drawn, have at least 6.
"""
_LOWER, _UPPER, _DIGITS = slice(97, 123), slice(65, 91), slice(48, 58)

SHORTEST = 8
"""A shorter name is never called random."""

_LEAST_OF_16, _LEAST_OF_12, _LEAST_OF_8 = -38, -45, -100
"""The evidence below which a name with a run of so many letters and digits is called drawn."""
_LEAST = (
    (r"[A-Za-z0-9]{16}", _LEAST_OF_16),
    (r"[A-Za-z0-9]{12}", _LEAST_OF_12),
    (r"[A-Za-z0-9]{8}", _LEAST_OF_8),
)
_LEAST_IN_PIECES = -140
"""The same for names without one."""
_CODE, _LONGEST_CODE = r"^[A-Z0-9]*\d[A-Z0-9]*$", 13
"""Products and catalogues have codes of capitals and digits that no statistics tells from drawn ones."""

_SHORTEST_HASH = 16
_HASH = r"(?:^|[^A-Za-z0-9])(?:[0-9A-Fa-f]{16,}|[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12})(?:$|[^A-Za-z0-9])"
_NO_HASH = (
    r"(?:^|[^A-Za-z0-9])(?:[A-Fa-f]{16,}|0*\d{16,20}|1{16,}|(?:19|20)\d\d(?:0\d|1[0-2])[0-3]\d[0-9A-Fa-f]{8}|"
    r"(?:0123456789|1234567890)(?:abcdef|ABCDEF))(?:$|[^A-Za-z0-9])"
)
"""Hex all the same, but meant: words (`deadbeefcafebabe`), numbers of up to 64 bits as clocks and identifiers have, a date
before a short hash, the digits in order."""

_PIECE_ENDS = r"[^A-Za-z0-9]"
_HAS_LETTERS_ALONE = r"^[A-Za-z]{4,}[^A-Za-z0-9]|[^A-Za-z0-9][A-Za-z]{4,}(?:$|[^A-Za-z0-9])"
_WORD, _READS = r"^[A-Za-z]{4,}$", 15
_PARTS = r"(?i)^(?:samples?|proof|covers?|subs|part|disc|file|[a-f]{4})$"
"""Words that name a part of a release and not the release, and four hex digits of a UUID."""


def _evidence_table() -> np.ndarray:
    """Tenths of a nat by which a pair of bytes speaks for words (positive) or for a generator (negative); int8[65536]."""
    words = (np.array([list(map(int, row)) for row in _PAIRS.split()], np.int8) - 6) * 5
    table = np.zeros((256, 256), np.int8)
    table[_LOWER, _LOWER] = table[_UPPER, _UPPER] = words
    table[_UPPER, _LOWER] = words - 2
    table[_LOWER, _UPPER] = -20
    # People number words, and seldom go on with letters after a number.
    table[_LOWER, _DIGITS] = table[_UPPER, _DIGITS] = -11
    table[_DIGITS, _LOWER], table[_DIGITS, _UPPER] = -14, -17
    table[_DIGITS, _DIGITS] = 6
    return table.ravel()


_TABLE = _evidence_table()


def _evidence(names: pl.Series) -> np.ndarray:
    """Sum over the pairs of each name, int32; pairs with a separator or a letter beyond ASCII count nothing."""
    ends = np.cumsum(names.str.len_bytes().to_numpy().astype(np.int64) + 1)
    text = np.frombuffer((names.str.join("\n").item() + "\n").encode(), np.uint8)
    # Sums may wrap around; their differences are right all the same.
    sums = np.zeros(len(text), np.int32)
    np.cumsum(_TABLE[text[:-1].astype(np.uint16) << 8 | text[1:]], dtype=np.int32, out=sums[1:])
    return np.diff(sums[ends - 1], prepend=np.int32(0))


def _is_hash(name: pl.Expr) -> pl.Expr:
    """Whether a name has a hash or a UUID between its separators."""
    return name.str.contains(_HASH) & ~name.str.contains(_NO_HASH)


def _is_drawn(name: pl.Expr, evidence: pl.Expr) -> pl.Expr:
    least = pl.coalesce(*(pl.when(name.str.contains(run)).then(least) for run, least in _LEAST), _LEAST_IN_PIECES)
    code = name.str.contains(_CODE) & (name.str.len_chars() <= _LONGEST_CODE)
    # Other scripts have no pairs here at all.
    foreign = name.str.len_bytes() - name.str.len_chars() > 2
    return (evidence < least) & (name.str.len_chars() >= SHORTEST) & ~code & ~foreign


def _hold_a_word(names: pl.Series) -> pl.Series:
    """Which names have a word, of letters alone and between separators, that is not the word for a part of a release."""
    pieces = names.str.replace_all(_PIECE_ENDS, " ").str.split(" ")
    piece = pl.col("piece")
    words = pl.DataFrame({"piece": pieces}).with_row_index().explode("piece").filter(piece.str.contains(_WORD))
    words = words.filter(~piece.str.contains(_PARTS))
    held = np.zeros(len(names), np.bool_)
    if words.height:
        held[words["index"].to_numpy()[_evidence(words["piece"]) >= _READS]] = True
    return pl.Series("held", held)


def are_random(names: pl.Series) -> pl.Series:
    """Which names (without extension) are random.

    Args:
        names: String column without nulls.

    Returns:
        A Boolean column beside it.
    """
    if names.is_empty():
        return pl.Series("random", [], pl.Boolean)
    found = texts(names)
    told = _told(found.offsets, found.octets)
    rest = np.flatnonzero(told >= _ELSE)
    random = pl.Series("random", told == _DRAWN)
    return random.scatter(rest, are_random_by_patterns(names.gather(rest))) if len(rest) else random


_MEANT, _DRAWN, _ELSE, _NO_WORD = 0, 1, 2, 3
_LETTER, _DIGIT, _HEX, _LOWERCASE = 1, 2, 4, 8


def _classes() -> NDArray[np.uint8]:
    """What each octet is, as the sum of the signs above; 0 for what parts words."""
    signs = {_LETTER: ascii_letters, _DIGIT: digits, _HEX: hexdigits, _LOWERCASE: ascii_lowercase}
    return np.array(
        [sum(sign for sign, among in signs.items() if chr(octet) in among) for octet in range(256)], np.uint8
    )


_CLASSES = _classes()
_IN_WORDS = (ord("_"), ord("-"), ord("{"), ord("}"))


@compiled
def _told(offsets: NDArray[np.int64], octets: Octets) -> NDArray[np.uint8]:
    """`_MEANT` or `_DRAWN` for most names that are one word of ASCII letters and digits, by the rules of `are_random_by_patterns`.

    Else `_ELSE`, or `_NO_WORD` where `ONE_WORD` does not fit.
    """
    told = np.zeros(offsets.size - 1, np.uint8)
    for name in range(told.size):
        start, end = offsets[name], offsets[name + 1]
        length = end - start
        every, some, evidence = 255, 0, 0
        for at in range(start, end):
            sign = _CLASSES[octets[at]]
            every &= sign
            some |= sign
            if sign == 0:
                told[name] = _ELSE if octets[at] in _IN_WORDS else _NO_WORD
                break
            if at > start:
                evidence += _TABLE[(np.int64(octets[at - 1]) << 8) | np.int64(octets[at])]
        if told[name] >= _ELSE or length < SHORTEST:
            continue
        if length >= _SHORTEST_HASH and every & _HEX:
            # What is meant all the same needs a closer look: only letters, only digits, dates and digits in order.
            odd = (
                not some & _DIGIT or not some & _LETTER or (length == _SHORTEST_HASH and octets[start] in (48, 49, 50))
            )
            told[name] = _ELSE if odd else _DRAWN
            continue
        code = length <= _LONGEST_CODE and not some & _LOWERCASE and some & _DIGIT
        least = _LEAST_OF_16 if length >= 16 else _LEAST_OF_12 if length >= 12 else _LEAST_OF_8
        told[name] = _DRAWN if evidence < least and not code else _MEANT
    return told


def are_random_by_patterns(names: pl.Series) -> pl.Series:
    """`are_random` for any names, by patterns."""
    name = pl.col("name")
    frame = pl.DataFrame({"name": names.rename("name"), "evidence": _evidence(names)})
    random = frame.select(random=_is_hash(name) | _is_drawn(name, pl.col("evidence")))["random"]
    doubted = frame.with_row_index().filter(random & name.str.contains(_HAS_LETTERS_ALONE))
    if doubted.is_empty():
        return random
    return random.scatter(doubted["index"].filter(_hold_a_word(doubted["name"])), values=False)


_GENERIC_PROGRAM = (
    r"(?i)^(?:setup|install(?:er)?|update|codecs?|player|viewer|keygen|crack|patch|download(?:er)?)"
    r"[-_. ]*[a-z0-9]{0,6}\.(?:exe|scr|com|pif|bat|msi)$"
)


def is_generic_program(file_name: pl.Expr) -> pl.Expr:
    """Whether a file is a program whose name says nothing: a generic word and at most a few letters drawn at random.

    Virus and codec posters flood groups with them (nZEDb issues 1382 and 1439); what a program is for stands in its name.
    """
    return file_name.str.contains(_GENERIC_PROGRAM)


_LONGEST_WORD = 128
ONE_WORD = rf"^\{{?[A-Za-z0-9_-]{{{SHORTEST},{_LONGEST_WORD}}}\}}?$"
"""A subject that is one word of what random generators draw from."""


def are_tokens(column: pl.Series) -> pl.Series:
    """Which texts are nothing but one random word, e.g. a hash."""
    return pl.Series("random", tokens(column, texts(column)))


def tokens(column: pl.Series, found: Texts) -> NDArray[np.bool_]:
    """`are_tokens` of a column whose texts were `found`."""
    told = _told(found.offsets, found.octets)
    random = (told == _DRAWN) & (np.diff(found.offsets) <= _LONGEST_WORD)
    others = column.gather(rows := np.flatnonzero(told == _ELSE))
    words = others.str.contains(ONE_WORD).to_numpy()
    random[rows[words]] = are_random(others.filter(pl.Series(words))).to_numpy()
    return random
