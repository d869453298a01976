"""A deterministic, labelled history of Usenet groups: any block of article numbers alone, in any order, always the same."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

import polars as pl

from simulator.mix import Mix

__all__ = ["GroupPlan", "History", "Mix", "Section", "demo_history", "planned_history"]


@dataclass(frozen=True, slots=True)
class Section:
    """`articles` consecutive numbers posted from `start` on. Sections of one start in several groups run side by side."""

    start: date
    articles: int


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """A group: its name, its lowest article number and its sections, oldest first."""

    name: str
    low: int
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class GroupRange:
    """The lowest and highest article number of a group."""

    low: int
    high: int


class History:
    """The groups and their lines; equal arguments give equal histories."""

    def __init__(self, seed: int, groups: tuple[GroupPlan, ...], mix: Mix) -> None: ...

    def group(self, name: str) -> GroupRange:
        """Low and high of `name`. Raises KeyError for a group that is not there."""
        raise KeyError(name)

    def block(self, group: str, first: int, last: int) -> pl.DataFrame:
        """The overview rows of `first..last` as the server sends them, ascending, duplicates adjacent.

        Columns: number int64, and as strings subject, from, date, message_id (with its brackets), references, bytes,
        lines, xref (with the server name).
        """
        raise KeyError(group, first, last)

    def truth(self, group: str, first: int, last: int) -> pl.DataFrame:
        """What each row of `block` is: group, number, release, file, segment, class, level, tool, segments_expected, files_expected, name."""
        raise KeyError(group, first, last)


def demo_history(seed: int = 1) -> History:
    """Four groups over four eras, 4,400,000 article numbers in all."""
    raise KeyError(seed)


def planned_history(
    seed: int, names: tuple[str, ...], sizes: tuple[int, ...], eras: tuple[int, ...], mix: Mix, offset: int
) -> History:
    """A history of the named groups, `sizes` article numbers each, spread over `eras` (years), numbered from `offset`."""
    raise KeyError(seed, names, sizes, eras, mix, offset)
