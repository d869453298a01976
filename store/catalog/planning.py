"""Ranges in the catalog: what is planned, what became of it, and what is still missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from psycopg.rows import class_row, namedtuple_row

from catalog_sql import query
from pipeline.batch import Counters
from pipeline.planning import PlannedRange
from pipeline.ranges import Range
from store.catalog.connection import Catalog
from store.catalog.interning import group_ids


class UnknownRange(LookupError):
    """No such range is planned."""


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


def source_number(catalog: Catalog, name: str) -> int:
    """The number of the source `name`; the first name seen becomes 1, a new name the next."""
    with catalog.transaction() as connection:
        connection.execute("LOCK TABLE sources IN EXCLUSIVE MODE")
        connection.execute(query("add_source"), {"name": name})
        ((number,),) = connection.execute("SELECT source_id FROM sources WHERE name = %s", [name])
        return int(number)


def group_seen(catalog: Catalog, source: int, group: str, low: int, high: int) -> None:
    """Record the lowest and highest article number the source has now."""
    group_id = group_ids(catalog, [group])[group]
    with catalog.transaction() as connection:
        connection.execute(query("group_seen"), {"source": source, "group": group_id, "low": low, "high": high})


def plan(catalog: Catalog, ranges: Iterable[PlannedRange]) -> list[str]:
    """Add the ranges that are not planned yet; returns their partition keys, oldest era first.

    Those without an article (`first_posted` is null) are recorded as known empty: see `known_empty`.

    Raises:
        ValueError: the group has ranges of another size.
    """
    ranges = list(ranges)
    known_empty(catalog, (item.range for item in ranges if item.first_posted is None))
    planned = [
        (item.range, item.era, item.range.key(item.era), "planned", item.first_posted)
        for item in ranges
        if item.first_posted is not None
    ]
    return sorted(key for key in _add(catalog, planned) if key is not None)


def known_empty(catalog: Catalog, ranges: Iterable[Range]) -> None:
    """Record ranges that hold no article: they need no run and close their neighbours' edges.

    Raises:
        ValueError: the group has ranges of another size.
    """
    _add(catalog, [(range_, None, None, "empty", None) for range_ in ranges])


def _add(
    catalog: Catalog, ranges: Sequence[tuple[Range, int | None, str | None, str, datetime | None]]
) -> list[str | None]:
    numbers = group_ids(catalog, (range_.group for range_, *_ in ranges))
    with catalog.transaction() as connection, connection.cursor() as cursor:
        cursor.execute(query("stage_plan"))
        with cursor.copy("COPY planned FROM STDIN") as copy:
            for range_, *rest in ranges:
                copy.write_row((range_.source, numbers[range_.group], range_.index, range_.size, *rest))
        if other := cursor.execute(query("plan_other_size")).fetchone():
            group, size = other
            raise ValueError(
                f"{group} is planned in ranges of {size} articles; set range_size = {size}, or start with an empty data folder"
            )
        return [key for (key,) in cursor.execute(query("plan"))]


def keys(catalog: Catalog, source: int) -> list[str]:
    """Every partition key of the source, oldest era first: what Dagster must show."""
    with catalog.transaction() as connection:
        return [key for (key,) in connection.execute(query("keys"), {"source": source})]


def range_by_key(catalog: Catalog, key: str) -> RangeRow:
    """The range a partition key names.

    Raises:
        UnknownRange: it is not planned.
    """
    with catalog.transaction() as connection, connection.cursor(row_factory=namedtuple_row) as cursor:
        row: Any = cursor.execute(query("range_by_key"), {"key": key}).fetchone()
        if row is None:
            raise UnknownRange(f"no range {key} is planned; run: overlake plan")
        counters = connection.execute(query("counters_of"), {"owner": row.range_id}).fetchone()
    facts = (
        row.lines,
        row.malformed,
        row.duplicate,
        row.wire_bytes,
        row.wire_form,
        row.fetched_at,
        row.first_posted,
        row.last_posted,
    )
    return RangeRow(
        range=Range(row.source_id, row.name, row.range_index, row.size),
        key=row.partition_key,
        era=row.era,
        state=row.state,
        generation=row.generation,
        overview=None if row.fetched_at is None else OverviewFacts(*facts),
        versions=None if row.software is None else Versions(row.group_list, row.signature_table, row.software),
        counters=None if counters is None else Counters(*counters),
        window=row.line_window,
        error=row.error,
        failed_at=row.failed_at,
        done_at=row.done_at,
    )


def missing(catalog: Catalog, source: int, *, era: int | None = None, group: str | None = None) -> list[str]:
    """Partition keys that are not done, oldest era first."""
    with catalog.transaction() as connection:
        wanted = {"source": source, "era": era, "group": group}
        return [key for (key,) in connection.execute(query("missing"), wanted)]


@dataclass(frozen=True, slots=True)
class Stale:
    """A range with data that is not made as it would be made now, and what is old about it."""

    key: str
    old_group_list: bool
    old_signature_table: bool
    old_software: bool


def stale(catalog: Catalog, source: int, now: Versions) -> list[Stale]:
    """Ranges made under a group list or signature table older than that of `now`, or by other software, oldest era first."""
    with catalog.transaction() as connection, connection.cursor(row_factory=class_row(Stale)) as cursor:
        return cursor.execute(query("stale"), {"source": source, **asdict(now)}).fetchall()


def start(catalog: Catalog, range_: Range) -> None:
    """The range is being worked on.

    Raises:
        UnknownRange: it is not planned.
    """
    _update(catalog, range_, "start_range", {})


def record_overview(catalog: Catalog, range_: Range, facts: OverviewFacts) -> None:
    """Record what fetching the overview showed.

    Raises:
        UnknownRange: it is not planned.
    """
    _update(catalog, range_, "record_overview", asdict(facts))


def fail(catalog: Catalog, range_: Range, message: str, kind: str = "") -> None:
    """The run of the range failed: keep the sentence that says why, and the kind of failure (see `store.cures`).

    Raises:
        UnknownRange: it is not planned.
    """
    _update(catalog, range_, "fail_range", {"error": message.replace("\0", ""), "kind": kind or None})


def _update(catalog: Catalog, range_: Range, name: str, values: dict[str, Any]) -> None:
    place = {"source": range_.source, "group": group_ids(catalog, [range_.group])[range_.group], "index": range_.index}
    with catalog.transaction() as connection:
        if connection.execute(query(name), {**place, **values}).rowcount == 0:
            raise UnknownRange(f"range {range_.index} of {range_.group} is not planned; run: overlake plan")


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a range: its state, its published generation, and the sentence of its last failure."""

    state: str
    generation: int
    error: str | None
    failed_at: datetime | None


