"""Ranges in the catalog: what is planned, what became of it, and what is still missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from pipeline.batch import Counters
from pipeline.ranges import Range
from store.catalog.connection import Catalog


class UnknownRange(LookupError):
    """No such range is planned."""


@dataclass(frozen=True, slots=True)
class PlannedRange:
    """A range to plan: its posting month (YYYYMM) and the believable date of its first article."""

    range: Range
    era: int
    first_posted: datetime | None = None


@dataclass(frozen=True, slots=True)
class OverviewFacts:
    """What fetching the overview of a range showed.

    Attributes:
        lines: overview lines received, the malformed and duplicate ones included.
        malformed: lines that could not be read.
        duplicate: lines whose number came twice.
        wire_bytes: bytes received, as compressed.
        wire_form: how they came, e.g. `xfeature-gzip`, `compress-deflate`, `plain`.
        fetched_at: when (UTC).
        first_posted: earliest believable date, null when there is none.
        last_posted: latest believable date.
    """

    lines: int
    malformed: int
    duplicate: int
    wire_bytes: int
    wire_form: str
    fetched_at: datetime
    first_posted: datetime | None
    last_posted: datetime | None


@dataclass(frozen=True, slots=True)
class Versions:
    """What a batch was made with: version of the group list, of the signature table, and of the software."""

    group_list: int
    signature_table: int
    software: str


@dataclass(frozen=True, slots=True)
class RangeRow:
    """A range as the catalog knows it. `generation` is 0 until it is committed once.

    `state` is `planned`, `running`, `done`, `failed` or `empty`. A range that failed in a re-run keeps the data of its last
    generation.
    """

    range: Range
    key: str
    era: int
    state: str
    generation: int
    overview: OverviewFacts | None
    versions: Versions | None
    counters: Counters | None
    window: int | None
    error: str | None
    failed_at: datetime | None
    done_at: datetime | None


@dataclass(frozen=True, slots=True)
class GroupEra:
    """How far one group is in one era: ranges by state, and lines of those that are done."""

    group: str
    era: int
    planned: int
    running: int
    done: int
    failed: int
    lines: int
    kept: int


def source_number(catalog: Catalog, name: str) -> int:
    """The number of the source `name`; the first name seen becomes 1, a new name the next."""
    raise NotImplementedError


def group_seen(catalog: Catalog, source: int, group: str, low: int, high: int) -> None:
    """Record the lowest and highest article number the source has now."""
    raise NotImplementedError


def plan(catalog: Catalog, ranges: Iterable[PlannedRange]) -> list[str]:
    """Add the ranges that are not planned yet; returns their partition keys, oldest era first.

    Raises:
        ValueError: the group has ranges of another size.
    """
    raise NotImplementedError


def known_empty(catalog: Catalog, ranges: Iterable[Range]) -> None:
    """Record ranges that hold no article: they need no run and close their neighbours' edges."""
    raise NotImplementedError


def keys(catalog: Catalog, source: int) -> list[str]:
    """Every partition key of the source, oldest era first: what Dagster must show."""
    raise NotImplementedError


def range_by_key(catalog: Catalog, key: str) -> RangeRow:
    """The range a partition key names.

    Raises:
        UnknownRange: it is not planned.
    """
    raise NotImplementedError


def missing(catalog: Catalog, source: int, *, era: int | None = None, group: str | None = None, older_than: Versions | None = None) -> list[str]:
    """Partition keys that are not done, oldest era first; with `older_than` also those made with older versions."""
    raise NotImplementedError


def start(catalog: Catalog, range_: Range) -> None:
    """The range is being worked on."""
    raise NotImplementedError


def record_overview(catalog: Catalog, range_: Range, facts: OverviewFacts) -> None:
    """Record what fetching the overview showed."""
    raise NotImplementedError


def fail(catalog: Catalog, range_: Range, message: str) -> None:
    """The run of the range failed: keep the sentence that says why."""
    raise NotImplementedError


def status(catalog: Catalog, source: int) -> list[GroupEra]:
    """Progress per group and era, ordered by era, then group."""
    raise NotImplementedError
