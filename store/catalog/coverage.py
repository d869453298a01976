"""Coverage: per group and era what is planned, done, failed and empty, how fast it goes, and what went wrong last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from psycopg.rows import class_row

from catalog_sql import query
from store.catalog.connection import Catalog

PACE_RANGES = 3
"""Fewer ranges than these done within the last hour say nothing about the pace."""


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far one group is in one era.

    Attributes:
        group: full name of the group.
        era: posting month YYYYMM; null for empty ranges of a group without any other.
        planned: ranges not begun.
        running: ranges at work.
        done: ranges done.
        failed: ranges whose last run failed; they keep the data of an earlier one.
        empty: ranges without an article.
        lines: overview lines of the ranges that hold data.
        kept: segments kept.
        garbage: segments dropped as garbage.
        wire_bytes: bytes received for these lines, as compressed.
        chunk_bytes: bytes of the published chunk files, those of edges left out.
        gaps: article numbers that GROUP counts within those ranges and no line came for.
        recent_lines: lines of the ranges done within the last hour.
        recent_ranges: how many these are.
        recent_from: when the first of them was done.
        at: the moment all of this is of.
        last_error: the sentence of the newest failure among the failed ranges.
        last_error_kind: its kind; see `store.cures`.
        last_error_range: the partition key of that range.
    """

    group: str
    era: int | None
    planned: int
    running: int
    done: int
    failed: int
    empty: int
    lines: int
    kept: int
    garbage: int
    wire_bytes: int
    chunk_bytes: int
    gaps: int
    recent_lines: int
    recent_ranges: int
    recent_from: datetime | None
    at: datetime
    last_error: str | None
    last_error_kind: str | None
    last_error_range: str | None

    @property
    def ranges(self) -> int:
        """All ranges that hold articles."""
        return self.planned + self.running + self.done + self.failed

    @property
    def open(self) -> int:
        """Ranges still to be done."""
        return self.planned + self.running + self.failed


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast ranges got done within the last hour, over all groups; null where too few did to say."""

    lines_per_second: float | None
    ranges_per_second: float | None

    def time_for(self, ranges: int) -> timedelta | None:
        """How long `ranges` take at this pace; null when there is none."""
        return None if not self.ranges_per_second else timedelta(seconds=round(ranges / self.ranges_per_second))


def coverage(catalog: Catalog, source: int) -> list[Coverage]:
    """Coverage per group and era, ordered by era, then group; aggregated in the database."""
    with catalog.transaction() as connection, connection.cursor(row_factory=class_row(Coverage)) as cursor:
        return cursor.execute(query("coverage"), {"source": source}).fetchall()


def pace(rows: Sequence[Coverage]) -> Pace:
    """The pace over all `rows`, from the first range done within the last hour to now."""
    begun = [row.recent_from for row in rows if row.recent_from is not None]
    ranges = sum(row.recent_ranges for row in rows)
    if ranges < PACE_RANGES:
        return Pace(None, None)
    seconds = max(1.0, (rows[0].at - min(begun)).total_seconds())
    # What was done in this time began with the first one's end: that one does not count.
    return Pace(sum(row.recent_lines for row in rows) * (1 - 1 / ranges) / seconds, (ranges - 1) / seconds)


def remaining(rows: Sequence[Coverage], measured: Pace) -> list[timedelta | None]:
    """When each of `rows`, ordered by era, will be done: after everything of older eras and its own."""
    times: list[timedelta | None] = []
    ahead = 0
    for row in rows:
        ahead += row.open
        times.append(measured.time_for(ahead) if row.open else timedelta())
    return times
