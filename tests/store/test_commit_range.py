from __future__ import annotations

import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg
import pytest
from catalog_batches import GROUP, VERSIONS, Piece, at, batch_of, count, planned, shown
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.batch import Batch
from store.catalog import commit as commit_module
from store.catalog import releases
from store.catalog.collect import Collected, collect
from store.catalog.commit import Committed, Superseded, commit_range
from store.catalog.connection import Catalog
from store.catalog.planning import UnknownRange, missing, range_by_key
from store.catalog.publication import ChunkCollected
from store.catalog.search import Search, places, release, search
from store.disk import DiskFull, LocalDisk

HOUR = timedelta(hours=1)


def commit(catalog: Catalog, disk: LocalDisk, index: int, pieces: list[Piece], group: str = GROUP) -> Committed:
    return commit_range(catalog, disk, at(index, group), batch_of(pieces), VERSIONS)


def test_a_committed_range_is_done_and_its_releases_are_found(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 2)
    committed = commit(catalog, disk, 0, [Piece("debian"), Piece("fedora", day=1)])
    assert (committed.generation, committed.records) == (1, 2)
    row = range_by_key(catalog, "201203~a.b.linux~000000")
    assert (row.state, row.generation, row.versions) == ("done", 1, VERSIONS)
    assert row.counters is not None
    assert row.counters.kept == 4
    assert missing(catalog, 1) == ["201204~a.b.linux~000001"]
    found = search(catalog, Search())
    assert [item.name for item in found.releases] == ["fedora-disc", "debian-disc"]
    (place,) = places(catalog, found.releases[0].id)
    assert disk.size(place.path) >= place.offset + place.length


def test_committing_again_leaves_the_same_releases_under_the_same_ids(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 1)
    pieces = [Piece("debian"), Piece("debian", day=20, tag="again"), Piece("fedora")]
    first = commit(catalog, disk, 0, pieces)
    before, ids = shown(catalog), [item.id for item in search(catalog, Search()).releases]
    second = commit(catalog, disk, 0, pieces)
    assert (shown(catalog), [item.id for item in search(catalog, Search()).releases]) == (before, ids)
    assert (first.generation, second.generation) == (1, 2)
    assert count(catalog, "records") == count(catalog, "probes") == 3
    assert first.path is not None
    assert second.path is not None
    assert disk.size(first.path)  # its readers finish
    collected = collect(catalog, disk, datetime.now(UTC) + 2 * HOUR, HOUR, 24 * HOUR)
    assert collected.retired == 1
    assert [file.path for file in disk.list("chunks")] == [second.path]


def test_a_batch_without_records_writes_no_file_and_withdraws_the_old_ones(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 1)
    commit(catalog, disk, 0, [Piece("debian")])
    assert commit(catalog, disk, 0, []).path is None
    assert shown(catalog) == []
    assert len(list(disk.list("chunks"))) == 1


def test_a_range_that_is_not_planned_is_refused(catalog: Catalog, disk: LocalDisk):
    with pytest.raises(UnknownRange, match="overlake plan"):
        commit(catalog, disk, 0, [Piece("debian")])
    assert list(disk.list("")) == []


def test_a_repost_after_a_long_silence_is_a_release_of_its_own(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 1)
    commit(catalog, disk, 0, [Piece("debian"), Piece("debian", day=3, tag="b"), Piece("debian", day=11, tag="c")])
    newer, older = search(catalog, Search()).releases
    assert (older.records, newer.records, newer.repost_of) == (2, 1, older.id)


def test_ids_of_merged_releases_lead_to_what_they_became_and_return_when_it_splits(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 3)
    commit(catalog, disk, 0, [Piece("debian")])
    commit(catalog, disk, 2, [Piece("debian", day=12, tag="c")])
    late, early = search(catalog, Search()).releases
    commit(catalog, disk, 1, [Piece("debian", day=6, tag="b")])
    (merged,) = search(catalog, Search()).releases
    assert (merged.id, merged.records) == (early.id, 3)
    assert release(catalog, late.id) == merged
    assert len(places(catalog, late.id)) == 3
    commit(catalog, disk, 1, [])
    assert [item.id for item in search(catalog, Search()).releases] == [late.id, early.id]
    assert release(catalog, late.id) != release(catalog, early.id)


