"""Rebuilding: the catalog's chunk file, record and release rows from the files alone, equal to what they were."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from catalog_batches import EPOCH, GROUP, SIZE, VERSIONS, Piece, at, batch_of, count, planned, shown

from store.catalog.commit import commit_range
from store.catalog.connection import Catalog
from store.catalog.planning import PlannedRange, missing, plan, range_by_key
from store.catalog.search import Search, places, search
from store.chunks import fetch_record
from store.disk import LocalDisk
from store.rebuild import CatalogInUse, Rebuilt, owned_files, rebuild
from store.verify import published_files, verify_file

OTHER = "alt.binaries.maps"

RELEASES = """
SELECT release_id, base_key, name, poster, groups, first_posted, last_posted, files, files_expected, segments, segments_expected, bytes, has_par2,
    readable_name, category, tool, grouped_by, named_by, signature, records, repost_of, repost, request_id
FROM release_details JOIN (SELECT release_id, base_key FROM releases) AS keys USING (release_id)
ORDER BY release_id
"""

FILES = """
SELECT path, bytes, chunk_files.range_index, is_edge, chunk_files.generation, groups.name, sources.name, chunk_files.owner_id IN (
    SELECT range_id FROM ranges WHERE (source_id, group_id, range_index) = (chunk_files.source_id, chunk_files.group_id, chunk_files.range_index)
    UNION ALL
    SELECT edge_id FROM edges WHERE (source_id, group_id, range_index) = (chunk_files.source_id, chunk_files.group_id, chunk_files.range_index))
