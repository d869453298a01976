"""Finding releases by name, category, group, size, age and poster, newest first; and where their records lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from psycopg import Cursor
from psycopg.rows import RowMaker, class_row

from catalog_sql import query
from store.catalog.connection import Catalog


@dataclass(frozen=True, slots=True)
class Search:
    """What to look for; the default finds the newest releases.

    Attributes:
        text: words that must all occur in the name; `word*` matches a prefix, `-word` must not occur. Blank: any name; without a
            single word: none.
        categories: Newznab ids; a parent (2000) stands for all of its children.
        groups: names; one of them is enough.
        min_bytes: smallest size.
        max_bytes: largest size.
        max_age: posted no longer ago than this.
        poster: part of the poster, upper and lower case alike.
        limit: releases in a page.
        offset: releases to skip.
    """

    text: str = ""
    categories: tuple[int, ...] = ()
    groups: tuple[str, ...] = ()
    min_bytes: int | None = None
    max_bytes: int | None = None
    max_age: timedelta | None = None
    poster: str = ""
    limit: int = 100
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Release:
    """A release. `completeness` (0 to 1) is null while it is open and where it is not knowable; `first_posted` is its date."""

    id: UUID
    name: str
    poster: str
    groups: tuple[str, ...]
    first_posted: datetime
    last_posted: datetime
    files: int
    files_expected: int | None
    segments: int
    segments_expected: int
    bytes: int
    has_par2: bool
    readable_name: bool
    category: int
    tool: str
    grouped_by: str
    named_by: str
    signature: str
    records: int
    settled: bool
    completeness: float | None
    repost_of: UUID | None
    added_at: datetime
    changed_at: datetime
    repost: bool
    request_id: str


@dataclass(frozen=True, slots=True)
class Page:
    """One page of a search. `total` counts all matches, up to `COUNTED`."""

    total: int
    releases: tuple[Release, ...]


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """Where one record of a release lies: chunk file, byte offset, length, and the checksum of those bytes."""

    path: str
    offset: int
    length: int
    checksum: int


COUNTED = 10_000
"""Matches are counted up to here: no client pages further, and NZBHydra2 issue 530 shows that larger totals only confuse."""


def search(catalog: Catalog, wanted: Search) -> Page:
    """The matches, newest first, ties broken by id."""
    values = {
        "text": _clean(wanted.text).strip(),
        "categories": list(wanted.categories),
        "groups": [_clean(group) for group in wanted.groups],
        "min_bytes": wanted.min_bytes,
        "max_bytes": wanted.max_bytes,
        "max_age": wanted.max_age,
        "poster": _clean(wanted.poster),
        "limit": wanted.limit,
        "offset": wanted.offset,
        "counted": COUNTED,
    }
    with catalog.transaction() as connection, connection.cursor(row_factory=_release_row) as cursor:
        # Not prepared: the plan must follow from the values, since each filter that is not used falls away.
        releases = tuple(cursor.execute(query("search_page"), values, prepare=False))
        # Where most names match, counting in the table looks cheap, but splits each name again; the name index need not.
        connection.execute("SET LOCAL enable_seqscan = off")
        ((total,),) = connection.execute(query("search_count"), values, prepare=False)
        return Page(total, releases)


def release(catalog: Catalog, release_id: UUID) -> Release | None:
    """The release under this id, or the one it was merged into; null when there is none."""
    with catalog.transaction() as connection, connection.cursor(row_factory=_release_row) as cursor:
        return cursor.execute(query("release"), {"id": release_id}).fetchone()


def places(catalog: Catalog, release_id: UUID) -> tuple[RecordPlace, ...]:
    """The records of the release, in an order that does not depend on the order of materialization; empty when there is none."""
    with catalog.transaction() as connection, connection.cursor(row_factory=class_row(RecordPlace)) as cursor:
        return tuple(cursor.execute(query("places"), {"id": release_id}))


def _release_row(cursor: Cursor[Any]) -> RowMaker[Release]:
    """Rows of the view `release_details`, whose columns stand in another order than the fields."""
    names = [column.name for column in cursor.description or ()]

    def make(values: Sequence[Any]) -> Release:
        row = dict(zip(names, values, strict=True))
        return Release(id=row.pop("release_id"), groups=tuple(row.pop("groups")), **row)

    return make


def _clean(text: str) -> str:
    return text.replace("\0", " ")