def test_an_id_stays_while_any_record_of_the_release_remains(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 2)
    commit(catalog, disk, 0, [Piece("debian")])
    (first,) = search(catalog, Search()).releases
    commit(catalog, disk, 1, [Piece("debian", day=2, tag="b")])
    commit(catalog, disk, 0, [])
    (left,) = search(catalog, Search()).releases
    assert left.id == first.id
    commit(catalog, disk, 1, [])
    assert release(catalog, first.id) is None


def test_an_id_that_is_taken_is_not_given_twice(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 2)
    commit(catalog, disk, 0, [Piece("debian", day=0, days_long=1)])
    (first,) = search(catalog, Search()).releases
    commit(catalog, disk, 1, [Piece("debian", day=6, tag="b")])
    commit(catalog, disk, 0, [Piece("debian", day=12, tag="c")])
    commit(catalog, disk, 1, [])
    commit(catalog, disk, 1, [Piece("debian", day=0, tag="d")])
    ids = {item.id for item in search(catalog, Search()).releases}
    assert len(ids) == 2
    assert first.id in ids


class FullDisk(LocalDisk):
    def create(self, path, data):
        raise DiskFull(28, "the disk is full")


def test_a_full_disk_leaves_the_old_state(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 1)
    commit(catalog, disk, 0, [Piece("debian")])
    before = shown(catalog)
    with pytest.raises(DiskFull):
        commit(catalog, FullDisk(disk.root), 0, [Piece("fedora")])
    assert shown(catalog) == before
    assert commit(catalog, disk, 0, [Piece("fedora")]).generation == 3


class Killed(BaseException):
    """What a kill looks like from inside: nothing catches it."""


@pytest.mark.parametrize(
    "step",
    ["write_chunk", "rows_of", "_fence", "replace_rows", "copy_rows", "_publish", "_mark_edges"],
)
@pytest.mark.parametrize("after", [False, True])
def test_a_kill_at_any_step_leaves_the_old_state_and_a_rerun_the_new(
    catalog: Catalog, disk: LocalDisk, monkeypatch: pytest.MonkeyPatch, step: str, after: bool
):
    planned(catalog, 2)
    commit(catalog, disk, 0, [Piece("debian"), Piece("fedora")])
    commit(catalog, disk, 1, [Piece("debian", day=5, tag="b")])
    before = shown(catalog)
    wanted = [Piece("fedora", day=1, tag="new"), Piece("knoppix")]
    with monkeypatch.context() as patch:
        patch.setattr(f"store.catalog.commit.{step}", _dying(f"store.catalog.commit.{step}", after))
        with pytest.raises(Killed):
            commit(catalog, disk, 0, wanted)
    assert shown(catalog) == before
    assert count(catalog, "records") == 3
    commit(catalog, disk, 0, wanted)
    rerun = shown(catalog)
    assert [row["name"] for row in rerun] == ["knoppix-disc", "fedora-disc", "debian-disc"]
    collect(catalog, disk, datetime.now(UTC) + 2 * HOUR, HOUR, HOUR)
    assert shown(catalog) == rerun
    assert len(list(disk.list("chunks"))) == 2


def _dying(target: str, after: bool) -> Callable[..., object]:
    import importlib

    module, name = target.rsplit(".", 1)
    real = getattr(importlib.import_module(module), name)

    def dying(*arguments, **named):
        if after:
            real(*arguments, **named)
        raise Killed

    return dying


