"""V8's `Math.random`, from its state onwards and back to it, for message-ids that Nyuu draws from it.

The generator is xorshift128+; a number is the upper bits of one word of its state, so every bit of it is a sum over GF(2) of bits of an
earlier state. V8 draws 64 numbers at a time and hands out the last one first. A letter is `floor(65 + 26 r)`: whether it stands in the first
half of the alphabet is the first bit of r, and 192 such bits (eight ids) say which state they came from, and by 64 sums whether from any.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from store.chunks.columns import Integers, Unsigned, bounds_of
from store.chunks.radix import Bytes

LETTERS = 24
"""Letters of an id, upper and lower case in turn."""

WINDOW = 8
"""Ids that a state is found from."""

PHASES = 64
"""Numbers that V8 draws at a time."""

_BITS = WINDOW * LETTERS
_LANES = 1024
_FIRST = np.tile(np.array([ord("A"), ord("a")], np.float64), LETTERS // 2)


def _step(first: Unsigned, second: Unsigned) -> tuple[Unsigned, Unsigned]:
    mixed = first << np.uint64(23)
    mixed ^= first
    mixed ^= mixed >> np.uint64(17)
    mixed ^= second
    mixed ^= second >> np.uint64(26)
    return second, mixed


def letters(states: Unsigned, phases: Integers, counts: Integers) -> Bytes:
    """The letters of the ids that are drawn one after the other, of all runs, as (ids, 24).

    Args:
        states: (runs, 2), the generator before it filled the cache from which the first number of the run came.
        phases: numbers that had been taken of that cache.
        counts: ids of each run.
    """
    blocks = -(-(phases + counts * LETTERS) // PHASES)
    starts = _starts(states, blocks)
    drawn = np.empty((len(starts), PHASES), np.uint64)
    for begin in range(0, len(starts), _LANES):
        first, second = starts[begin : begin + _LANES].T.copy()
        block = np.empty((PHASES, first.size), np.uint64)
        for place in range(PHASES - 1, -1, -1):
            first, second = _step(first, second)
            block[place] = first
        drawn[begin : begin + _LANES] = block.T
    lead = (bounds_of(blocks)[:-1] * PHASES + phases).tolist()
    flat = drawn.reshape(-1)
    taken = [flat[at : at + count * LETTERS] for at, count in zip(lead, counts.tolist(), strict=True)]
    numbers = (np.concatenate(taken) >> np.uint64(11)) * 2.0**-53
    return (numbers.reshape(-1, LETTERS) * 26 + _FIRST).astype(np.uint8)


def _starts(states: Unsigned, blocks: Integers) -> Unsigned:
    """The state before each block of 64 numbers, of all runs."""
    bounds = bounds_of(blocks)
    out = np.empty((int(bounds[-1]), 2), np.uint64)
    out[bounds[:-1]] = states
    place = np.arange(bounds[-1]) - np.repeat(bounds[:-1], blocks)
    reach = 1
    while reach < int(blocks.max(initial=0)):
        # The blocks up to `reach` are known; each of as many behind them follows from the one `reach` before.
        rows = np.flatnonzero((place >= reach) & (place < 2 * reach))
        out[rows] = _applied(_jump(reach.bit_length() - 1), out[rows - reach])
        reach *= 2
    return out


@cache
def _jump(power: int) -> Unsigned:
    """Tables of the linear map over `64 * 2**power` steps."""
    if power:
        half = _jump(power - 1)
        return _tables(_applied(half, _applied(half, _basis())))
    first, second = _basis().T
    for _ in range(PHASES):
        first, second = _step(first, second)
    return _tables(np.column_stack((first, second)))


def _basis() -> Unsigned:
    """The states of one bit, the first word's lowest bit first."""
    one = np.uint64(1) << np.arange(64, dtype=np.uint64)
    zero = np.zeros(64, np.uint64)
    return np.column_stack((np.concatenate((one, zero)), np.concatenate((zero, one))))


def _tables(images: Unsigned) -> Unsigned:
    """What each value of each of the 16 bytes of a state adds to the result, from the images of the single bits."""
    tables = np.zeros((16, 256, 2), np.uint64)
    for bit in range(8):
        tables[:, 1 << bit : 2 << bit] = tables[:, : 1 << bit] ^ images[bit::8][:, None]
    return tables