def fates(catalog: Catalog, wanted: Iterable[str]) -> dict[str, Fate]:
    """The fate of each range by its partition key, all of one moment.

    Raises:
        UnknownRange: one of the keys is not planned.
    """
    asked = list(wanted)
    with catalog.transaction() as connection:
        found = {key: Fate(*fate) for key, *fate in connection.execute(query("fates"), {"keys": asked})}
    for key in asked:
        if key not in found:
            raise UnknownRange(f"no range {key} is planned; run: overlake plan")
    return found


def known_to(catalog: Catalog, source: int) -> dict[str, int]:
    """The highest index of a planned or known empty range, by group."""
    with catalog.transaction() as connection:
        return {str(name): int(index) for name, index in connection.execute(query("full_to"), {"source": source})}


def due_again(
    catalog: Catalog, source: int, kinds: Iterable[str], attempts: int, limit: int
) -> list[tuple[str, datetime]]:
    """Failed ranges to try again now, oldest era first, with the time of their failure: those of passing `kinds`, at most `attempts` in a row."""
    wanted = {"source": source, "kinds": list(kinds), "attempts": attempts, "limit": limit}
    with catalog.transaction() as connection:
        return [(str(key), failed_at) for key, failed_at in connection.execute(query("passing_failures"), wanted)]
