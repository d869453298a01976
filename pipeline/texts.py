"""A String or Binary column as octets, and octets as a String column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from pipeline.compiled import compiled

Octets = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Texts:
    """n texts, one behind the other.

    Attributes:
        offsets: int64[n + 1]; text i is `octets[offsets[i]:offsets[i + 1]]`.
        octets: of all texts; UTF-8 where they come from a String column.
    """

    offsets: NDArray[np.int64]
    octets: Octets

    @property
    def lengths(self) -> NDArray[np.int64]:
        """Octets of each text."""
        return np.diff(self.offsets)

    @property
    def array(self) -> Any:
        """The texts as a `pyarrow.LargeStringArray`, not copied."""
        offsets, octets = pa.py_buffer(self.offsets), pa.py_buffer(self.octets)
        return pa.LargeStringArray.from_buffers(len(self.offsets) - 1, offsets, octets)

    @property
    def column(self) -> pl.Series:
        """The texts as a String column."""
        return pl.Series(self.array)


def texts(column: pl.Series) -> Texts:
    """The octets of a String or Binary column without nulls, not copied where Arrow allows it."""
    array = column.rechunk().to_arrow(compat_level=pl.CompatLevel.oldest())
    if not pa.types.is_large_binary(array.type) and not pa.types.is_large_string(array.type):
        array = array.cast(pa.large_binary())
    _, offsets, octets = array.buffers()
    if offsets is None or not len(array):
        return Texts(np.zeros(1, np.int64), np.zeros(0, np.uint8))
    places = np.frombuffer(offsets, np.int64)[array.offset : array.offset + len(array) + 1]
    return Texts(places, np.frombuffer(octets, np.uint8) if octets is not None else np.zeros(0, np.uint8))


def cut(octets: Octets, starts: NDArray[np.integer], ends: NDArray[np.integer], more: Octets | None = None) -> Texts:
    """Pieces of a text as texts; `more`, where there is some, goes on where `octets` ends."""
    offsets = np.zeros(len(starts) + 1, np.int64)
    np.cumsum(ends - starts, dtype=np.int64, out=offsets[1:])
    pieces = np.empty(int(offsets[-1]), np.uint8)
    _copy(octets, np.empty(0, np.uint8) if more is None else more, starts, ends, offsets, pieces)
    return Texts(offsets, pieces)


@compiled
def _copy(
    octets: Octets,
    more: Octets,
    starts: NDArray[np.integer],
    ends: NDArray[np.integer],
    offsets: NDArray[np.int64],
    pieces: Octets,
) -> None:
    for piece in range(starts.size):
        start, end = starts[piece], ends[piece]
        if end <= octets.size:
            pieces[offsets[piece] : offsets[piece + 1]] = octets[start:end]
        else:
            pieces[offsets[piece] : offsets[piece + 1]] = more[start - octets.size : end - octets.size]
