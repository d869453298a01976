"""Whatever bytes a server sends as UTF-8: those that are not are read as cp1252, and as latin-1 where cp1252 has no character."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pipeline.compiled import compiled

_LONGEST = 4
_WESTERN = [(bytes([byte]).decode("cp1252", "ignore") or chr(byte)).encode() for byte in range(256)]
_LENGTHS = np.array([len(octets) for octets in _WESTERN], np.int64)
_OCTETS = np.frombuffer(b"".join(octets.ljust(_LONGEST, b"\0") for octets in _WESTERN), np.uint8).reshape(256, _LONGEST)


def as_utf8(text: bytes) -> NDArray[np.uint8]:
    """The text as UTF-8, every octet that belongs to no valid sequence replaced by the character it stands for in the West."""
    octets = np.frombuffer(text, np.uint8)
    if text.isascii():
        return octets
    high = np.flatnonzero(octets > 0x7F)
    foreign = high[_belong_nowhere(octets, high)]
    if not len(foreign):
        return octets
    growth = _LENGTHS[octets[foreign]] - 1
    readable = np.empty(len(octets) + int(growth.sum()), np.uint8)
    _replace(octets, foreign, readable)
    return readable


@compiled
def _belong_nowhere(octets: NDArray[np.uint8], high: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the octets above 127, at the ascending places `high`, are in no sequence that RFC 3629 4 allows."""
    nowhere = np.ones(high.size, np.bool_)
    at = 0
    while at < high.size:
        place, first = high[at], octets[high[at]]
        length = 2 if 0xC2 <= first <= 0xDF else 3 if 0xE0 <= first <= 0xEF else 4 if 0xF0 <= first <= 0xF4 else 0
        valid = length > 0 and place + length <= octets.size
        for after in range(1, length):
            valid = valid and octets[place + after] & 0xC0 == 0x80
        if valid and length > 2:
            second = octets[place + 1]
            # No overlong forms, no surrogates, nothing above U+10FFFF.
            valid = not (
                (first == 0xE0 and second < 0xA0)
                or (first == 0xED and second > 0x9F)
                or (first == 0xF0 and second < 0x90)
                or (first == 0xF4 and second > 0x8F)
            )
        for _ in range(length if valid else 1):
            nowhere[at] = not valid
            at += 1
    return nowhere


@compiled
def _replace(octets: NDArray[np.uint8], foreign: NDArray[np.int64], readable: NDArray[np.uint8]) -> None:
    to, start = 0, 0
    for place in foreign:
        readable[to : to + place - start] = octets[start:place]
        to += place - start
        for octet in range(_LENGTHS[octets[place]]):
            readable[to] = _OCTETS[octets[place], octet]
            to += 1
        start = place + 1
    readable[to:] = octets[start:]