FROM chunk_files JOIN groups USING (group_id) JOIN sources USING (source_id)
WHERE retired_at IS NULL
ORDER BY path
"""


def rows(catalog: Catalog, statement: str) -> list[Any]:
    with catalog.transaction() as connection:
        return connection.execute(statement.encode()).fetchall()


@pytest.fixture
def filled(catalog: Catalog, disk: LocalDisk) -> Catalog:
    """Three ranges of two groups with a release in several of them, a repost, and a range that was materialized again."""
    with catalog.transaction() as connection:
        connection.execute(b"INSERT INTO sources VALUES (1, 'main')")
    planned(catalog, 2, (GROUP, OTHER))
    parts = [Piece("debian", 1, files_expected=3, tag=tag) for tag in "abc"]
    commit_range(catalog, disk, at(0), batch_of([parts[0], Piece("fedora", 2), Piece("lost", 3)]), VERSIONS)
    commit_range(catalog, disk, at(1), batch_of([Piece("fedora", 32), Piece("arch", 31, segments=1)]), VERSIONS)
    crossposted = Piece("arch", 31, segments=1, groups=(GROUP, OTHER), tag="x")
    commit_range(catalog, disk, at(0, OTHER), batch_of([parts[1], crossposted]), VERSIONS)
    commit_range(catalog, disk, at(0), batch_of([parts[0], Piece("fedora", 2), parts[2]]), VERSIONS)
    return catalog


def rebuilt(catalog: Catalog, disk: LocalDisk) -> list[Rebuilt]:
    return list(rebuild(catalog, disk, owned_files(disk), SIZE))


def test_rows_are_equal_to_what_they_were(filled: Catalog, disk: LocalDisk, fresh_catalog: Callable[[], Catalog]):
    again = fresh_catalog()
    done = rebuilt(again, disk)
    assert [(one.path is not None, one.damaged) for one in done] == [(True, ())] * 3
    assert rows(again, RELEASES) == rows(filled, RELEASES)
    assert rows(again, FILES) == rows(filled, FILES)
    assert shown(again) == shown(filled)
    # Row by row, by the check that compares all columns with the files.
    assert [verify_file(again, disk, file).faults for file in published_files(again)] == [()] * 3
    for release in search(again, Search()).releases:
        for place in places(again, release.id):
            assert fetch_record(disk, place.path, place).record.height == 1  # type: ignore[arg-type]


def test_rebuilt_ranges_are_planned_missing_and_replaced_by_their_next_run(
    filled: Catalog, disk: LocalDisk, fresh_catalog: Callable[[], Catalog]
):
    again = fresh_catalog()
    rebuilt(again, disk)
    before = shown(again)
    plan(again, [PlannedRange(at(0), 201203, EPOCH), PlannedRange(at(1), 201204, EPOCH + timedelta(days=30))])
    keys = missing(again, 1)
    assert keys == ["201203~a.b.linux~000000", "201204~a.b.linux~000001"]
    committed = commit_range(
        again, disk, at(1), batch_of([Piece("fedora", 32), Piece("arch", 31, segments=1)]), VERSIONS
    )
    assert shown(again) == before
    assert (committed.generation, range_by_key(again, keys[1]).generation) == (2, 2)
    assert count(again, "chunk_files WHERE retired_at IS NULL") == 3
    assert missing(again, 1) == keys[:1]


def test_the_date_of_what_has_none_is_the_month_of_its_planned_range(
    catalog: Catalog, disk: LocalDisk, fresh_catalog: Callable[[], Catalog]
):
    batch = batch_of([Piece("debian"), Piece("fedora", 70)])
    nulls = batch.records.with_columns(first_posted=None, last_posted=None).cast(dict(batch.records.schema))
    batch = type(batch)(**{name: getattr(batch, name) for name in batch.__slots__} | {"records": nulls})
    for one in (catalog, fresh_catalog()):
        planned(one, 1)
        if one is catalog:
            commit_range(one, disk, at(0), batch, VERSIONS)
        else:
            rebuilt(one, disk)
            assert shown(one) == shown(catalog)
            assert {row["first_posted"] for row in shown(one)} == {EPOCH}


def test_the_newest_whole_file_counts_and_damaged_ones_are_named(
    filled: Catalog, disk: LocalDisk, fresh_catalog: Callable[[], Catalog]
):
    newest = f"chunks/source=main/group={GROUP}/000000-2.zst"
    data = bytearray((disk.root / newest).read_bytes())
    data[-40] ^= 1
    (disk.root / newest).write_bytes(data)
    again = fresh_catalog()
    (damaged,) = [one for one in rebuilt(again, disk) if one.damaged]
    assert damaged.path == f"chunks/source=main/group={GROUP}/000000-1.zst"
    assert newest in damaged.damaged[0]
    assert "lost" in {row["name"].split("-")[0] for row in shown(again)}
    # The number of the damaged file is not given out again.
    plan(again, [PlannedRange(at(0), 201203, EPOCH)])
    assert commit_range(again, disk, at(0), batch_of([Piece("fedora", 2)]), VERSIONS).generation == 3


def test_a_file_under_a_name_that_is_not_its_own_is_not_taken(
    filled: Catalog, disk: LocalDisk, fresh_catalog: Callable[[], Catalog]
):
    folder = disk.root / f"chunks/source=main/group={GROUP}"
    (folder / "000009-1.zst").write_bytes((folder / "000001-1.zst").read_bytes())
    (folder / "README").write_bytes(b"not a chunk file")
    done = rebuilt(fresh_catalog(), disk)
    (wrong,) = [one for one in done if one.damaged]
    assert wrong == Rebuilt(
        None,
        0,
        (
            f"{(folder / '000009-1.zst').relative_to(disk.root)} has the header of {(folder / '000001-1.zst').relative_to(disk.root)}",
        ),
    )
    assert len(done) == 4


def test_interrupted_it_goes_on_and_run_twice_it_changes_nothing(
    filled: Catalog, disk: LocalDisk, fresh_catalog: Callable[[], Catalog]
):
    again = fresh_catalog()
    begun = rebuild(again, disk, owned_files(disk), SIZE)
    next(begun)
    begun.close()
    assert count(again, "chunk_files") == 1
    assert sum(one.records for one in rebuilt(again, disk)) < 7
    assert shown(again) == shown(filled)
    assert sum(one.records for one in rebuilt(again, disk)) == 0
    assert rows(again, FILES) == rows(filled, FILES)


def test_a_catalog_that_is_in_use_is_refused(filled: Catalog, disk: LocalDisk):
    before = rows(filled, FILES)
    with pytest.raises(CatalogInUse, match="an empty one"):
        rebuilt(filled, disk)
    assert rows(filled, FILES) == before


def test_a_range_materialized_meanwhile_keeps_what_it_has(
    filled: Catalog, disk: LocalDisk, fresh_catalog: Callable[[], Catalog]
):
    again = fresh_catalog()
    with again.transaction() as connection:
        connection.execute(b"INSERT INTO sources VALUES (1, 'main')")
    planned(again, 2)
    with again.transaction() as connection:
        connection.execute(b"UPDATE ranges SET claimed = 9")
    owned = owned_files(disk)
    going = rebuild(again, disk, owned, SIZE)
    next(going)
    commit_range(again, disk, at(0), batch_of([Piece("newer", 5)]), VERSIONS)
    list(going)
    in_range = [file.generation for file in published_files(again) if file.range_index == 0 and file.group == GROUP]
    assert in_range == [10]
    assert "newer-disc" in {row["name"] for row in shown(again)}
