"""Finding releases by name, category, group, size, age and poster, newest first; and where their records lie."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from store.catalog.connection import Catalog


@dataclass(frozen=True, slots=True)
class Search:
    """What to look for; the default finds the newest releases.

    Attributes:
        text: words that must all occur in the name; `word*` matches a prefix, `-word` must not occur.
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
    raise NotImplementedError


def release(catalog: Catalog, release_id: UUID) -> Release | None:
    """The release under this id, or the one it was merged into; null when there is none."""
    raise NotImplementedError


def places(catalog: Catalog, release_id: UUID) -> tuple[RecordPlace, ...]:
    """The records of the release, in an order that does not depend on the order of materialization; empty when there is none."""
    raise NotImplementedError