def test_of_two_materializations_the_later_one_wins(catalog: Catalog, disk: LocalDisk, monkeypatch: pytest.MonkeyPatch):
    planned(catalog, 1)
    reached, go_on = threading.Event(), threading.Event()
    real = releases.published

    def slow_rows(*arguments):
        rows = real_rows(*arguments)
        if threading.current_thread() is first:
            reached.set()
            go_on.wait(20)
        return rows

    real_rows = commit_module.rows_of
    monkeypatch.setattr(commit_module, "rows_of", slow_rows)
    outcome: list[BaseException] = []

    def earlier():
        try:
            commit(catalog, disk, 0, [Piece("debian")])
        except Superseded as error:
            outcome.append(error)

    first = threading.Thread(target=earlier)
    first.start()
    assert reached.wait(20)
    commit(catalog, disk, 0, [Piece("fedora")])
    go_on.set()
    first.join()
    assert len(outcome) == 1
    assert [row["name"] for row in shown(catalog)] == ["fedora-disc"]
    assert len(list(disk.list("chunks"))) == 1
    assert real is releases.published


def test_a_catalog_that_was_restored_passes_over_names_that_are_taken(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 1)
    paths = [commit(catalog, disk, 0, [Piece("debian")]).path for _ in range(3)]
    with catalog.transaction() as connection:
        connection.execute("UPDATE ranges SET claimed = 1")
    committed = commit(catalog, disk, 0, [Piece("fedora")])
    assert committed.generation == 4
    assert [row["name"] for row in shown(catalog)] == ["fedora-disc"]
    assert [file.path for file in disk.list("chunks")] == [*paths, committed.path]


