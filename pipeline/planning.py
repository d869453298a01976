"""Which groups and ranges to index, and the era of each range. Pure: what servers said in, plans out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from pipeline.ranges import Range

if TYPE_CHECKING:
    from pipeline.nntp.connection import ActiveGroup


class UnknownGroup(ValueError):
    """A configured group that the provider does not list."""


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
        UnknownGroup: one of `names` is not in `active`; the message names the nearest known group.
    """
    raise NotImplementedError
