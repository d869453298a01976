"""Which groups and ranges to index, and the era of each range. Pure: what servers said in, plans out.

Dates can be forged, for hundreds of articles in a row. A range's date is the median of a window of articles, and of all ranges
of a group only those count whose dates rise with the numbers: the longest such run. The others take the date of the range before.
"""

from __future__ import annotations

import difflib
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from pipeline.ranges import BadGroupName, Range, check_group

if TYPE_CHECKING:
    from pipeline.nntp.connection import ActiveGroup


class UnknownGroup(ValueError):
    """A configured group that the provider does not list."""


@dataclass(frozen=True, slots=True)
class Window:
    """The first articles found in a range: how many there were, and the believable dates among them, in any order."""

    articles: int
    dates: tuple[datetime, ...]


@dataclass(frozen=True, slots=True)
class PlannedRange:
    """A range to fetch.

    Attributes:
        range: the range.
        era: posting month of its first articles, YYYYMM; never falls with the index.
        first_posted: believable posting date of its first articles; None when it has no article: known empty.
    """

    range: Range
    era: int
    first_posted: datetime | None


def choose_groups(
    active: Sequence[ActiveGroup],
    names: Sequence[str] = (),
    include: Sequence[str] = ("alt.binaries.*",),
    exclude: Sequence[str] = (),
    limit: int = 1000,
    min_articles: int = 1,
) -> tuple[str, ...]:
    """The groups to index, in order of preference: `names` as they are, else by shell patterns, largest first.

    Raises:
        UnknownGroup: one of `names` is not in `active` (the message names the nearest known group), or no group is left.
    """
    if names:
        known = {group.name for group in active}
        for name in names:
            if name not in known:
                raise UnknownGroup(_unknown(name, known))
        return tuple(dict.fromkeys(names))
    sizes = {
        group.name: group.high - group.low + 1
        for group in active
        if _matches(group.name, include) and not _matches(group.name, exclude) and _usable(group.name)
    }
    largest = sorted(
        (name for name, size in sizes.items() if size >= min_articles), key=lambda name: (-sizes[name], name)
    )
    if not largest:
        raise UnknownGroup(
            f"none of the {len(active)} groups the provider lists is left by groups.include, groups.exclude and groups.min_articles"
        )
    return tuple(largest[:limit])


def ranges_of(source: int, group: str, low: int, high: int, size: int, *, include_open: bool = False) -> list[Range]:
    """The ranges that hold numbers of `low..high`, ascending; none when the group is empty.

    The one that holds `high` still grows and is left out until it is full, unless `include_open`.
    """
    low = max(low, 1)
    if high < low:
        return []
    full = (high + 1) // size
    last = high // size if include_open else full - 1
    return [Range(source, group, index, size) for index in range(low // size, last + 1)]


def plan(ranges: Sequence[Range], windows: Sequence[Window], now: datetime) -> list[PlannedRange]:
    """Ranges of one group, ascending, with their eras.

    Args:
        ranges: ascending.
        windows: the first articles found in each of them.
        now: the date of ranges when none of the group has a believable one.
    """
    dates = _filled(_rising([_middle(window.dates) for window in windows]), now)
    return [
        PlannedRange(range_, date.year * 100 + date.month, date if window.articles else None)
        for range_, window, date in zip(ranges, windows, dates, strict=True)
    ]


def _middle(dates: Sequence[datetime]) -> datetime | None:
    """The lower median: half of a window would have to be forged to move it."""
    return sorted(dates)[(len(dates) - 1) // 2] if dates else None


def _rising(dates: Sequence[datetime | None]) -> list[datetime | None]:
    """The dates on the longest run that never falls; None for the others."""
    ends: list[datetime] = []
    places: list[int] = []
    before: list[int | None] = [None] * len(dates)
    for place, date in enumerate(dates):
        if date is None:
            continue
        length = bisect_right(ends, date)
        before[place] = places[length - 1] if length else None
        ends[length : length + 1] = [date]
        places[length : length + 1] = [place]
    trusted: set[int] = set()
    place = places[-1] if places else None
    while place is not None:
        trusted.add(place)
        place = before[place]
    return [date if place in trusted else None for place, date in enumerate(dates)]


def _filled(dates: Sequence[datetime | None], now: datetime) -> list[datetime]:
    """Missing dates taken from the one before, the first ones from the one after, `now` when there is none at all."""
    latest = next((date for date in dates if date is not None), now)
    filled: list[datetime] = []
    for date in dates:
        latest = date or latest
        filled.append(latest)
    return filled


def _unknown(name: str, known: set[str]) -> str:
    nearest = difflib.get_close_matches(name, sorted(known), n=1)
    hint = f"did you mean {nearest[0]}?" if nearest else f"it lists {len(known)} groups, none with a similar name"
    return f"groups.names: the provider does not list {name}; {hint}"


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)


def _usable(name: str) -> bool:
    try:
        check_group(name)
    except BadGroupName:
        return False
    return True
