from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest
from catalog_batches import EPOCH, GROUP, VERSIONS, count, frame, shown

from pipeline import schema
from pipeline.batch import GroupList, SignatureTable
from pipeline.fragments import WINDOW_FLOOR
from pipeline.materialize import materialize
from pipeline.ranges import Range
from store.catalog.collect import collect
from store.catalog.commit import commit_range
from store.catalog.connection import Catalog
from store.catalog.edges import EdgeWritten, merge_edges
from store.catalog.planning import PlannedRange, group_seen, known_empty, plan
from store.catalog.search import Search, search
from store.disk import LocalDisk

SIZE = 50
LIST = GroupList(1, (GROUP,))
Articles = dict[int, tuple[str, int, int]]
"""File, part and parts of each article number."""

ARTICLES: Articles = {
    number: (name, part, parts)
    for first, name, parts in [
        (2, "knoppix-5.1", 4),  # whole, in range 0
        (40, "ubuntu-24.04", 80),  # over the ranges 0, 1 and 2
        (121, "fedora-40", 50),  # over the ranges 2 and 3
        (190, "debian-12", 30),  # never finished: the group ends first
    ]
    for number, part in zip(range(first, min(first + parts, 200)), range(1, parts + 1), strict=False)
}


def at(index: int) -> Range:
    return Range(1, GROUP, index, SIZE)


def planned(catalog: Catalog, ranges: int = 4) -> None:
    plan(catalog, [PlannedRange(at(index), 201203 + index, EPOCH + timedelta(hours=index)) for index in range(ranges)])
    group_seen(catalog, 1, GROUP, 1, ranges * SIZE - 1)


def commit(
    catalog: Catalog, disk: LocalDisk, index: int, *, without: str = "", articles: Articles = ARTICLES, size: int = SIZE
) -> None:
    rows = [
        {
            "number": number,
            "subject": f'"{name}.iso" yEnc ({part}/{parts})',
            "poster": "Archivist <archive@example.org>",
            "posted_at": EPOCH + timedelta(seconds=number),
            "message_id": f"{name}.{part}@example.org",
            "references": "",
            "bytes": 700_000,
            "xref": f"{GROUP}:{number}",
        }
        for number, (name, part, parts) in articles.items()
        if number // size == index and name != without
    ]
    range_ = Range(1, GROUP, index, size)
    overview = frame(schema.OVERVIEW, rows)
    batch = materialize(overview, range_, LIST, SignatureTable(0, ()), lines=len(rows), malformed=0, duplicate=0)
    assert batch.counters.balance == 0
    commit_range(catalog, disk, range_, batch, VERSIONS)


def work(catalog: Catalog, disk: LocalDisk, index: int, *, without: str = "") -> list[EdgeWritten]:
    commit(catalog, disk, index, without=without)
    return merge_edges(catalog, disk, at(index))


def found(catalog: Catalog) -> dict[str, tuple[int, int]]:
    return {item.name: (item.segments, item.segments_expected) for item in search(catalog, Search(limit=100)).releases}


ALL = {"knoppix-5.1": (4, 4), "ubuntu-24.04": (80, 80), "fedora-40": (50, 50), "debian-12": (10, 30)}


@pytest.mark.parametrize("order", [(3, 2, 1, 0), (1, 3, 0, 2)])
def test_files_over_range_edges_become_whole_in_any_order(fresh_catalog, disk: LocalDisk, order: tuple[int, ...]):
    straight, wild = fresh_catalog(), fresh_catalog()
    first, second = LocalDisk(disk.root / "straight"), LocalDisk(disk.root / "wild")
    for catalog in (straight, wild):
        planned(catalog)
    for index in range(4):
        work(straight, first, index)
    for index in order:
        work(wild, second, index)
    assert found(straight) == ALL
    assert shown(wild) == shown(straight)
    for index in order:
        work(wild, second, index)
    assert shown(wild) == shown(straight)
    for catalog, its_disk in ((straight, first), (wild, second)):
        collect(catalog, its_disk, datetime.now(UTC) + timedelta(hours=2), timedelta(hours=1), timedelta(hours=1))
    assert len(list(second.list("chunks"))) == len(list(first.list("chunks")))
    assert merge_edges(wild, second, at(0)) == []


