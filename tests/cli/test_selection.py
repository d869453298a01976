from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from databases import Databases

from cli.selection import Reasons, Selection, versions_now
from store.catalog.commit import commit_range
from store.catalog.connection import Catalog
from store.catalog.planning import UnknownRange
from store.catalog.versions import record_group_list, record_signatures
from store.disk import LocalDisk

sys.path.insert(0, str(Path(__file__).parents[1] / "store"))

from catalog_batches import GROUP, at, batch_of, planned

FILMS = "alt.binaries.films"
LINUX = ["201203~a.b.linux~000000", "201204~a.b.linux~000001", "201205~a.b.linux~000002"]
FILM = ["201203~a.b.films~000000", "201204~a.b.films~000001", "201205~a.b.films~000002"]


@pytest.fixture(scope="module")
def catalog(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    """Three months of two groups; of one group the first two are done, the oldest under the group list before this one."""
    disk = LocalDisk(tmp_path_factory.mktemp("disk"))
    with databases.catalog() as made:
        planned(made, 3, (GROUP, FILMS))
        record_group_list(made, [GROUP])
        record_signatures(made, [])
        commit_range(made, disk, at(0), batch_of([]), versions_now(made))
        record_group_list(made, [GROUP, FILMS])
        commit_range(made, disk, at(1), batch_of([]), versions_now(made))
        yield made


def test_what_is_missing_comes_oldest_era_first_over_all_groups(catalog: Catalog) -> None:
    assert Selection().of(catalog, 1).keys == [FILM[0], FILM[1], FILM[2], LINUX[2]]


def test_group_and_era_narrow_what_is_missing(catalog: Catalog) -> None:
    assert Selection(group="*.films").of(catalog, 1).keys == FILM
    assert Selection(era=201205).of(catalog, 1).keys == [FILM[2], LINUX[2]]
    assert Selection(group=GROUP, era=201203).of(catalog, 1).keys == []


def test_named_ranges_are_taken_whether_done_or_not(catalog: Catalog) -> None:
    named = (LINUX[1], FILM[0])
    assert Selection(named=named).of(catalog, 1).keys == [FILM[0], LINUX[1]]
    assert Selection(named=named, group=GROUP).of(catalog, 1).keys == [LINUX[1]]
    with pytest.raises(UnknownRange, match="overlake plan"):
        Selection(named=("209901~a.b.none~000000",)).of(catalog, 1)


def test_stale_ranges_come_with_what_is_old_about_them(catalog: Catalog) -> None:
    found = Selection(stale=True).of(catalog, 1)
    assert (found.keys, found.reasons) == ([LINUX[0]], Reasons(1, 0, 0))
    assert Selection(stale=True, era=201204).of(catalog, 1).keys == []
    assert Selection(stale=True, named=(LINUX[1],)).of(catalog, 1).keys == []
