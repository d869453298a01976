"""Characters of a known alphabet packed at their entropy: k symbols of an alphabet of a characters in w bits.

An alphabet is a set of character classes, written as the sum of their bits (see `CLASSES`); its symbols are the bytes of those classes
in ascending order. k and w follow from the number of symbols alone (see `packing`), so nothing about them is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import gcd, log2

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]
Unsigned = NDArray[np.uint64]

_WIDEST = 57
"""Bits of a unit at most: with the seven bits before it in its first byte it still lies within eight bytes."""

_BLOCK = 8192
"""Units computed at a time, so that what is between lies in the cache; a multiple of 8."""

_GUARD = 8
"""Bytes behind the units, since they are read and written eight bytes at a time."""

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

DECIMAL_DIGITS = 0b11
HEXADECIMAL_DIGITS = 0b1111


def _class_bits(first: int) -> bytes:
    """Byte to the bit of its class, of the eight classes from `first` on."""
    bits = {byte: 1 << bit for bit, members in enumerate(_ALL_CLASSES[first : first + 8]) for byte in members}
    return bytes(bits.get(byte, 0) for byte in range(256))


LOW_CLASSES, HIGH_CLASSES = _class_bits(0), _class_bits(8)
"""Tables for `translated`: classes 0 to 7, and classes 8 to 15."""

_LOWER, _UPPER = 0b111100, 0b111000000
_BASE62 = DECIMAL_DIGITS | _LOWER | _UPPER
_DASHES, _DOLLARS, _BASE64, _DOTS = 0b11 << 9, 1 << 11, 1 << 12, 1 << 13


def _size(classes: int) -> int:
    return sum(len(members) for bit, members in enumerate(_ALL_CLASSES) if classes >> bit & 1)


_COMMON = sorted(
    (
        DECIMAL_DIGITS,
        HEXADECIMAL_DIGITS,
        DECIMAL_DIGITS | 1 << 6,
        0b11111,
        _LOWER,
        _UPPER,
        DECIMAL_DIGITS | _LOWER,
        DECIMAL_DIGITS | _UPPER,
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
        to_symbol: table from rank to byte, for `translated`; ranks that no writer writes are the last symbol.
        to_rank: table from byte to rank.
        k: symbols in a unit.
        w: bits of a unit, at most `_WIDEST`.
    """

    symbols: Bytes
    to_symbol: bytes
    to_rank: bytes
    k: int
    w: int

    def packed_size(self, count: int) -> int:
        """Bytes that `count` symbols take."""
        return (-(-count // self.k) * self.w + 7) // 8

    @property
    def lanes(self) -> int:
        """Units after which a unit begins at a byte again."""
        return 8 // gcd(self.w, 8)

    @property
    def stride(self) -> int:
        """Bytes of those units."""
        return self.lanes * self.w // 8

    @property
    def low(self) -> int:
        """Symbols of a unit that fit into 32 bits together."""
        return min(self.k, int(32 / log2(self.symbols.size)))


@cache
def alphabet(classes: int) -> Alphabet:
    """The alphabet of a set of classes."""
    members = sorted(b"".join(members for bit, members in enumerate(_ALL_CLASSES) if classes >> bit & 1))
    symbols = np.array(members, np.uint8)
    to_rank = np.zeros(256, np.uint8)
    to_rank[members] = np.arange(len(members))
    to_symbol = np.pad(symbols, (0, 256 - symbols.size), mode="edge")
    return Alphabet(symbols, to_symbol.tobytes(), to_rank.tobytes(), *packing(len(members)))


_IDENTITY = bytes(range(256))
NIBBLES = Alphabet(np.arange(16, dtype=np.uint8), _IDENTITY, _IDENTITY, 2, 8)
"""The numbers 0 to 15, as an alphabet."""


@cache
def packing(size: int) -> tuple[int, int]:
    """(k, w) for `size` symbols: the least bits per symbol with w <= 57, then whole bytes, then the least w."""
    if size == 1:
        return 1, 0
    choices = ((k, (size**k - 1).bit_length()) for k in range(1, _WIDEST + 1))
    return min(
        ((k, w) for k, w in choices if w <= _WIDEST),
        key=lambda choice: (choice[1] / choice[0], choice[1] % 8 != 0, choice[1]),
    )


@cache
def common_alphabet(classes: int) -> int:
    """The smallest alphabet in common use that holds these classes: few rows do not show every class."""
    return next(bits for bits in _COMMON if bits & classes == classes)


def pack(symbols: Bytes, counts: Integers, letters: Alphabet) -> list[bytes]:
    """Pack bytes of an alphabet: units of k symbols, first symbol most significant, as w-bit numbers, least significant bit first.

    Args:
        symbols: the symbols of all streams, one stream after the other.
        counts: symbols of each stream.
        letters: their alphabet.
    """
    if letters.w == 0:
        return [b""] * counts.size
    units = -(-counts // letters.k)
    aligned = -(-units // letters.lanes) * letters.lanes
    ranks = _moved(translated(symbols, letters.to_rank), counts, counts, aligned * letters.k)
    data = _written(ranks.reshape(-1, letters.k), letters)
    ends = np.cumsum(aligned) * letters.w // 8
    begins = ends - aligned * letters.w // 8
    sizes = (units * letters.w + 7) // 8
    return [data[begin : begin + size] for begin, size in zip(begins.tolist(), sizes.tolist(), strict=True)]


def unpack(streams: Sequence[bytes], counts: Integers, letters: Alphabet) -> Bytes:
    """The symbols of all streams that `pack` made, one stream after the other; `counts` has the symbols of each."""
    if letters.w == 0:
        return np.full(int(counts.sum()), letters.symbols[0], np.uint8)
    units = -(-counts // letters.k)
    aligned = -(-units // letters.lanes) * letters.lanes
    data = b"".join(
        stream.ljust(size, b"\0") for stream, size in zip(streams, (aligned * letters.w // 8).tolist(), strict=True)
    )
    ranks = _read(data, int(aligned.sum()), letters)
    return translated(_moved(ranks.reshape(-1), counts, aligned * letters.k, counts), letters.to_symbol)


def translated(values: Bytes, table: bytes) -> Bytes:
    """Every byte looked up in a table of 256. Indexing an array does the same, and ten times slower."""
    return np.frombuffer(values.tobytes().translate(table), np.uint8).reshape(values.shape)


def _moved(symbols: Bytes, counts: Integers, strides: Integers, places: Integers) -> Bytes:
    """Streams of `counts` symbols that lie `strides` apart, moved to lie `places` apart; what is between them is 0."""
    if (strides == places).all():
        return symbols
    out = np.zeros(int(places.sum()), np.uint8)
    origins, targets = (np.cumsum(strides) - strides).tolist(), (np.cumsum(places) - places).tolist()
    for origin, target, count in zip(origins, targets, counts.tolist(), strict=True):
        out[target : target + count] = symbols[origin : origin + count]
    return out


def _written(ranks: Bytes, letters: Alphabet) -> bytes:
    """Units of k ranks as bits one after the other; the number of units is a multiple of `letters.lanes`."""
    lanes, stride = letters.lanes, letters.stride
    data = bytearray(len(ranks) // lanes * stride + _GUARD)
    octets = np.frombuffer(data, np.uint8)[:-_GUARD].reshape(-1, stride)
    for begin in range(0, len(ranks), _BLOCK):
        values = _values(ranks[begin : begin + _BLOCK], letters)
        if lanes == 1:
            bytes_of = values.view(np.uint8).reshape(values.size, -1)
            for column in range(stride):
                octets[begin : begin + _BLOCK, column] = bytes_of[:, column]
            continue
        for lane in range(lanes):
            at = lane * letters.w
            words = _words(data, begin // lanes * stride + at // 8, stride, values.size // lanes)
            words |= values[lane::lanes] << np.uint64(at % 8)
    return bytes(memoryview(data)[:-_GUARD])


def _read(data: bytes, count: int, letters: Alphabet) -> Bytes:
    """The ranks of `count` units: the inverse of `_written`."""
    lanes, stride = letters.lanes, letters.stride
    ranks = np.empty((count, letters.k), np.uint8)
    if letters.w == 8:
        _digits(np.frombuffer(data, np.uint8), ranks, letters.symbols.size)
        return ranks
    guarded = data + bytes(_GUARD)
    for begin in range(0, count, _BLOCK):
        out = ranks[begin : begin + _BLOCK]
        values = np.empty(len(out), np.uint64)
        for lane in range(lanes):
            at = lane * letters.w
            words = _words(guarded, begin // lanes * stride + at // 8, stride, values.size // lanes)
            values[lane::lanes] = words >> np.uint64(at % 8)
        values &= np.uint64((1 << letters.w) - 1)
        _split(values, out, letters)
    return ranks


def _words(data: bytes | bytearray, offset: int, stride: int, count: int) -> Unsigned:
    """The 8 bytes at `offset` and at every `stride` bytes from there, as numbers."""
    return np.ndarray((count,), "<u8", data, offset, (stride,))


def _values(ranks: Bytes, letters: Alphabet) -> NDArray[np.unsignedinteger]:
    """Units of k ranks as numbers. The low symbols are added up in 32 bits, which is several times quicker than in 64."""
    base, high = letters.symbols.size, letters.k - letters.low
    low = _horner(ranks[:, high:], np.dtype(np.uint32), base)
    if not high:
        return low
    values = _horner(ranks[:, :high], np.dtype(np.uint64), base)
    values *= np.uint64(base**letters.low)
    values += low
    return values


def _horner(ranks: Bytes, dtype: np.dtype[np.unsignedinteger], base: int) -> NDArray[np.unsignedinteger]:
    values = ranks[:, 0].astype(dtype)
    for column in range(1, ranks.shape[1]):
        values *= dtype.type(base)
        values += ranks[:, column]
    return values


def _split(values: Unsigned, out: Bytes, letters: Alphabet) -> None:
    """The inverse of `_values`."""
    base, high = letters.symbols.size, letters.k - letters.low
    if high:
        above = values // np.uint64(base**letters.low)
        _digits(above, out[:, :high], base)
        values = values - above * np.uint64(base**letters.low)
    _digits(values.astype(np.uint32), out[:, high:], base)


def _digits(values: NDArray[np.unsignedinteger], out: Bytes, base: int) -> None:
    radix = values.dtype.type(base % 256 if values.dtype == np.uint8 else base)
    for column in range(out.shape[1] - 1, 0, -1):
        above = values // radix
        np.subtract(values, above * radix, out=out[:, column], casting="unsafe")
        values = above
    out[:, 0] = values
