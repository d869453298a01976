"""Finding releases by name, category, group, size, age and poster, newest first; and where their records lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from psycopg import Connection, Cursor
from psycopg.rows import RowMaker, class_row

from catalog_sql import query
from store.catalog.connection import Catalog, Row


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
    """One page of a search.

    Attributes:
        total: all matches, or so many that a client goes on to the next page.
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
"""Matches are counted up to here, and always one further than the page: to count a match is to read its row."""

DEEPEST = 9_900
"""Pages from here on are empty: no client comes so far (Sonarr and Radarr ask for 30 pages), and NZBHydra2 takes a total of 10,000 for an error
(its issue 530)."""

_STEPS = (0, 2, 4, 6, 8, 10)
"""Spans of 1, 4, 16, 64, 256 and 1024 days as the word index names them: bits of the day's number that are left out."""

_MOST_SPANS = 8
"""Spans to ask for at once."""

_LONGER_DAYS = (32, 256, 2048, None)


def search(catalog: Catalog, wanted: Search) -> Page:
    """The matches, newest first, ties broken by id; none from `DEEPEST` on."""
    if wanted.offset >= DEEPEST:
        wanted = replace(wanted, offset=0, limit=0)
    values: dict[str, Any] = {
        "text": _clean(wanted.text).strip(),
        "categories": list(wanted.categories),
        "groups": [_clean(group) for group in wanted.groups],
        "min_bytes": wanted.min_bytes,
        "max_bytes": wanted.max_bytes,
        "max_age": wanted.max_age,
        "poster": _clean(wanted.poster),
        "limit": wanted.limit,
        "offset": wanted.offset,
        "counted": max(COUNTED, wanted.offset + wanted.limit + 1),
    }
    with catalog.transaction() as connection, connection.cursor(row_factory=_release_row) as cursor:
        ((name, categories, newest, oldest, since),) = connection.execute(query("search_terms"), values)
        if newest is None or (values["text"] and name is None):
            return Page(0, ())
        # Left to itself, the planner may read by date or all in turn, and split each name again; to start workers takes longer than to count.
        connection.execute("SET LOCAL enable_seqscan = off; SET LOCAL max_parallel_workers_per_gather = 0")
        terms = " & ".join(f"({words})" for words in (name, categories) if words)
        look = _Look(connection, values, terms, newest, oldest, since)
        total, ids = look.by_words() if terms else look.by_date()
        releases = tuple(cursor.execute(query("releases_by_id"), {"ids": ids}))
        return Page(total, releases, is_total_least=total == values["counted"])


@dataclass(frozen=True, slots=True)
class _Look:
    """One search. Days count back from that of the newest release; null stands for all there are.

    Attributes:
        connection: a transaction.
        values: of the queries, without `words`.
        terms: what the word index is asked for, whenever it was posted; may be empty.
        newest: day of the newest release.
        oldest: day of the oldest one.
        since: first day that is wanted; null for any.
    """

    connection: Connection[Row]
    values: dict[str, Any]
    terms: str
    newest: int
    oldest: int
    since: int | None

    def by_words(self) -> tuple[int, list[UUID]]:
        """Total and page by the word index.

        It holds no order: of a common word it would have all matches read and sorted. So it is asked for the newest days, as many as
        likely hold those that are to be counted, and for all of them where that is no small part.
        """
        counted = self.values["counted"]
        days = self._enough(counted, self._expected(), self._span)
        total, ids = self._found(days)
        while total < counted and days is not None:
            days = self._enough(counted, total, days)
            total, ids = self._found(days)
        return total, ids if total < counted else self._newest(days)

    def by_date(self) -> tuple[int, list[UUID]]:
        """The same of all releases, which an index has in order."""
        total, ids = self._found(None)
        return total, ids if total < self.values["counted"] else self._page(None)

    @property
    def _span(self) -> int:
        return self.newest - max(self.oldest, self.since or self.oldest) + 1

    def _expected(self) -> int:
        """How many matches the planner expects; of a rare word it knows little more than that it is rare."""
        whole = self.values | {"words": self._words(None), "limit": None, "offset": 0}
        (((plan,),),) = self.connection.execute(b"EXPLAIN (FORMAT JSON) " + query("search_page"), whole, prepare=False)
        return int(plan["Plan"]["Plan Rows"])

    def _enough(self, wanted: int, hits: int, days: int) -> int | None:
        """The newest days that likely hold twice what is wanted, where some days have so many hits; null where the index is faster without them."""
        enough = 1 + 2 * days * wanted // max(1, hits)
        return None if 8 * enough > self._span else enough

    def _found(self, days: int | None) -> tuple[int, list[UUID]]:
        """How many match, up to those to count, and the page of these: the newest one, unless there are more."""
        # Not prepared, here and below: the plan must follow from the values, since each filter that is not used falls away.
        found = self.connection.execute(
            query("search_found"), self.values | {"words": self._words(days)}, prepare=False
        )
        ((total, ids),) = found
        return int(total), ids

    def _newest(self, days: int | None) -> list[UUID]:
        """The page where more match within these days than are counted: from the fewest days that fill it."""
        page: list[UUID] = []
        wanted = self.values["offset"] + self.values["limit"]
        for longer in (1 + 2 * days * wanted // self.values["counted"], days) if days else _LONGER_DAYS:
            page = self._page(longer)
            if len(page) == self.values["limit"]:
                break
        return page

    def _page(self, days: int | None) -> list[UUID]:
        values = self.values | {"words": self._words(days)}
        return [found for (found,) in self.connection.execute(query("search_page"), values, prepare=False)]

    def _words(self, days: int | None) -> str | None:
        """What to ask the word index for; it gives some days more than wanted, of which the column knows."""
        first = self.since if days is None else max(self.newest - days + 1, self.since or self.oldest)
        if first is None or not self.terms:
            return self.terms or None
        bits = next((step for step in _STEPS if (self.newest >> step) - (first >> step) < _MOST_SPANS), _STEPS[-1])
        spans = range(min(first, self.newest) >> bits, (self.newest >> bits) + 1)
        posted = " | ".join(f"'d{bits}:{span}'" for span in spans)
        return f"{self.terms} & ({posted})"


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
