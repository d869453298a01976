"""Ranges: fixed arithmetic on article numbers, and the partition key that names one.

A range is (source, group, index); it never depends on what a server happened to answer.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

RANGE_SIZE = 2_000_000
"""Article numbers in a range unless the configuration says otherwise."""

_GROUP = re.compile(r"[A-Za-z0-9][A-Za-z0-9+_.-]{0,199}")
_KEY = re.compile(r"(\d{6})~([A-Za-z0-9+_.-]+)~(\d{6,})(?:~s(\d+))?")
_LONG, _SHORT = "alt.binaries.", "a.b."


class BadGroupName(ValueError):
    """A group name that must not become a path or a partition key."""


def check_group(name: str) -> str:
    """Return `name` when it is safe as a path segment and in a partition key.

    Raises:
        BadGroupName: it has other characters than letters, digits and `+ _ . -`, or an empty part.
    """
    if not _GROUP.fullmatch(name) or ".." in name or name.endswith("."):
        raise BadGroupName(f"group name {name!r} is not usable: letters, digits and + _ . - only, no empty part")
    return name


@dataclass(frozen=True, slots=True, order=True)
class Range:
    """`size` consecutive article numbers of one group of one source, from `index * size`."""

    source: int
    group: str
    index: int
    size: int = RANGE_SIZE

    @property
    def first(self) -> int:
        """Lowest article number of the range (0 is never used by a server)."""
        return self.index * self.size

    @property
    def last(self) -> int:
        """Highest article number of the range."""
        return self.first + self.size - 1

    def key(self, era: int) -> str:
        """The partition key `YYYYMM~group~index`; later sources than the first add `~s<source>`.

        `era` is the posting month (YYYYMM) of the range, frozen when it was planned.
        """
        short = _SHORT + self.group[len(_LONG) :] if self.group.startswith(_LONG) else self.group
        suffix = "" if self.source == 1 else f"~s{self.source}"
        return f"{era:06d}~{short}~{self.index:06d}{suffix}"


def range_of(source: int, group: str, number: int, size: int = RANGE_SIZE) -> Range:
    """The range that holds article `number`."""
    return Range(source, group, number // size, size)


def parse_key(key: str, size: int = RANGE_SIZE) -> tuple[int, Range]:
    """The era and the range a partition key names.

    Raises:
        ValueError: `key` is not a partition key.
    """
    match = _KEY.fullmatch(key)
    if match is None:
        raise ValueError(f"{key!r} is not a partition key; expected YYYYMM~group~index")
    era, short, index, source = match.groups()
    group = _LONG + short[len(_SHORT) :] if short.startswith(_SHORT) else short
    return int(era), Range(int(source or 1), check_group(group), int(index), size)
