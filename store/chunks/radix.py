"""Characters of a known alphabet packed at their entropy: k symbols of an alphabet of a characters in w bits.

An alphabet is a set of character classes, written as the sum of their bits (see `CLASSES`); its symbols are the bytes of those classes
in ascending order. k and w follow from the number of symbols alone (see `packing`), so nothing about them is stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

CLASSES: tuple[bytes, ...] = (
    b"01234567",
    b"89",
    b"ab",
    b"cdef",
    b"ghijklmnopqrstuv",
    b"wxyz",
    b"ABCDEF",
    b"GHIJKLMNOPQRSTUV",
    b"WXYZ",
    b"-",
    b"_",
    b"$&",
    b"+/=",
    b"@.",
)
"""Bit i of an alphabet stands for the bytes of `CLASSES[i]`; bits 14 and 15 for the other ASCII and for the bytes above it."""

_NAMED = b"".join(CLASSES)
_ALL_CLASSES = (*CLASSES, bytes(b for b in range(128) if b not in _NAMED), bytes(range(128, 256)))

DECIMAL = 0b11
HEXADECIMAL = 0b1111

CLASS_OF: NDArray[np.uint16] = np.zeros(256, np.uint16)
"""Byte to the bit of its class."""
for _bit, _members in enumerate(_ALL_CLASSES):
    CLASS_OF[list(_members)] = 1 << _bit

_LOWER, _UPPER = 0b111100, 0b111000000
_BASE62 = DECIMAL | _LOWER | _UPPER
_DASHES, _DOLLARS, _BASE64, _DOTS = 0b11 << 9, 1 << 11, 1 << 12, 1 << 13


def _size(classes: int) -> int:
    return sum(len(members) for bit, members in enumerate(_ALL_CLASSES) if classes >> bit & 1)


_COMMON = sorted(
    (
        DECIMAL,
        HEXADECIMAL,
        DECIMAL | 1 << 6,
        0b11111,
        _LOWER,
        _UPPER,
        DECIMAL | _LOWER,
        DECIMAL | _UPPER,
        _LOWER | _UPPER,
        _BASE62,
        _BASE62 | _DASHES,
        _BASE62 | _DOLLARS,
        _BASE62 | _BASE64,
        _BASE62 | _DASHES | _DOTS,
        _BASE62 | _DASHES | _DOLLARS | _BASE64 | _DOTS,
        0xFFFF,
    ),
    key=_size,
)


@dataclass(frozen=True, slots=True)
class Alphabet:
    """The symbols of a set of classes, and how many of them go into how many bits.

    Attributes:
        symbols: the bytes, ascending.
        rank: byte to its place in `symbols`.
        k: symbols in a unit.
        w: bits of a unit, at most 63.
    """

    symbols: Bytes
    rank: Bytes
    k: int
    w: int

    def packed_size(self, count: int) -> int:
        """Bytes that `count` symbols take."""
        return (-(-count // self.k) * self.w + 7) // 8


@cache
def alphabet(classes: int) -> Alphabet:
    """The alphabet of a set of classes."""
    members = sorted(b"".join(members for bit, members in enumerate(_ALL_CLASSES) if classes >> bit & 1))
    rank = np.zeros(256, np.uint8)
    rank[members] = np.arange(len(members))
    return Alphabet(np.array(members, np.uint8), rank, *packing(len(members)))


@cache
def packing(size: int) -> tuple[int, int]:
    """(k, w) for `size` symbols: the least bits per symbol with w <= 63, then whole bytes, then the least w."""
    if size == 1:
        return 1, 0
    choices = ((k, (size**k - 1).bit_length()) for k in range(1, 64))
    return min(
        ((k, w) for k, w in choices if w <= 63),
        key=lambda choice: (choice[1] / choice[0], choice[1] % 8 != 0, choice[1]),
    )


@cache
def common_alphabet(classes: int) -> int:
    """The smallest alphabet in common use that holds these classes: few rows do not show every class."""
    return next(bits for bits in _COMMON if bits & classes == classes)


def pack(symbols: Bytes, letters: Alphabet) -> bytes:
    """Pack bytes of an alphabet: units of k symbols, first symbol most significant, as w-bit numbers, least significant bit first."""
    if letters.w == 0 or not symbols.size:
        return b""
    units = -(-symbols.size // letters.k)
    ranks = np.zeros(units * letters.k, np.uint8)
    ranks[: symbols.size] = letters.rank[symbols]
    columns = ranks.reshape(units, letters.k)
    values = columns[:, 0].astype("<u8")
    base = np.uint64(letters.symbols.size)
    for column in range(1, letters.k):
        values *= base
        values += columns[:, column]
    octets = values.view(np.uint8).reshape(units, 8)
    if letters.w % 8 == 0:
        return octets[:, : letters.w // 8].tobytes()
    bits = np.unpackbits(octets, axis=1, count=letters.w, bitorder="little")
    return np.packbits(bits.reshape(-1), bitorder="little").tobytes()


def unpack(data: bytes | memoryview, count: int, letters: Alphabet) -> Bytes:
    """The `count` bytes that `pack` packed into `data`."""
    if letters.w == 0 or not count:
        return np.full(count, letters.symbols[0], np.uint8)
    units = -(-count // letters.k)
    octets = np.zeros((units, 8), np.uint8)
    packed = np.frombuffer(data, np.uint8)
    if letters.w % 8 == 0:
        octets[:, : letters.w // 8] = packed.reshape(units, -1)
    else:
        bits = np.unpackbits(packed, count=units * letters.w, bitorder="little").reshape(units, letters.w)
        part = np.packbits(bits, axis=1, bitorder="little")
        octets[:, : part.shape[1]] = part
    values = octets.view("<u8").reshape(units)
    base = np.uint64(letters.symbols.size)
    ranks = np.empty((units, letters.k), np.uint8)
    for column in range(letters.k - 1, 0, -1):
        rest = values // base
        ranks[:, column] = values - rest * base
        values = rest
    ranks[:, 0] = values
    # A damaged rank must not index past the alphabet; the checksum of the frame has the last word.
    return letters.symbols[np.minimum(ranks.reshape(-1)[:count], letters.symbols.size - 1)]
