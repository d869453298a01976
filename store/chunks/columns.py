"""Columns inside a record: integers as byte planes, strings as lengths and text, each in the section where its like is.

A record's content has three sections: `text` (strings, one after the other), `numbers` (byte planes) and `packed` (symbols packed at
their entropy). `Sections` writes them, `Cursor` reads them in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.texts import Texts

Integers = NDArray[np.int64]
Unsigned = NDArray[np.uint64]
_Number = TypeVar("_Number", bound=np.generic)

MAX_CONTENT = 1 << 30
"""Bytes the content of a frame may have; a larger claim is damage."""

MAX_ROWS = 1 << 24
"""Segments, files and the like a record may have; a larger claim is damage."""


class Malformed(ValueError):
    """Content that no writer writes."""


@dataclass(slots=True)
class Sections:
    """The three sections of one record while it is written."""

    text: list[bytes] = field(default_factory=list[bytes])
    numbers: list[bytes] = field(default_factory=list[bytes])
    packed: list[bytes] = field(default_factory=list[bytes])

    def extend(self, other: Sections) -> None:
        """Append what other sections hold."""
        self.text += other.text
        self.numbers += other.numbers
        self.packed += other.packed


class Cursor:
    """The three sections of one record while it is read."""

    __slots__ = ("_content", "_ends", "_numbers", "_packed", "_text")

    def __init__(self, content: bytes, begin: int, text: int, numbers: int) -> None:
        """`content` from `begin` on: `text` bytes of text, `numbers` bytes of numbers, then what is packed.

        Raises:
            Malformed: it is shorter than that.
        """
        if begin + text + numbers > len(content):
            raise Malformed("a section ends early")
        self._content = content
        self._text, self._numbers, self._packed = begin, begin + text, begin + text + numbers
        self._ends = (self._numbers, self._packed, len(content))

    def varint(self) -> int:
        """The next number of the text section, in LEB128."""
        value, self._text = read_varint(self._content, self._text)
        if self._text > self._ends[0]:
            raise Malformed("a section ends early")
        return value

    def text(self, length: int) -> bytes:
        """The next bytes of the text section."""
        begin, self._text = self._text, self._text + length
        if self._text > self._ends[0]:
            raise Malformed("a section ends early")
        return self._content[begin : self._text]

    def numbers(self, length: int) -> bytes:
        """The next bytes of the numbers section."""
        begin, self._numbers = self._numbers, self._numbers + length
        if self._numbers > self._ends[1]:
            raise Malformed("a section ends early")
        return self._content[begin : self._numbers]

    def packed(self, length: int) -> bytes:
        """The next bytes of the packed section."""
        begin, self._packed = self._packed, self._packed + length
        if self._packed > self._ends[2]:
            raise Malformed("a section ends early")
        return self._content[begin : self._packed]

    def end(self) -> None:
        """Check that everything was read."""
        if (self._text, self._numbers, self._packed) != self._ends:
            raise Malformed("bytes are left over")


def varint(value: int) -> bytes:
    """`value` >= 0 in LEB128: seven bits a byte, least significant first, the eighth bit set on all but the last."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_varint(data: bytes, at: int) -> tuple[int, int]:
    """(the number that `varint` wrote at byte `at`, the byte after it).

    Raises:
        Malformed: there is none.
    """
    value = shift = 0
    for byte in data[at : at + 10]:
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    raise Malformed("a number that does not end")


def zigzag(values: Integers) -> Unsigned:
    """Signed to unsigned so that small magnitudes stay small: 0, -1, 1, -2 become 0, 1, 2, 3."""
    return ((values << 1) ^ (values >> 63)).view(np.uint64)


def unzigzag(values: Unsigned) -> Integers:
    """The inverse of `zigzag`."""
    return (values >> np.uint64(1)).view(np.int64) ^ -(values & np.uint64(1)).view(np.int64)


@dataclass(frozen=True, slots=True)
class Planes:
    """Unsigned integers of all records as byte planes, ready to be cut at the bounds of the records.

    Attributes:
        octets: the planes, the least significant first.
        widths: planes that each record needs.
    """

    octets: tuple[bytes, ...]
    widths: list[int]

    def write(self, out: list[bytes], record: int, first: int, last: int) -> None:
        """Append the integers of a record, which are the rows `first` to `last` (exclusive): a byte with their width, then their planes."""
        width = self.widths[record]
        out.append(_WIDTH[width])
        if width:
            out += [plane[first:last] for plane in self.octets[:width]]


_WIDTH = tuple(bytes([width]) for width in range(9))


def planes(values: Unsigned, bounds: Integers) -> Planes:
    """The planes of `values`; record i holds the rows `bounds[i]` to `bounds[i + 1]`."""
    most = reduced(np.maximum, values, bounds)
    widths = np.zeros(most.size, np.int64)
    for width in range(8):
        widths += most >> np.uint64(8 * width) > 0
    octets = values.astype("<u8", copy=False).view(np.uint8).reshape(-1, 8)
    return Planes(tuple(octets[:, plane].tobytes() for plane in range(int(widths.max(initial=0)))), widths.tolist())


