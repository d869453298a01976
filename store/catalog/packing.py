"""Keys and marks of files in half the space: what the catalog keeps of those that the pipeline derives.

A key is the first 8 bytes of 16: at a hundred million releases two share one with a chance of 1 in 3,000.

Of `file_marks` (pipeline/completeness.py) a record without marks stays empty. Else: 1 byte, the width w of a count (1, 2 or 3 bytes); 3 bytes, how many files are complete; for each
of those 3 bytes of its key and w of its segments; then for each other file 3 bytes of its key, w of the segments expected, w of
those found. All big-endian. The SQL function `file_marks` reads them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import polars as pl

MOST_SEGMENTS = 2**31 - 1
"""Segments a record can say it expects; a subject can name more."""

_COUNT = np.uint64((1 << 20) - 1)


def short_keys(keys: pl.Series) -> list[int | None]:
    """The first 8 bytes of each key (Binary), as a signed big-endian number."""
    return [None if key is None else int.from_bytes(key[:8], signed=True) for key in keys]


def packed_marks(marks: pl.Series) -> list[bytes]:
    """The marks of each record (Binary, 8 bytes a file) packed."""
    return [_packed(record) for record in marks]


def _packed(marks: bytes) -> bytes:
    if not marks:
        return b""
    values = np.sort(np.frombuffer(marks, ">u8").astype(np.uint64))
    expected, found = values >> np.uint64(20) & _COUNT, values & _COUNT
    width = (int(np.maximum(expected, found).max()).bit_length() + 7) // 8 or 1
    complete = expected == found
    parts = [_bytes(values >> np.uint64(40), 3), _bytes(expected, width), _bytes(found, width)]
    whole = np.hstack([part[complete] for part in parts[:2]])
    others = np.hstack([part[~complete] for part in parts])
    return bytes([width]) + len(whole).to_bytes(3) + whole.tobytes() + others.tobytes()


def _bytes(numbers: npt.NDArray[np.uint64], width: int) -> npt.NDArray[np.uint8]:
    """The last `width` bytes of each number, a row each."""
    return numbers.astype(">u8").view(np.uint8).reshape(-1, 8)[:, 8 - width :]
