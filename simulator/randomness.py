"""Random values that depend on their place alone, and random text by the column."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl
import pyarrow as pa
import xxhash

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

LOWER = "abcdefghijklmnopqrstuvwxyz"
UPPER = LOWER.upper()
DIGITS = "0123456789"
HEX = DIGITS + "abcdef"
B36 = DIGITS + LOWER
B62 = DIGITS + UPPER + LOWER
B64 = B62 + "_-"


def keyed(*place: object) -> np.random.Generator:
    """A generator for a place such as (seed, group, span): the same place gives the same stream."""
    return np.random.Generator(np.random.Philox(key=digest(*place)))


def digest(*place: object) -> int:
    """64 bits that stand for a place."""
    return xxhash.xxh3_64_intdigest("\x1f".join(map(str, place)).encode())


def scatter(salt: int, numbers: Words | Ints) -> Words:
    """SplitMix64 of each number under a salt: evenly spread 64-bit words, one by one, without a stream."""
    z = numbers.astype(np.uint64) + np.uint64(salt) + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def chosen(salt: int, numbers: Words | Ints, share: float) -> npt.NDArray[np.bool_]:
    """Which numbers belong to a share of all numbers; the same ones each time."""
    return scatter(salt, numbers) < np.uint64(min(share, 1.0) * (2**64 - 2048))


def text(rng: np.random.Generator, rows: int, length: int, alphabet: str) -> pl.Series:
    """`rows` strings of `length` characters, each uniform over `alphabet`: log2(len(alphabet)) bits a character."""
    return _as_strings(_letters(rng, rows * length, alphabet), np.arange(rows + 1, dtype=np.int64) * length)


def ragged(rng: np.random.Generator, rows: int, low: int, high: int, alphabet: str) -> pl.Series:
    """Like `text` with lengths uniform over `low..high`."""
    ends = np.zeros(rows + 1, dtype=np.int64)
    np.cumsum(rng.integers(low, high + 1, rows), out=ends[1:])
    return _as_strings(_letters(rng, int(ends[-1]), alphabet), ends)


def alternating(rng: np.random.Generator, rows: int, length: int) -> pl.Series:
    """Strings like `AbCdEf`: letters by turns upper and lower, as Nyuu's message-ids have them."""
    letters = _letters(rng, rows * length, LOWER).reshape(rows, length).copy()
    letters[:, 0::2] -= 32
    return _as_strings(letters.reshape(-1), np.arange(rows + 1, dtype=np.int64) * length)


def in_base(values: Words | Ints, alphabet: str, width: int = 0) -> pl.Series:
    """Each value written with the digits of `alphabet`, without leading zeros unless a fixed `width` is given."""
    rest = values.astype(np.uint64)
    base = np.uint64(len(alphabet))
    digits = width or 16
    table = np.frombuffer(alphabet.encode(), dtype=np.uint8)
    matrix = np.empty((len(rest), digits), dtype=np.uint8)
    lengths = np.ones(len(rest), dtype=np.int64)
    for place in range(digits - 1, -1, -1):
        matrix[:, place] = table[rest % base]
        rest = rest // base
        lengths += rest > 0
    if width:
        return _as_strings(matrix.reshape(-1), np.arange(len(values) + 1, dtype=np.int64) * width)
    used = np.arange(digits) >= digits - np.minimum(lengths, digits)[:, None]
    ends = np.zeros(len(values) + 1, dtype=np.int64)
    np.cumsum(np.minimum(lengths, digits), out=ends[1:])
    return _as_strings(matrix[used], ends)


def _letters(rng: np.random.Generator, count: int, alphabet: str) -> npt.NDArray[np.uint8]:
    table = np.frombuffer(alphabet.encode(), dtype=np.uint8)
    if len(table) & (len(table) - 1) == 0:
        return table[np.frombuffer(rng.bytes(count), dtype=np.uint8) & np.uint8(len(table) - 1)]
    # 16-bit draws scaled down cost at most 1e-6 bits of entropy a letter, and are quicker than rejection.
    draws = np.frombuffer(rng.bytes(count * 2), dtype=np.uint16).astype(np.uint32)
    return table[(draws * np.uint32(len(table))) >> np.uint32(16)]


def _as_strings(letters: npt.NDArray[np.uint8], ends: Ints) -> pl.Series:
    array = pa.LargeStringArray.from_buffers(
        len(ends) - 1, pa.py_buffer(ends), pa.py_buffer(np.ascontiguousarray(letters))
    )
    return pl.Series(pl.from_arrow(array))