def test_a_chunk_file_that_was_collected_before_it_is_published_is_written_again(
    catalog: Catalog, disk: LocalDisk, monkeypatch: pytest.MonkeyPatch
):
    planned(catalog, 1)
    commit(catalog, disk, 0, [Piece("debian")])
    before = shown(catalog)
    real = commit_module.rows_of

    def slow_rows(*arguments):
        assert without_grace(catalog, disk).orphans == 1
        return real(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(commit_module, "rows_of", slow_rows)
        with pytest.raises(ChunkCollected, match=r"000000-2\.zst was collected before it was published.*run again"):
            commit(catalog, disk, 0, [Piece("fedora")])
    assert shown(catalog) == before
    commit(catalog, disk, 0, [Piece("fedora")])
    assert [row["name"] for row in shown(catalog)] == ["fedora-disc"]


def test_the_collector_waits_for_a_commit_that_publishes_the_file(
    catalog: Catalog, disk: LocalDisk, monkeypatch: pytest.MonkeyPatch
):
    planned(catalog, 1)
    real = commit_module.replace_rows
    collected: list[Collected] = []
    collector = threading.Thread(target=lambda: collected.append(without_grace(catalog, disk)))

    def meanwhile(connection, *arguments):
        collector.start()
        waiting = "SELECT FROM pg_locks WHERE locktype = 'advisory' AND classid = 4 AND NOT granted"
        while connection.execute(waiting).fetchone() is None:
            assert collector.is_alive()
        real(connection, *arguments)

    monkeypatch.setattr(commit_module, "replace_rows", meanwhile)
    committed = commit(catalog, disk, 0, [Piece("debian")])
    collector.join()
    assert collected == [Collected(0, 0, 0)]
    assert [file.path for file in disk.list("chunks")] == [committed.path]


def without_grace(catalog: Catalog, disk: LocalDisk) -> Collected:
    return collect(catalog, disk, datetime.now(UTC) + 2 * HOUR, HOUR, HOUR)


def test_the_grace_of_a_replaced_file_counts_from_its_replacement(
    catalog: Catalog, disk: LocalDisk, monkeypatch: pytest.MonkeyPatch
):
    """Not from the beginning of the transaction, which may have waited for locks."""
    planned(catalog, 1)
    commit(catalog, disk, 0, [Piece("debian")])
    moments: list[datetime] = []
    real = releases.lock

    def locked(connection, touched):
        real(connection, touched)
        moments.extend(connection.execute("SELECT clock_timestamp()").fetchone())

    monkeypatch.setattr(releases, "lock", locked)
    commit(catalog, disk, 0, [Piece("fedora")])
    with catalog.transaction() as connection:
        ((retired,),) = connection.execute("SELECT retired_at FROM chunk_files WHERE retired_at IS NOT NULL")
    assert retired >= moments[0]


def test_parallel_ranges_that_share_base_keys_lose_nothing(catalog: Catalog, disk: LocalDisk):
    groups = (GROUP, "alt.binaries.films")
    planned(catalog, 4, groups)
    names = [f"disc{number}" for number in range(12)]
    work: list[tuple[str, int, Batch]] = [
        (
            group,
            index,
            batch_of(
                [
                    Piece(name, day=index, tag=f"{group}{index}", groups=(group,))
                    for name in names[:: 1 - 2 * (index % 2)]
                ]
            ),
        )
        for group in groups
        for index in range(4)
    ]
    errors: list[Exception] = []

    def run(mine: list[tuple[str, int, Batch]]):
        try:
            for group, index, batch in mine * 2:
                commit_range(catalog, disk, at(index, group), batch, VERSIONS)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(work[start::4],)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert [(row["records"], row["groups"]) for row in shown(catalog)] == [(8, tuple(sorted(groups)))] * 12


PIECES = st.builds(
    Piece,
    base=st.sampled_from(["debian", "fedora"]),
    day=st.integers(0, 40).map(float),
    days_long=st.sampled_from([0.0, 2.0]),
    segments=st.integers(1, 2),
    tag=st.uuids().map(str),
)


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    contents=st.lists(st.lists(PIECES, max_size=4), min_size=3, max_size=3),
    work=st.lists(st.integers(0, 2), min_size=1, max_size=4),
    order=st.permutations([0, 1, 2]),
    other=st.lists(PIECES, max_size=3),
)
def test_any_order_and_any_reruns_give_the_same_releases(fresh_catalog, disk: LocalDisk, contents, work, order, other):
    straight, wild = fresh_catalog(), fresh_catalog()
    for catalog in (straight, wild):
        planned(catalog, 3)
    for index in range(3):
        commit(straight, LocalDisk(disk.root / str(id(straight))), index, contents[index])
    # First something else, then the true contents in another order.
    other_disk = LocalDisk(disk.root / str(id(wild)))
    for index in work:
        commit(wild, other_disk, index, other)
    for index in order:
        commit(wild, other_disk, index, contents[index])
    assert shown(wild) == shown(straight)
    with wild.transaction() as connection:
        assert (
            connection.execute(
                "SELECT alias FROM release_aliases JOIN releases ON alias = releases.release_id"
            ).fetchall()
            == []
        )
        assert (
            connection.execute(
                "SELECT alias FROM release_aliases LEFT JOIN releases USING (release_id) WHERE releases.release_id IS NULL"
            ).fetchall()
            == []
        )


def test_a_connection_lost_before_the_commit_leaves_the_old_state(
    disk: LocalDisk, server_folder: Path, monkeypatch: pytest.MonkeyPatch
):
    from store.catalog.connection import CatalogUnavailable
    from store.configuration import Settings

    with Catalog.open(Settings(data=server_folder)) as catalog:
        assert catalog.postgres is not None
        planned(catalog, 1)
        commit(catalog, disk, 0, [Piece("debian")])
        before = shown(catalog)

        def killing(connection, touched):
            real(connection, touched)
            connection.execute("SELECT pg_terminate_backend(pg_backend_pid())")

        real = releases.recompute
        with monkeypatch.context() as patch:
            patch.setattr(releases, "recompute", killing)
            with pytest.raises((CatalogUnavailable, psycopg.errors.AdminShutdown)):
                commit(catalog, disk, 0, [Piece("fedora")])
        assert shown(catalog) == before
        catalog.postgres.stop()
        commit(catalog, disk, 0, [Piece("fedora")])
        assert [row["name"] for row in shown(catalog)] == ["fedora-disc"]