def _applied(tables: Unsigned, states: Unsigned) -> Unsigned:
    octets = np.ascontiguousarray(states).view(np.uint8).reshape(-1, 16)
    out = tables[0, octets[:, 0]]
    for byte in range(1, 16):
        out ^= tables[byte, octets[:, byte]]
    return out


def find(ids: Bytes) -> tuple[NDArray[np.bool_], Unsigned, Integers]:
    """The states from which eight ids each were drawn, one after the other, if from any.

    Args:
        ids: (runs, 8, 24), letters.

    Returns:
        Whether a state was found; (runs, 2) states; phases, both as `letters` takes them.
    """
    solutions, checks = _functionals()
    upper = ids.reshape(len(ids), _BITS) >= np.tile(np.array([ord("N"), ord("n")], np.uint8), _BITS // 2)
    words = np.packbits(upper, axis=1, bitorder="little").view("<u8")
    # Sixteen sums drop nearly all wrong guesses; the rest of them drops all but the phases beside the right one, whose sums differ
    # in the few numbers at the ends of the cache; the letters tell them apart.
    found, states, phases = (
        np.zeros(len(ids), np.bool_),
        np.zeros((len(ids), 2), np.uint64),
        np.zeros(len(ids), np.int64),
    )
    likely = np.argwhere((_sums(checks[:, :16], words) == 0).all(axis=2)).tolist()
    likely = [(run, phase) for run, phase in likely if not _sum(checks[phase], words[run]).any()]
    if not likely:
        return found, states, phases
    runs, guessed = np.array(likely, np.int64).T
    bits = np.array([_sum(solutions[phase], words[run]) for run, phase in likely])
    sources = np.packbits(bits, axis=1, bitorder="little").view("<u8")
    again = letters(sources, guessed, np.full(runs.size, WINDOW)).reshape(-1, WINDOW, LETTERS)
    right = (again == ids[runs]).all(axis=(1, 2))
    found[runs[right]], states[runs[right]], phases[runs[right]] = True, sources[right], guessed[right]
    return found, states, phases


def _sum(functionals: Unsigned, words: Unsigned) -> Bytes:
    """The sums over GF(2) of the bits of `words` that each functional takes."""
    return np.bitwise_count(np.bitwise_xor.reduce(functionals & words, axis=1)) & np.uint8(1)


def _sums(functionals: Unsigned, words: Unsigned) -> Bytes:
    """The same for many: (runs, phases, functionals)."""
    taken = np.bitwise_xor.reduce(functionals[None] & words[:, None, None, :], axis=3)
    return np.bitwise_count(taken) & np.uint8(1)


@cache
def _functionals() -> tuple[Unsigned, Unsigned]:
    """(64, 128, 3) and (64, 64, 3): for each phase the sums of first bits that give each bit of the state, and those that must be 0.

    Gauss-Jordan elimination of the 192 first bits as sums of state bits, for all phases at once.
    """
    first, second = _basis().T
    rows: list[NDArray[np.bool_]] = []
    for _ in range(4 * PHASES):
        first, second = _step(first, second)
        rows.append(first >> np.uint64(63) > 0)
    observed = np.packbits(np.array(rows), axis=1, bitorder="little").view("<u8")
    drawn = np.arange(PHASES)[:, None] + np.arange(_BITS)
    system = np.zeros((PHASES, _BITS, 5), np.uint64)
    system[:, :, :2] = observed[drawn // PHASES * PHASES + PHASES - 1 - drawn % PHASES]
    unit = np.arange(_BITS)
    system[:, unit, 2 + unit // 64] = np.uint64(1) << (unit % 64).astype(np.uint64)
    phases = np.arange(PHASES)
    for column in range(128):
        has = system[:, :, column // 64] >> np.uint64(column % 64) & np.uint64(1)
        # 128 numbers in a row are independent, whatever the phase, so there is always a pivot.
        pivot = column + np.argmax(has[:, column:], axis=1)
        chosen = system[phases, pivot].copy()
        system[phases, pivot] = system[:, column]
        system[:, column] = chosen
        has = system[:, :, column // 64] >> np.uint64(column % 64) & np.uint64(1)
        has[:, column] = 0
        system ^= has[:, :, None] * chosen[:, None]
    return system[:, :128, 2:].copy(), system[:, 128:, 2:].copy()
