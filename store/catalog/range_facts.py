"""Facts of single ranges that asset checks judge, and records of theirs to read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import class_row

from catalog_sql import query
from store.catalog.connection import Catalog
from store.chunks import Place


@dataclass(frozen=True, slots=True)
class RangeFacts:
    """What was fetched of a range.

    Attributes:
        key: partition key.
        lines: overview lines received, duplicates included.
        duplicate: lines whose number came twice.
        first_posted: earliest believable date.
        last_posted: latest believable date.
        numbers: article numbers of the range between GROUP's low and high; null when GROUP was never asked.
        first_below: earliest date of the range below, null when there is none or it was not fetched.
    """

    key: str
    lines: int
    duplicate: int
    first_posted: datetime | None
    last_posted: datetime | None
    numbers: int | None
    first_below: datetime | None

    @property
    def gaps(self) -> int:
        """Article numbers that no line came for."""
        return max(0, (self.numbers or 0) - (self.lines - self.duplicate))


def range_facts(catalog: Catalog, keys: Sequence[str]) -> list[RangeFacts]:
    """The facts of those of the ranges that were fetched, ordered by key."""
    with catalog.transaction() as connection, connection.cursor(row_factory=class_row(RangeFacts)) as cursor:
        return cursor.execute(query("range_facts"), {"keys": list(keys)}).fetchall()


def sample_places(catalog: Catalog, keys: Sequence[str], count: int) -> list[tuple[str, str, Place]]:
    """Up to `count` records of each range's published chunk file, at random: partition key, path, place."""
    with catalog.transaction() as connection:
        rows = connection.execute(query("sample_places"), {"keys": list(keys), "count": count}).fetchall()
    return [(key, path, Place(offset, length, checksum)) for key, path, offset, length, checksum in rows]
