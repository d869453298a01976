"""Equal values by ordinals: the first value is 0, the next one that differs from all before is 1, and so on."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.compiled import compiled

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


def ordinals(hashes: NDArray[np.uint64]) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """The ordinal of each value, and the row at which each ordinal comes first.

    Args:
        hashes: 64 bits of each value; equal ones count as one value.
    """
    bits = max(4, (2 * hashes.size).bit_length())
    ordinal, first = np.empty(hashes.size, np.uint32), np.empty(hashes.size, np.int64)
    count = _number(hashes, np.full(1 << bits, -1, np.int32), np.uint64(64 - bits), ordinal, first)
    return ordinal, first[:count]


@compiled
def _number(
    hashes: NDArray[np.uint64],
    slots: NDArray[np.int32],
    shift: np.uint64,
    ordinal: NDArray[np.uint32],
    first: NDArray[np.int64],
) -> int:
    """Fill `ordinal` and `first`; `slots` is a hash table with open addressing, of at least twice as many entries as there are values."""
    count, last = 0, slots.size - 1
    for row in range(hashes.size):
        if row > 0 and hashes[row] == hashes[row - 1]:
            ordinal[row] = ordinal[row - 1]
            continue
        slot = np.int64((hashes[row] * _GOLDEN) >> shift)
        while slots[slot] >= 0 and hashes[first[slots[slot]]] != hashes[row]:
            slot = (slot + 1) & last
        if slots[slot] < 0:
            slots[slot] = count
            first[count] = row
            count += 1
        ordinal[row] = slots[slot]
    return count


def kinds(column: pl.Series) -> tuple[pl.Series, NDArray[np.uint32]]:
    """The values of a column, each once, in order of first appearance, and the ordinal of each row."""
    ordinal, first = ordinals(column.hash().to_numpy())
    return column.gather(first), ordinal
