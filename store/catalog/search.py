"""Finding releases by name, category, group, size, age and poster, newest first; and where their records lie."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
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


COUNTED = 3_000
"""Matches are counted up to here: 30 pages of 100, past which no client goes (Sonarr and Radarr); NZBHydra2 takes a total of 10,000 for an error
(its issue 530). To count a match is to read its row."""

_STEPS = (("d", 0), ("m", 5), ("y", 10))
"""Spans of 1, 32 and 1024 days as the word index names them: letter, and bits of the day's number that are left out."""

_STRIDE = 4
"""How many spans of one length are looked at before those of the next."""

_MOST_SPANS = 32
"""Spans to ask for at most where a search says how old a release may be."""


def search(catalog: Catalog, wanted: Search) -> Page:
    """The matches, newest first, ties broken by id.

    A word index holds no order: of a common word it would have all matches read and sorted. So the newest days are looked at first. Where they
    fill the page, longer and longer spans are counted until there is enough; where they do not, all matches are few enough to be read.
    """
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
        "counted": COUNTED,
    }
    with catalog.transaction() as connection, connection.cursor(row_factory=_release_row) as cursor:
        ((name, categories, newest, oldest),) = connection.execute(query("search_terms"), values)
        if newest is None or (values["text"] and name is None):
            return Page(0, ())
        # Left to itself, the planner may read by date or all in turn, and split each name again; to start workers takes longer than to count.
        connection.execute("SET LOCAL enable_seqscan = off; SET LOCAL max_parallel_workers_per_gather = 0")
        *spans, everywhere = _spans([words for words in (name, categories) if words], newest, oldest)
        total, ids = _found(connection, values, spans[0]) if spans else (0, [])
        if spans and len(ids) == wanted.limit:
            if total == COUNTED:
                ids = _newest(connection, values, spans[:1])
            longer = iter((*spans[1:], everywhere))
            while total < COUNTED and (words := next(longer, None)) is not None:
                total, _ = _found(connection, values, words)
        else:
            total, ids = _found(connection, values, everywhere)
            if total == COUNTED:
                ids = _newest(connection, values, [*spans, everywhere])
        return Page(total, tuple(cursor.execute(query("releases_by_id"), {"ids": ids})))


def _spans(terms: list[str], newest: int, oldest: int | None) -> Iterator[str | None]:
    """What to ask of the word index: the terms within the newest days, then within longer spans, at last wherever they are."""
    everywhere = " & ".join(f"({words})" for words in terms) or None
    if everywhere is not None:
        if oldest is not None:
            everywhere += f" & ({_since(newest, oldest)})"
        for letter, bits in _STEPS:
            last = newest >> bits
            first = last - _STRIDE + 1
            if oldest is not None and first << bits <= oldest:
                break
            yield f"{everywhere} & ({_posted(letter, first, last)})"
    yield everywhere


def _since(newest: int, oldest: int) -> str:
    """The days from `oldest` on, and as many more as the steps bring; the column tells those apart."""
    fitting = (step for step in _STEPS if (newest >> step[1]) - (oldest >> step[1]) < _MOST_SPANS)
    letter, bits = next(fitting, _STEPS[-1])
    return _posted(letter, min(oldest, newest) >> bits, newest >> bits)


def _posted(letter: str, first: int, last: int) -> str:
    return " | ".join(f"'{letter}:{span}'" for span in range(first, last + 1))


def _found(connection: Connection[Row], values: dict[str, Any], words: str | None) -> tuple[int, list[UUID]]:
    """How many match, up to `COUNTED`, and the page of those that were counted: the newest one, unless there are more."""
    # Not prepared, here and below: the plan must follow from the values, since each filter that is not used falls away.
    ((total, ids),) = connection.execute(query("search_found"), values | {"words": words}, prepare=False)
    return int(total), ids


def _newest(connection: Connection[Row], values: dict[str, Any], spans: list[str | None]) -> list[UUID]:
    """The page from the first of the spans that fills it, else from the last one."""
    ids: list[UUID] = []
    for words in spans:
        ids = [found for (found,) in connection.execute(query("search_page"), values | {"words": words}, prepare=False)]
        if len(ids) == values["limit"]:
            break
    return ids


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
