from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from catalog_batches import at, planned

from pipeline.ranges import Range
from store.catalog.connection import Catalog
from store.catalog.planning import OverviewFacts, keys, record_overview, source_number
from store.configuration import Retention
from store.disk import LocalDisk
from store.lake import Lake, rejected_path
from store.retention import expire_overviews, is_sampled

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def fetch(catalog: Catalog, lake: Lake, range_: Range, when: datetime, state: str = "done") -> str:
    """As if the range had been fetched then; its state is set as a commit or failure would."""
    path = lake.overview_path("main", range_)
    for one in (path, rejected_path(path)):
        lake.disk.delete(one)
        lake.disk.create(one, b"0123456789")
    record_overview(catalog, range_, OverviewFacts(1, 0, 0, 10, "plain", when, None, None))
    with catalog.transaction() as connection:
        connection.execute("UPDATE ranges SET state = %s WHERE range_index = %s", [state, range_.index])
    return path


@pytest.fixture
def ranges(catalog: Catalog) -> list[Range]:
    source_number(catalog, "main")
    planned(catalog, 4)
    return [at(index) for index in range(4)]


def test_what_is_kept_for_months_goes_after_them(catalog: Catalog, disk: LocalDisk, ranges: list[Range]) -> None:
    lake = Lake(disk)
    old, new, failed, again = ranges
    paths = [
        fetch(catalog, lake, old, NOW - timedelta(days=100)),
        fetch(catalog, lake, new, NOW - timedelta(days=80)),
        fetch(catalog, lake, failed, NOW - timedelta(days=100), "failed"),
        fetch(catalog, lake, again, NOW - timedelta(days=100)),
    ]
    assert expire_overviews(catalog, lake, Retention(), NOW).files == 0
    fetch(catalog, lake, again, NOW)
    gone = expire_overviews(catalog, lake, Retention(overview_months=3), NOW)
    assert (gone.files, gone.bytes, gone.sampled) == (1, 10, 0)
    left = {file.path for file in disk.list("overview")}
    assert left == {one for path in paths[1:] for one in (path, rejected_path(path))}
    assert expire_overviews(catalog, lake, Retention(overview_months=3), NOW).files == 0
    # Fetched again, and old again.
    fetch(catalog, lake, old, NOW + timedelta(days=1))
    assert expire_overviews(catalog, lake, Retention(overview_months=3), NOW + timedelta(days=120)).files == 3


def test_a_sample_stays_for_ever(catalog: Catalog, disk: LocalDisk, ranges: list[Range]) -> None:
    lake = Lake(disk)
    for range_ in ranges:
        fetch(catalog, lake, range_, NOW - timedelta(days=1))
    share = 0.5
    sampled = {key for key in keys(catalog, 1) if is_sampled(key, share)}
    gone = expire_overviews(catalog, lake, Retention(overview_months=0, overview_sample=share), NOW)
    assert (gone.files, gone.sampled) == (len(ranges) - len(sampled), len(sampled))
    assert len(list(disk.list("overview"))) == 2 * len(sampled)


def test_a_larger_sample_holds_the_smaller_one() -> None:
    every = [f"201305~a.b.example~{index:06d}" for index in range(20_000)]
    tenth, fifth = ({key for key in every if is_sampled(key, share)} for share in (0.1, 0.2))
    assert tenth < fifth
    assert 0.09 < len(tenth) / len(every) < 0.11
    assert all(is_sampled(key, 1.0) for key in every)
    assert not any(is_sampled(key, 0.0) for key in every)
