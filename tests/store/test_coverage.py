from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from catalog_batches import EPOCH, GROUP, VERSIONS, Piece, at, batch_of, planned

from store.catalog.commit import commit_range
from store.catalog.connection import Catalog
from store.catalog.coverage import Coverage, Pace, coverage, pace, remaining
from store.catalog.planning import OverviewFacts, PlannedRange, fail, group_seen, known_empty, plan, record_overview
from store.disk import LocalDisk

FILMS = "alt.binaries.films"


def test_ranges_and_lines_are_counted_by_group_and_era(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 2, (GROUP, FILMS))
    commit_range(catalog, disk, at(0), batch_of([Piece("debian")]), VERSIONS)
    rows = {(row.group, row.era): row for row in coverage(catalog, 1)}
    assert list(rows) == [(FILMS, 201203), (GROUP, 201203), (FILMS, 201204), (GROUP, 201204)]
    done = rows[GROUP, 201203]
    assert (done.planned, done.done, done.lines, done.kept, done.ranges, done.open) == (0, 1, 2, 2, 1, 0)
    assert done.chunk_bytes > 0
    assert rows[FILMS, 201204].planned == rows[FILMS, 201204].open == 1


def test_empty_ranges_count_with_the_era_below_them(catalog: Catalog):
    plan(catalog, [PlannedRange(at(2), 201203, EPOCH), PlannedRange(at(5), 201307, EPOCH)])
    known_empty(catalog, [at(0), at(1), at(3), at(4), at(6), at(0, FILMS)])
    empty = {(row.group, row.era): row.empty for row in coverage(catalog, 1)}
    assert empty == {(GROUP, 201203): 4, (GROUP, 201307): 1, (FILMS, None): 1}


def test_gaps_are_what_group_counts_and_no_line_came_for(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 3)
    group_seen(catalog, 1, GROUP, 401, 2499)
    for index, (lines, duplicate) in enumerate(((600, 0), (1000, 10), (450, 0))):
        now = datetime.now(UTC)
        record_overview(catalog, at(index), OverviewFacts(lines, 0, duplicate, 9, "plain", now, EPOCH, EPOCH))
        commit_range(catalog, disk, at(index), batch_of([]), VERSIONS)
    # 401-999 is 599 numbers: a line more than that is no gap; 10 came twice in place of others; 2000-2499 is 500.
    assert [row.gaps for row in coverage(catalog, 1)] == [0, 10, 50]


def test_the_last_failure_is_shown_until_the_range_is_done(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 1)
    fail(catalog, at(0), "no space is left", "DiskFull")
    fail(catalog, at(0), "the server said 481", "LoginRefused")
    (row,) = coverage(catalog, 1)
    assert (row.failed, row.last_error, row.last_error_kind, row.last_error_range) == (
        1,
        "the server said 481",
        "LoginRefused",
        "201203~a.b.linux~000000",
    )
    commit_range(catalog, disk, at(0), batch_of([]), VERSIONS)
    (row,) = coverage(catalog, 1)
    assert (row.failed, row.last_error, row.last_error_kind) == (0, None, None)


def rows_of(*counts: tuple[int, int]) -> list[Coverage]:
    """Rows with so many planned and so many just done ranges of 1,000 lines."""
    now = datetime(2026, 1, 1, 12, tzinfo=UTC)
    blank = Coverage(GROUP, 201203, *[0] * 13, None, now, None, None, None)
    return [
        replace(
            blank,
            planned=planned,
            done=done,
            recent_ranges=done,
            recent_lines=1000 * done,
            recent_from=now - timedelta(seconds=100) if done else None,
        )
        for planned, done in counts
    ]


def test_the_time_left_of_an_era_counts_all_that_is_older():
    rows = rows_of((2, 3), (0, 2), (4, 0), (0, 0))
    measured = pace(rows)
    assert measured == Pace(40.0, 0.04)
    seconds = [None if left is None else left.total_seconds() for left in remaining(rows, measured)]
    assert seconds == [50, 0, 150, 0]


def test_too_few_ranges_give_no_pace():
    rows = rows_of((2, 2), (4, 0))
    assert pace(rows) == Pace(None, None)
    assert remaining(rows, pace(rows)) == [None, None]
