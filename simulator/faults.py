"""Faults on request: which answers go wrong, the same ones each time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from simulator.randomness import chosen, digest

FaultKind = Literal[
    "stall",
    "drop",
    "truncate",
    "corrupt",
    "400",
    "502",
    "420",
    "423",
    "empty",
    "outside",
    "unsorted",
    "garbage_status",
    "greeting_400",
    "greeting_502",
]
KINDS: tuple[FaultKind, ...] = get_args(FaultKind)


class UnknownFault(ValueError):
    """A fault that the simulator does not know, or that is written wrongly."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of the overview answers (the `greeting_` ones: of connections).

    Attributes:
        kind: `stall` sends half and then nothing, `drop` closes without an answer, `truncate` closes after half,
            `corrupt` changes bytes in the middle, `400`, `502`, `420` and `423` are status lines (400 closes), `empty` is 224
            without rows, `outside` adds rows that were not asked for, `unsorted` reverses rows, `garbage_status` is no NNTP.
        probability: share of the 10,000-number blocks that have it, the same blocks each time.
        times: how often each of these blocks goes wrong before it goes right; 0 for always.
    """

    kind: FaultKind
    probability: float = 1.0
    times: int = 1


def parse_fault(text: str) -> Fault:
    """`KIND[:probability[:times]]` as a fault.

    Raises:
        UnknownFault: the kind is not known, or the numbers are none.
    """
    kind, *numbers = text.split(":")
    known: dict[str, FaultKind] = {name: name for name in KINDS}
    if kind not in known:
        raise UnknownFault(f"fault {kind!r} is not known; use one of {', '.join(KINDS)}")
    try:
        probability, times = [*map(float, numbers), *(1.0, 1.0)[len(numbers) :]]
    except ValueError:
        raise UnknownFault(f"fault {text!r}: expected KIND[:probability[:times]]") from None
    return Fault(known[kind], probability, int(times))


class FaultPlan:
    """Which fault the next answer about a block has; counts how often each came up."""

    def __init__(self, seed: int, faults: tuple[Fault, ...]) -> None:
        self._seed = seed
        self._faults = faults
        self._met: Counter[tuple[int, str, int]] = Counter()

    def of_block(self, group: str, index: int) -> FaultKind | None:
        """The fault of an overview answer that begins in block `index`."""
        return self._next(group, index, greeting=False)

    def of_greeting(self, connection: int) -> FaultKind | None:
        """The fault of the `connection`-th greeting."""
        return self._next("", connection, greeting=True)

    def _next(self, group: str, index: int, greeting: bool) -> FaultKind | None:
        for at, fault in enumerate(self._faults):
            if fault.kind.startswith("greeting") != greeting:
                continue
            hit = chosen(digest(self._seed, "fault", fault.kind, group), np.array([index]), fault.probability)[0]
            place = (at, group, index)
            if hit and (fault.times == 0 or self._met[place] < fault.times):
                self._met[place] += 1
                return fault.kind
        return None