def test_all_ranges_first_and_one_merge_at_the_end_is_the_same(fresh_catalog, disk: LocalDisk):
    straight, late = fresh_catalog(), fresh_catalog()
    for catalog in (straight, late):
        planned(catalog)
    for index in range(4):
        work(straight, LocalDisk(disk.root / "straight"), index)
    for index in (2, 0, 3, 1):
        commit(late, LocalDisk(disk.root / "late"), index)
    written = merge_edges(late, LocalDisk(disk.root / "late"), at(0))
    assert shown(late) == shown(straight)
    assert sum(edge.counters.kept for edge in written) == 80 + 50 + 10
    assert all(edge.counters.balance == 0 for edge in written)


def test_a_fragment_waits_for_its_neighbour(catalog: Catalog, disk: LocalDisk):
    planned(catalog)
    work(catalog, disk, 0)
    assert found(catalog) == {"knoppix-5.1": (4, 4)}
    work(catalog, disk, 2)
    assert found(catalog) == {"knoppix-5.1": (4, 4)}
    work(catalog, disk, 1)
    assert found(catalog) == {"knoppix-5.1": (4, 4), "ubuntu-24.04": (80, 80)}


def test_an_empty_neighbour_decides_an_incomplete_file(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 1)
    group_seen(catalog, 1, GROUP, 1, 500)
    work(catalog, disk, 0)
    assert found(catalog) == {"knoppix-5.1": (4, 4)}
    known_empty(catalog, [at(1)])
    merge_edges(catalog, disk, at(0))
    assert found(catalog) == {"knoppix-5.1": (4, 4), "ubuntu-24.04": (10, 80)}


def test_a_rerun_of_the_middle_range_redoes_the_edge(catalog: Catalog, disk: LocalDisk):
    planned(catalog)
    for index in range(4):
        work(catalog, disk, index)
    work(catalog, disk, 1, without="ubuntu-24.04")
    assert found(catalog)["ubuntu-24.04"][0] == 30
    work(catalog, disk, 1)
    assert found(catalog) == ALL
    assert count(catalog, "fragments WHERE owner IS NULL") == 0


def test_an_edge_that_is_open_again_gives_back_what_it_held(catalog: Catalog, disk: LocalDisk):
    """The group ended at range 0 when its last file was decided; then it went on, and range 0 was read again."""
    planned(catalog, 1)
    work(catalog, disk, 0)
    assert found(catalog) == {"knoppix-5.1": (4, 4), "ubuntu-24.04": (10, 80)}
    planned(catalog, 3)
    (emptied,) = work(catalog, disk, 0)
    assert (emptied.index, emptied.path, emptied.records) == (0, None, 0)
    assert found(catalog) == {"knoppix-5.1": (4, 4)}
    assert merge_edges(catalog, disk, at(0)) == []
    for index in (1, 2):
        work(catalog, disk, index)
    assert found(catalog)["ubuntu-24.04"] == (80, 80)


def test_an_edge_passes_over_names_that_are_taken(catalog: Catalog, disk: LocalDisk):
    """A server that was killed, or a catalog that was restored, gives out numbers anew."""
    planned(catalog)
    for index in range(4):
        work(catalog, disk, index)
    edges = "SELECT path FROM chunk_files WHERE is_edge AND retired_at IS NULL"
    with catalog.transaction() as connection:
        before = connection.execute(edges).fetchall()
        connection.execute("SELECT setval('edge_generations', 1, false)")
    work(catalog, disk, 1)
    assert found(catalog) == ALL
    with catalog.transaction() as connection:
        after = connection.execute(edges).fetchall()
    assert len(after) == len(before)
    assert {path for (path,) in before + after} <= {file.path for file in disk.list("chunks")}


