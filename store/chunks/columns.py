"""Columns inside a record: integers as byte planes, strings as lengths and text, each in the section where its like is.

A record's content has three sections: `text` (strings, one after the other), `numbers` (byte planes) and `packed` (symbols packed at
their entropy). `Sections` writes them, `Cursor` reads them in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Unsigned = NDArray[np.uint64]


MAX_CONTENT = 1 << 30
"""Bytes the content of a frame may have, and so segments of a record; a larger claim is damage."""


class Malformed(ValueError):
    """Content that no writer writes."""


@dataclass(slots=True)
class Sections:
    """The three sections of one record while it is written."""

    text: list[bytes] = field(default_factory=list[bytes])
    numbers: list[bytes] = field(default_factory=list[bytes])
    packed: list[bytes] = field(default_factory=list[bytes])


class Cursor:
    """The three sections of one record while it is read."""

    def __init__(self, text: memoryview, numbers: memoryview, packed: memoryview) -> None:
        self._text, self._numbers, self._packed = text, numbers, packed

    def text(self, length: int) -> memoryview:
        """The next bytes of the text section."""
        taken, self._text = _take(self._text, length)
        return taken

    def packed(self, length: int) -> memoryview:
        """The next bytes of the packed section."""
        taken, self._packed = _take(self._packed, length)
        return taken

    def numbers(self, length: int) -> memoryview:
        """The next bytes of the numbers section."""
        taken, self._numbers = _take(self._numbers, length)
        return taken

    def varint(self) -> int:
        """The next number of the text section, in LEB128."""
        value = shift = 0
        while True:
            byte = self.text(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
            if shift > 63:
                raise Malformed("a number is too long")

    def rest(self) -> memoryview:
        """What is left of the text section."""
        return self._text

    def end(self) -> None:
        """Check that everything was read."""
        if len(self._text) or len(self._numbers) or len(self._packed):
            raise Malformed("bytes are left over")


def _take(section: memoryview, length: int) -> tuple[memoryview, memoryview]:
    if length > len(section):
        raise Malformed("a section ends early")
    return section[:length], section[length:]


def varint(value: int) -> bytes:
    """`value` >= 0 in LEB128: seven bits a byte, least significant first, the eighth bit set on all but the last."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def zigzag(values: Integers) -> Unsigned:
    """Signed to unsigned so that small magnitudes stay small: 0, -1, 1, -2 become 0, 1, 2, 3."""
    return ((values << 1) ^ (values >> 63)).view(np.uint64)


def unzigzag(values: Unsigned) -> Integers:
    """The inverse of `zigzag`."""
    return (values >> np.uint64(1)).view(np.int64) ^ -(values & np.uint64(1)).view(np.int64)


def planes(values: Unsigned) -> list[bytes]:
    """A byte with the number of byte planes (0 when all values are 0), then the planes, the least significant first."""
    width = (int(values.max()).bit_length() + 7) // 8 if values.size else 0
    if width == 0:
        return [b"\0"]
    octets = values.astype("<u8", copy=False).view(np.uint8).reshape(-1, 8)
    return [bytes([width]), *(octets[:, plane].tobytes() for plane in range(width))]


def read_planes(cursor: Cursor, count: int) -> Unsigned:
    """The inverse of `planes` for `count` values."""
    width = cursor.numbers(1)[0]
    if width > 8:
        raise Malformed("an integer is too wide")
    if width == 0:
        return np.zeros(count, np.uint64)
    octets = np.zeros((count, 8), np.uint8)
    octets[:, :width] = np.frombuffer(cursor.numbers(width * count), np.uint8).reshape(width, count).T
    return octets.view("<u8").reshape(count)


def write_integers(sections: Sections, values: Integers) -> None:
    """Append signed integers to the numbers section."""
    sections.numbers += planes(zigzag(values))


def read_integers(cursor: Cursor, count: int) -> Integers:
    """The next `count` signed integers."""
    return unzigzag(read_planes(cursor, count))


def differences(values: Integers, starts: Integers) -> Integers:
    """Each value less the one before it; the values at `starts` (row numbers) stay as they are."""
    out = values.copy()
    out[1:] -= values[:-1]
    starts = starts[starts < values.size]
    out[starts] = values[starts]
    return out


@dataclass(frozen=True, slots=True)
class Text:
    """Strings or byte strings as Arrow has them: `data[offsets[i]:offsets[i + 1]]` is row i."""

    data: NDArray[np.uint8]
    offsets: Integers

    @property
    def lengths(self) -> Integers:
        """Bytes of each row."""
        return np.diff(self.offsets)


def text_of(values: pl.Series) -> Text:
    """A String or Binary series without nulls as offsets and bytes, not copied where Arrow allows it."""
    array = values.rechunk().to_arrow(compat_level=pl.CompatLevel.oldest())
    if not pa.types.is_large_binary(array.type) and not pa.types.is_large_string(array.type):
        array = array.cast(pa.large_binary())
    _, offsets, data = array.buffers()
    if offsets is None or not len(array):
        return Text(np.zeros(0, np.uint8), np.zeros(1, np.int64))
    places = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    return Text(np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8), places)


def binary_series(data: bytes | memoryview, lengths: Integers) -> pl.Series:
    """A Binary series from its bytes and the length of each row."""
    offsets = np.zeros(lengths.size + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    if (lengths < 0).any() or offsets[-1] != len(data):
        raise Malformed("lengths do not add up")
    array = pa.Array.from_buffers(pa.large_binary(), lengths.size, [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    return pl.Series(array, dtype=pl.Binary)


def write_text(sections: Sections, text: Text, first: int, last: int) -> None:
    """Append rows `first` to `last` (exclusive): lengths to the numbers, bytes to the text section."""
    offsets = text.offsets[first : last + 1]
    sections.numbers += planes(np.diff(offsets).view(np.uint64))
    sections.text.append(text.data[offsets[0] : offsets[-1]].tobytes())


def read_text(cursor: Cursor, count: int) -> tuple[Integers, memoryview]:
    """(lengths, bytes) of the next `count` strings."""
    lengths = read_planes(cursor, count).view(np.int64)
    total = int(lengths.sum())
    if total < 0 or (lengths < 0).any():
        raise Malformed("a negative length")
    return lengths, cursor.text(total)
