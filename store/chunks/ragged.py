"""Strings of different lengths as a matrix of characters, aligned at their ends, with a mask of what is absent."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.compiled import compiled
from store.chunks.columns import Integers, Malformed
from store.chunks.radix import Bytes

Mask = NDArray[np.bool_]
ZERO = ord("0")


@dataclass(frozen=True, slots=True)
class Ragged:
    """Row i is the characters of row i that are not absent.

    Attributes:
        characters: (rows, width).
        absent: the same shape, or None when nothing is absent.
    """

    characters: Bytes
    absent: Mask | None = None

    @property
    def lengths(self) -> Integers:
        """Characters of each row."""
        height, width = self.characters.shape
        return np.full(height, width) if self.absent is None else width - _counts(self.absent)

    def joined(self) -> bytes:
        """All rows, one after the other."""
        return (self.characters if self.absent is None else self.characters[~self.absent]).tobytes()


def beside(*parts: Ragged) -> Ragged:
    """Each row is the rows of all parts, one after the other."""
    characters = np.hstack([part.characters for part in parts])
    if all(part.absent is None for part in parts):
        return Ragged(characters)
    masks = [np.zeros(part.characters.shape, np.bool_) if part.absent is None else part.absent for part in parts]
    return Ragged(characters, np.hstack(masks))


def constant(text: bytes, height: int) -> Ragged:
    """The same text in every row."""
    return Ragged(np.broadcast_to(np.frombuffer(text, np.uint8), (height, len(text))))


def decimal(values: Integers) -> Ragged:
    """Numbers without padding.

    Raises:
        Malformed: one is negative.
    """
    most = int(values.max(initial=0))
    if values.min(initial=0) < 0:
        raise Malformed("a negative counter")
    width = len(str(most))
    rest = values.astype(np.uint32 if most < 1 << 32 else np.uint64)
    characters, absent = np.empty((values.size, width), np.uint8), np.zeros((values.size, width), np.bool_)
    for column in range(width - 1, -1, -1):
        if column < width - 1:
            absent[:, column] = rest == 0
        above = rest // rest.dtype.type(10)
        np.add(rest - above * rest.dtype.type(10), rest.dtype.type(ZERO), out=characters[:, column], casting="unsafe")
        rest = above
    return Ragged(characters, absent)


def ending_at(data: Bytes, ends: Integers, lengths: Integers, width: int) -> Ragged:
    """The `lengths` (at most `width`) bytes of `data` before each of `ends`."""
    characters = np.zeros((ends.size, width), np.uint8)
    _copy_before(data, ends, characters)
    return Ragged(characters, missing(width - lengths, width))


@compiled
def _copy_before(data: Bytes, ends: Integers, characters: Bytes) -> None:
    """Fill each row with the bytes of `data` before its end, as far as there are any."""
    width = characters.shape[1]
    for row in range(ends.size):
        begin = ends[row] - width
        for column in range(max(0, -begin), width):
            characters[row, column] = data[begin + column]


@compiled
def _counts(mask: Mask) -> Integers:
    """How many of each row are true."""
    counts = np.zeros(mask.shape[0], np.int64)
    for row in range(mask.shape[0]):
        for column in range(mask.shape[1]):
            counts[row] += mask[row, column]
    return counts


def missing(counts: Integers, width: int) -> Mask:
    """The mask of rows without their first `counts` of `width` characters."""
    return np.arange(width) < counts[:, None]


def windows(data: Bytes, begins: Integers, width: int) -> Bytes:
    """`width` bytes of `data` from each of `begins`, one row each."""
    if width == 0 or not begins.size:
        return np.zeros((begins.size, width), np.uint8)
    if begins[-1] - begins[0] == (begins.size - 1) * width and (np.diff(begins) == width).all():
        return data[begins[0] : begins[-1] + width].reshape(-1, width)
    return np.lib.stride_tricks.sliding_window_view(data, width)[begins]


def leading_zeros(characters: Bytes) -> Mask:
    """Zeros before the first other character of each row; never its last character."""
    mask = np.zeros(characters.shape, np.bool_)
    if characters.shape[1] > 1:
        mask[:, 0] = characters[:, 0] == ZERO
    for column in range(1, characters.shape[1] - 1):
        mask[:, column] = mask[:, column - 1] & (characters[:, column] == ZERO)
    return mask