def over_many_ranges() -> Articles:
    """Three files that take turns over twelve ranges: one lacks every part of range 6, and one is never finished."""
    articles: Articles = {}
    for number in range(20, 12 * SIZE - 10):
        name, part = ("gentoo", "fedora", "slackware")[number % 3], number // 3 - 5
        if not (name == "fedora" and number // SIZE == 6) and not (name == "slackware" and number > 8 * SIZE):
            articles[number] = (name, part, 195)
    return articles


@pytest.mark.parametrize("order", ["up", "down", "odd first", "ends first"])
def test_chains_over_many_ranges_become_the_same_files_in_any_order(fresh_catalog, disk: LocalDisk, order: str):
    articles, indexes = over_many_ranges(), list(range(12))
    orders = {
        "up": indexes,
        "down": indexes[::-1],
        "odd first": indexes[1::2] + indexes[::2],
        "ends first": [index for pair in zip(indexes[:6], indexes[:5:-1], strict=True) for index in pair],
    }
    catalog = fresh_catalog()
    planned(catalog, 12)

    def make(index: int, without: str = "") -> None:
        commit(catalog, disk, index, without=without, articles=articles)
        merge_edges(catalog, disk, at(index))

    for index in orders[order]:
        make(index)
    sums = {name: sum(name == found for found, *_ in articles.values()) for name in ("gentoo", "fedora", "slackware")}
    assert sums["gentoo"] == 190 > sums["fedora"] > sums["slackware"]
    # A hole parts a file in two that each are incomplete, and one release.
    whole = {name: (number, 195) for name, number in sums.items()}
    assert found(catalog) == whole
    before = shown(catalog)
    make(5, without="gentoo")
    assert found(catalog)["gentoo"][0] == 190 - sum(
        name == "gentoo" and number // SIZE == 5 for number, (name, *_) in articles.items()
    )
    make(5)
    assert shown(catalog) == before
    assert merge_edges(catalog, disk, at(0)) == []


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 1, 2, 0)])
def test_thousands_of_files_that_interleave_over_an_edge_become_whole(
    catalog: Catalog, disk: LocalDisk, order: tuple[int, ...]
):
    """The parts of each lie farther from each other, and from the edge, than the smallest window reaches."""
    size, apart = 300_000, WINDOW_FLOOR + 5_000
    articles: Articles = {
        1 + 401 * file + apart * part: (f"disc-{file:04}", part + 1, 8) for file in range(2_500) for part in range(8)
    }
    over = {file for file in range(2_500) if (1 + 401 * file) // size != (1 + 401 * file + 7 * apart) // size}
    assert len(over) > 1_000
    plan(catalog, [PlannedRange(Range(1, GROUP, index, size), 201203, EPOCH) for index in range(4)])
    group_seen(catalog, 1, GROUP, 1, 4 * size - 1)
    for index in order:
        commit(catalog, disk, index, articles=articles, size=size)
    merge_edges(catalog, disk, Range(1, GROUP, 0, size))
    assert count(catalog, "records WHERE segments = 8") == count(catalog, "records") == 2_500


def test_a_merge_that_is_killed_changes_nothing(catalog: Catalog, disk: LocalDisk, monkeypatch: pytest.MonkeyPatch):
    planned(catalog)
    for index in range(4):
        commit(catalog, disk, index)
    before = shown(catalog)
    for step in ("_contents", "_publish", "_own"):
        with monkeypatch.context() as patch:
            patch.setattr(f"store.catalog.edges.{step}", _killed_after(step))
            with pytest.raises(KeyboardInterrupt):
                merge_edges(catalog, disk, at(0))
        assert shown(catalog) == before
    merge_edges(catalog, disk, at(0))
    assert found(catalog) == ALL


def _killed_after(step: str):
    from store.catalog import edges

    real = getattr(edges, step)

    def killed(*arguments):
        real(*arguments)
        raise KeyboardInterrupt

    return killed


def test_parallel_commits_and_merges_of_one_group_neither_lose_nor_wait_in_a_circle(catalog: Catalog, disk: LocalDisk):
    planned(catalog)
    errors: list[BaseException] = []

    def run(index: int) -> None:
        try:
            for _ in range(2):
                work(catalog, disk, index)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert found(catalog) == ALL
