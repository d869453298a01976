"""Where a release was found: the ranges and edges its records were made from, and the chunk files they lie in."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from psycopg.rows import class_row

from catalog_sql import query
from store.catalog.connection import Catalog


@dataclass(frozen=True, slots=True)
class Origin:
    """One record of a release and where it comes from.

    Attributes:
        source: name of the numbering of articles; null for one that was never named.
        group: group whose range or edge it was made from.
        range_index: the range, or the one below the edge.
        is_edge: it holds files that cross from that range into the next.
        generation: which materialization it is.
        partition_key: key of the range, null where none was planned.
        range_size: article numbers of a range.
        era: year and month of the range, `YYYYMM`.
        made_at: when the materialization was done.
        software: version that made it.
        signature_table: version of the signature table it was made under.
        path: chunk file.
        offset: byte at which the record begins.
        length: its bytes.
        files, segments, segments_expected, bytes: what it holds.
    """

    source: str | None
    group: str
    range_index: int
    is_edge: bool
    generation: int
    partition_key: str | None
    range_size: int | None
    era: int | None
    made_at: datetime | None
    software: str | None
    signature_table: int | None
    path: str
    offset: int
    length: int
    files: int
    segments: int
    segments_expected: int
    bytes: int

    @property
    def numbers(self) -> tuple[int, int] | None:
        """First and last article number it may come from; null where the size of the range is not known."""
        if self.range_size is None:
            return None
        first = self.range_index * self.range_size
        return first, first + self.range_size * (2 if self.is_edge else 1) - 1


def origins(catalog: Catalog, release_id: UUID) -> list[Origin]:
    """The origins of a release's records, in the order their files are put together; empty when there is no such release."""
    with catalog.transaction() as connection, connection.cursor(row_factory=class_row(Origin)) as cursor:
        return cursor.execute(query("origins"), {"id": release_id}).fetchall()
