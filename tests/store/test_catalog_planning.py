from __future__ import annotations

from datetime import timedelta

import pytest
from catalog_batches import EPOCH, GROUP, VERSIONS, Piece, at, batch_of, planned

from pipeline.batch import Signature
from pipeline.ranges import Range
from store.catalog.commit import commit_range
from store.catalog.connection import Catalog
from store.catalog.planning import (
    OverviewFacts,
    PlannedRange,
    Stale,
    UnknownRange,
    Versions,
    fail,
    keys,
    known_empty,
    missing,
    plan,
    range_by_key,
    record_overview,
    source_number,
    stale,
    start,
)
from store.catalog.versions import current_group_list, current_signatures, record_group_list, record_signatures
from store.disk import LocalDisk

FILMS = "alt.binaries.films"


def test_ranges_are_added_once_and_oldest_era_first(catalog: Catalog):
    wanted = [
        PlannedRange(at(1), 201205, EPOCH),
        PlannedRange(at(0), 201203, EPOCH),
        PlannedRange(at(0, FILMS), 201204, EPOCH),
    ]
    oldest_first = ["201203~a.b.linux~000000", "201204~a.b.films~000000", "201205~a.b.linux~000001"]
    assert plan(catalog, wanted) == oldest_first
    assert plan(catalog, wanted) == []
    assert plan(catalog, [*wanted, PlannedRange(at(2), 201206, EPOCH)]) == ["201206~a.b.linux~000002"]
    assert keys(catalog, 1) == missing(catalog, 1) == [*oldest_first, "201206~a.b.linux~000002"]


def test_an_era_is_frozen_when_the_range_is_planned(catalog: Catalog):
    plan(catalog, [PlannedRange(at(0), 201203, EPOCH)])
    assert plan(catalog, [PlannedRange(at(0), 201301, EPOCH)]) == []
    assert keys(catalog, 1) == ["201203~a.b.linux~000000"]


def test_another_range_size_is_refused_with_what_to_do(catalog: Catalog):
    plan(catalog, [PlannedRange(at(0), 201203, EPOCH)])
    with pytest.raises(ValueError, match="set range_size = 1000"):
        plan(catalog, [PlannedRange(Range(1, GROUP, 5, 2000), 201203, EPOCH)])


def test_an_empty_range_needs_no_run_until_it_holds_articles(catalog: Catalog):
    known_empty(catalog, [at(0), at(1)])
    assert plan(catalog, [PlannedRange(at(2), 201204, None)]) == []
    assert keys(catalog, 1) == []
    assert plan(catalog, [PlannedRange(at(1), 201204, EPOCH)]) == ["201204~a.b.linux~000001"]


def test_what_becomes_of_a_range_is_recorded(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 1)
    (key,) = keys(catalog, 1)
    start(catalog, at(0))
    assert range_by_key(catalog, key).state == "running"
    facts = OverviewFacts(10, 1, 2, 345, "plain", EPOCH, EPOCH, EPOCH + timedelta(days=1))
    record_overview(catalog, at(0), facts)
    fail(catalog, at(0), "the server said 502")
    row = range_by_key(catalog, key)
    assert (row.state, row.error, row.overview, row.range, row.era) == (
        "failed",
        "the server said 502",
        facts,
        at(0),
        201203,
    )
    assert missing(catalog, 1) == [key]
    commit_range(catalog, disk, at(0), batch_of([Piece("debian")]), VERSIONS)
    row = range_by_key(catalog, key)
    assert (row.state, row.error, row.versions, row.window) == ("done", None, VERSIONS, 0)


def test_ranges_of_older_versions_are_listed(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 2, (GROUP, FILMS))
    for index in range(2):
        commit_range(catalog, disk, at(index), batch_of([]), Versions(index + 1, 1, "0.1.0"))
    films = ["201203~a.b.films~000000", "201204~a.b.films~000001"]
    assert missing(catalog, 1) == films
    assert stale(catalog, 1, Versions(2, 1, "0.1.0")) == [Stale("201203~a.b.linux~000000", True, False, False)]
    newer = stale(catalog, 1, Versions(2, 2, "0.2.0"))
    assert [(row.old_group_list, row.old_signature_table, row.old_software) for row in newer] == [
        (True, True, True),
        (False, True, True),
    ]
    fail(catalog, at(0), "the server said 502", "ServerBusy")
    assert len(stale(catalog, 1, Versions(2, 1, "0.1.0"))) == 1, "it still has the data of its older generation"
    assert missing(catalog, 1, era=201204) == films[1:]


def test_a_range_nobody_planned_is_unknown(catalog: Catalog):
    with pytest.raises(UnknownRange, match="overlake plan"):
        range_by_key(catalog, "201203~a.b.linux~000000")
    with pytest.raises(UnknownRange):
        start(catalog, at(7))


def test_sources_are_numbered_in_order(catalog: Catalog):
    assert [source_number(catalog, name) for name in ("main", "other", "main")] == [1, 2, 1]


def test_an_equal_group_list_or_signature_table_keeps_its_version(catalog: Catalog):
    assert current_group_list(catalog).version == current_signatures(catalog).version == 0
    assert [record_group_list(catalog, names).version for names in (["a", "b"], ["a", "b"], ["b", "a"])] == [1, 1, 2]
    assert current_group_list(catalog).names == ("b", "a")
    lines = [Signature("nyuu/random", "drop", "random names")]
    assert [record_signatures(catalog, table).version for table in (lines, lines, [])] == [1, 1, 2]
    assert current_signatures(catalog).signatures == ()
