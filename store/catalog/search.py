"""Finding releases by name, category, group, size, age, completeness and poster, in any order; and where their records lie."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any
from uuid import UUID

from psycopg import Connection, Cursor
from psycopg.rows import RowMaker, class_row

from catalog_sql import query
from store.catalog.connection import Catalog, Row


class Order(StrEnum):
    """How matches are ordered; ties newest first, then by id."""

    NEWEST = "newest"
    OLDEST = "oldest"
    LARGEST = "largest"
    SMALLEST = "smallest"
    MOST_FILES = "most files"
    FEWEST_FILES = "fewest files"
    NAME = "name"
    NAME_BACKWARDS = "name, backwards"
    RELEVANCE = "relevance"


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
        min_age: posted at least as long ago as this.
        completeness: smallest share of files and segments found, 0 to 1; what has no known share is left out.
        poster: part of the poster, upper and lower case alike.
        order: all but newest first is an order among the newest `SORTED` matches.
        limit: releases in a page.
        offset: releases to skip.
    """

    text: str = ""
    categories: tuple[int, ...] = ()
    groups: tuple[str, ...] = ()
    min_bytes: int | None = None
    max_bytes: int | None = None
    max_age: timedelta | None = None
    min_age: timedelta | None = None
    completeness: float | None = None
    poster: str = ""
    order: Order = Order.NEWEST
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
    """One page of a search.

    Attributes:
        total: all matches, or some beyond this page.
        releases: the page.
        is_total_least: there are `total` matches or more.
    """

    total: int
    releases: tuple[Release, ...]
    is_total_least: bool = False


@dataclass(frozen=True, slots=True)
class RecordPlace:
    """Where one record of a release lies: chunk file, byte offset, length, and the checksum of those bytes."""

    path: str
    offset: int
    length: int
    checksum: int


COUNTED = 1_000
"""Matches of the days that are looked at are counted up to here, and always one further than the page: to count a match is to read its row."""

DEEPEST = 9_900
"""Pages from here on are empty: no client comes so far (Sonarr and Radarr ask for 30 pages), and NZBHydra2 takes a total of 10,000 for an error
(its issue 530)."""

SORTED = 1_000
"""Matches that are put into another order than newest first: to sort them all would be to read them all."""

_SPANS = (0, 2, 4, 6)
"""Spans of 1, 4, 16 and 64 days as the word index names them: bits of the day's number that are left out."""

_ERA = 8
"""The same of an era, 256 days: a word of a name has an entry in the index for each era."""

_FEW = 4
"""Spans to ask for at once, or one or two more."""

_WORD = re.compile(r"'((?:[^']|'')+)'")


@dataclass(frozen=True, slots=True)
class _Window:
    """Days of the retention, counted since 1970, the last one included; `span` names them in few words."""

    first: int
    last: int
    span: int

    def words(self, terms: str) -> list[str]:
        """What to ask the word index for, era by era; it gives more days than wanted, of which the dates know."""
        days = ""
        if self.span < _ERA:
            spans = range(self.first >> self.span, (self.last >> self.span) + 1)
            days = " & (" + " | ".join(f"':{self.span}:{span}'" for span in spans) + ")"
        eras = range(self.first >> _ERA, (self.last >> _ERA) + 1)
        return [_WORD.sub(rf"'{era:02x}\1'", terms) + days for era in eras]


def _window(newest: int, days: int, last: int, oldest: int) -> _Window:
    """What was not looked at yet, down to `last`, of the newest `days`; rounded to whole spans."""
    span = next((bits for bits in _SPANS if days >> bits < _FEW), _ERA)
    return _Window(max(oldest, (newest - days + 1) >> span << span), last, span)


def search(catalog: Catalog, wanted: Search) -> Page:
    """The matches in the order that is wanted, ties broken by date and id; none from `DEEPEST` on, or `SORTED` where they are sorted.

    The word index holds no order: it would have all matches of a common word read and sorted. So it is asked for the newest days, then for as
    many of those before as likely hold what is still missing.
    """
    if wanted.offset >= DEEPEST:
        wanted = replace(wanted, offset=0, limit=0)
    looked_at = wanted if wanted.order is Order.NEWEST else replace(wanted, offset=0, limit=SORTED)
    sought = {
        "text": _clean(wanted.text).strip(),
        "categories": list(wanted.categories),
        "groups": [_clean(group) for group in wanted.groups],
        "max_age": wanted.max_age,
        "min_age": wanted.min_age,
    }
    with catalog.transaction() as connection, connection.cursor(row_factory=_release_row) as cursor:
        ((name, terms, sets, newest, oldest),) = connection.execute(query("search_terms"), sought)
        if newest is None or (sought["text"] and name is None):
            return Page(0, ())
        # Left to itself, the planner may read all in turn, or by date, and split each name again; to start workers takes longer than to look.
        connection.execute("SET LOCAL enable_seqscan = off; SET LOCAL max_parallel_workers_per_gather = 0")
        total, ids, is_least = _look(connection, looked_at, terms, sets, newest, oldest)
        if looked_at is not wanted:
            total, ids = len(ids), _sorted(connection, wanted, ids)
        releases = tuple(cursor.execute(query("releases_by_id"), {"ids": ids}))
    return Page(total, releases, is_least)


def _sorted(connection: Connection[Row], wanted: Search, ids: list[UUID]) -> list[UUID]:
    """The wanted page of these releases in the wanted order."""
    values = {
        "ids": ids,
        "order": wanted.order.value,
        "text": _clean(wanted.text).strip(),
        "limit": wanted.limit,
        "offset": wanted.offset,
    }
    return [found for (found,) in connection.execute(query("sorted_releases"), values)]


def _look(
    connection: Connection[Row], wanted: Search, terms: str, sets: list[int] | None, newest: int, oldest: int
) -> tuple[int, list[UUID], bool]:
    """Total, page, and whether there may be more than that total, from the newest day back to the oldest.

    Args:
        connection: a transaction.
        wanted: the search.
        terms: what the word index is asked for; where it is asked for nothing, an index over dates has the releases in order.
        sets: numbers of the sets of groups that are wanted, null for any.
        newest: day of the newest release.
        oldest: oldest day that may hold what is wanted.
    """
    end = wanted.offset + wanted.limit
    counted = max(COUNTED, end + 1)
    values: dict[str, Any] = {
        "sets": sets,
        "min_bytes": wanted.min_bytes,
        "max_bytes": wanted.max_bytes,
        "max_age": wanted.max_age,
        "min_age": wanted.min_age,
        "completeness": wanted.completeness,
        "poster": _clean(wanted.poster),
        "counted": counted,
    }
    total, ids, is_least = 0, list[UUID](), False
    days, last = 2 if terms else newest - oldest + 1, newest
    while last >= oldest and total <= end:
        window = _window(newest, days, last, oldest)
        asked = {
            "words": window.words(terms) if terms else None,
            "first": window.first,
            "last": window.last,
            "offset": max(0, wanted.offset - total),
            "limit": end - max(wanted.offset, total),
        }
        # Not prepared: the plan must follow from the values, since each filter that is not used falls away.
        ((hits, page),) = connection.execute(query("search_found"), values | asked, prepare=False)
        total, ids, last = total + int(hits), ids + page, window.first - 1
        is_least = hits == counted or (total > end and last >= oldest)
        days = (newest - last) * max(2, 1 + end // (total + 1))
    return total, ids, is_least


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