def reduced(ufunc: np.ufunc, values: NDArray[_Number], bounds: Integers) -> NDArray[_Number]:
    """`ufunc` over the rows of each record, which may have none: then 0."""
    filled = bounds[1:] > bounds[:-1]
    out = np.zeros((filled.size, *values.shape[1:]), values.dtype)
    if filled.any():
        out[filled] = ufunc.reduceat(values, bounds[:-1][filled], axis=0)
    return out


class PlanesReader:
    """Reads the integers of one column of one record after the other, and makes one array of them all."""

    __slots__ = ("_chunks", "_counts", "_widths")

    def __init__(self) -> None:
        self._widths: list[int] = []
        self._counts: list[int] = []
        self._chunks: list[bytes] = []

    def read(self, cursor: Cursor, count: int) -> None:
        """Read the next `count` integers.

        Raises:
            Malformed: no writer writes this.
        """
        width = cursor.numbers(1)[0]
        if width > 8 or count > MAX_ROWS:
            raise Malformed("integers that no writer writes")
        self._widths.append(width)
        self._counts.append(count)
        self._chunks.append(cursor.numbers(width * count) if width else b"")

    @property
    def last_width(self) -> int:
        """Planes of the integers read last; 0 where all are 0."""
        return self._widths[-1]

    def last(self) -> Unsigned:
        """The integers read last."""
        return _integers(self._widths[-1:], self._counts[-1:], self._chunks[-1:])

    def last_sum(self) -> int:
        """The sum of the integers read last."""
        count, chunk = self._counts[-1], self._chunks[-1]
        return sum(sum(chunk[count * plane : count * (plane + 1)]) << 8 * plane for plane in range(self._widths[-1]))

    def unsigned(self) -> Unsigned:
        """All integers read."""
        return _integers(self._widths, self._counts, self._chunks)

    def signed(self) -> Integers:
        """All integers read, which were written as signed ones."""
        return unzigzag(self.unsigned())


def _integers(widths: list[int], counts: list[int], chunks: list[bytes]) -> Unsigned:
    out = np.zeros(sum(counts), np.uint64)
    octets = out.view(np.uint8).reshape(-1, 8)
    pieces = list(zip(widths, counts, chunks, strict=True))
    for plane in range(max(widths, default=0)):
        joined = b"".join(
            [
                chunk[plane * count : (plane + 1) * count] if plane < width else bytes(count)
                for width, count, chunk in pieces
            ]
        )
        octets[:, plane] = np.frombuffer(joined, np.uint8)
    return out


def differences(values: Integers, starts: Integers) -> Integers:
    """Each value less the one before it; the values at `starts` (row numbers) stay as they are."""
    out = values.copy()
    out[1:] -= values[:-1]
    starts = starts[starts < values.size]
    out[starts] = values[starts]
    return out


def sums(steps: Integers, bounds: Integers) -> Integers:
    """The inverse of `differences` where each record, rows `bounds[i]` to `bounds[i + 1]`, starts anew."""
    running = np.cumsum(steps)
    counts = np.diff(bounds)
    starts = bounds[:-1][counts > 0]
    return running - np.repeat(running[starts] - steps[starts], counts[counts > 0])


def bounds_of(counts: Integers | list[int]) -> Integers:
    """Where each record begins and the last one ends, from the rows of each."""
    out = np.zeros(len(counts) + 1, np.int64)
    np.cumsum(counts, out=out[1:])
    return out


def binary_series(data: bytes | memoryview, lengths: Integers) -> pl.Series:
    """A Binary series from its bytes and the length of each row."""
    offsets = np.zeros(lengths.size + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    if (lengths < 0).any() or offsets[-1] != len(data):
        raise Malformed("lengths do not add up")
    array = pa.Array.from_buffers(pa.large_binary(), lengths.size, [None, pa.py_buffer(offsets), pa.py_buffer(data)])
    return pl.Series(array, dtype=pl.Binary)


@dataclass(frozen=True, slots=True)
class TextColumn:
    """Strings or byte strings of all records, ready to be cut.

    Attributes:
        data: their bytes.
        cuts: where those of each record begin, and the last ones end.
        lengths: of each string.
    """

    data: bytes
    cuts: list[int]
    lengths: Planes

    def write(self, sections: Sections, record: int, first: int, last: int) -> None:
        """Append the strings of a record, which are the rows `first` to `last` (exclusive)."""
        self.lengths.write(sections.numbers, record, first, last)
        sections.text.append(self.data[self.cuts[record] : self.cuts[record + 1]])


def text_column(text: Texts, bounds: Integers) -> TextColumn:
    """Record i holds the rows `bounds[i]` to `bounds[i + 1]`."""
    return TextColumn(
        text.octets.tobytes(), text.offsets[bounds].tolist(), planes(text.lengths.view(np.uint64), bounds)
    )


class TextReader:
    """Reads the strings of one column of one record after the other, and makes one series of them all."""

    __slots__ = ("_data", "_lengths")

    def __init__(self) -> None:
        self._lengths = PlanesReader()
        self._data: list[bytes] = []

    def read(self, cursor: Cursor, count: int) -> None:
        """Read the next `count` strings.

        Raises:
            Malformed: no writer writes this.
        """
        self._lengths.read(cursor, count)
        self._data.append(cursor.text(self._lengths.last_sum()))

    def binary(self) -> pl.Series:
        """All strings read, as Binary."""
        return binary_series(b"".join(self._data), self._lengths.unsigned().view(np.int64))
