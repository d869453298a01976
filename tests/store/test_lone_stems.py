"""Files with random names: held together by their stem or by poster and counter, whatever order their ranges come in."""

from __future__ import annotations

from datetime import timedelta

import polars as pl
from catalog_batches import EPOCH, VERSIONS, Piece, at, batch_of, key_of, planned
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pipeline.batch import Batch
from pipeline.completeness import totals
from pipeline.islands import releases_of
from store.catalog.commit import commit_range
from store.catalog.connection import Catalog
from store.catalog.search import Search, places, release, search
from store.disk import LocalDisk

RANGES = 4


def lone(stem: str, number: int | None, hour: float, pool: str = "pool") -> dict[str, object]:
    """A record with a random stem: of one file under that counter, or of several files without one."""
    posted = EPOCH + timedelta(hours=hour)
    keys = {"stem_key": key_of(pool + stem), "pool_key": key_of(pool), "lone_number": number}
    base = key_of(pool + stem) if number is None else key_of(pool)
    return keys | {"base_key": base, "first_posted": posted, "last_posted": posted, "name": f"{stem}-{number}"}


def pooled(hour: float, pool: str = "pool") -> dict[str, object]:
    """A record of files that nothing but the pool holds together."""
    posted = EPOCH + timedelta(hours=hour)
    keys = {"stem_key": None, "pool_key": key_of(pool), "lone_number": None, "base_key": key_of(pool)}
    return keys | {"first_posted": posted, "last_posted": posted, "name": f"drawn-{hour}"}


def batch(rows: list[dict[str, object]]) -> Batch:
    # By their hours some are incomplete, and the same file may come again in another range.
    pieces = [
        Piece(
            str(row["name"]),
            segments=1 + (len(str(row["name"])) + ordinal) % 2,
            files_expected=(None, 1, 2)[ordinal % 3],
        )
        for ordinal, row in enumerate(rows)
    ]
    made = batch_of(pieces)
    facts = pl.DataFrame(rows, schema={name: made.records.schema[name] for name in rows[0]}) if rows else pl.DataFrame()
    records = made.records.with_columns(facts.get_columns())
    return Batch(**{name: getattr(made, name) for name in Batch.__slots__} | {"records": records})


def in_catalog(catalog: Catalog) -> set[frozenset[tuple[str, int]]]:
    """Each release as the places of its records."""
    found = search(catalog, Search(limit=100)).releases
    return {frozenset((place.path, place.offset) for place in places(catalog, one.id)) for one in found}


def told(catalog: Catalog) -> list[tuple[object, ...]]:
    """What each release holds, as the catalog sums it up."""
    found = search(catalog, Search(limit=100)).releases
    return sorted(
        (one.records, one.files, one.files_expected or 0, one.segments, one.segments_expected) for one in found
    )


def by_rule(written: dict[int, Batch]) -> list[tuple[object, ...]]:
    """The same, from the records alone."""
    if not written:
        return []
    records = pl.concat([made.records for made in written.values()])
    records = records.with_columns(
        release=records.hstack(releases_of(records)).select(pl.struct("release_key", "island")).to_series()
    )
    counts = records.group_by("release", maintain_order=True).len()["len"]
    rows = (
        totals(records).select("files", pl.col("files_expected").fill_null(0), "segments", "segments_expected").rows()
    )
    return sorted((count, *row) for count, row in zip(counts, rows, strict=True))


ROWS = st.one_of(
    st.builds(
        lone, st.sampled_from("abc"), st.sampled_from([1, 2, None]), st.sampled_from([0.0, 0.5, 1.0, 9.0, 400.0])
    ),
    st.builds(pooled, st.sampled_from([0.0, 0.5, 3.0, 9.0])),
)
STEPS = st.lists(st.tuples(st.integers(0, RANGES - 1), st.lists(ROWS, max_size=4)), min_size=1, max_size=7)


@given(steps=STEPS)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_catalog_shows_what_the_records_say_after_any_steps(fresh_catalog, disk: LocalDisk, steps):
    catalog = fresh_catalog()
    disk = LocalDisk(disk.root / str(id(catalog)))
    planned(catalog, RANGES)
    written: dict[int, Batch] = {}
    for index, rows in steps:
        made = batch(rows)
        committed = commit_range(catalog, disk, at(index), made, VERSIONS)
        written.pop(index, None)
        if committed.path is not None:
            written[index] = made
        assert told(catalog) == by_rule(written)
        found = in_catalog(catalog)
        assert sum(len(one) for one in found) == len(frozenset().union(*found) if found else ())


def test_a_lone_file_moves_to_its_stem_when_a_second_one_comes_and_back_when_it_goes(catalog: Catalog, disk: LocalDisk):
    planned(catalog, RANGES)
    commit_range(catalog, disk, at(0), batch([lone("a", 1, 0.0), lone("b", 2, 0.0)]), VERSIONS)
    assert [len(one) for one in in_catalog(catalog)] == [2]
    commit_range(catalog, disk, at(1), batch([lone("a", 3, 0.1)]), VERSIONS)
    assert sorted(len(one) for one in in_catalog(catalog)) == [1, 2]
    names = {one.name for one in search(catalog, Search()).releases}
    assert names == {"a-1", "b-2"}
    commit_range(catalog, disk, at(1), batch([]), VERSIONS)
    assert [len(one) for one in in_catalog(catalog)] == [2]


def test_the_same_file_in_two_ranges_is_still_alone(catalog: Catalog, disk: LocalDisk):
    planned(catalog, RANGES)
    commit_range(catalog, disk, at(0), batch([lone("a", 1, 0.0), lone("b", 2, 0.0)]), VERSIONS)
    commit_range(catalog, disk, at(1), batch([lone("a", 1, 0.1)]), VERSIONS)
    assert [len(one) for one in in_catalog(catalog)] == [3]


def test_the_id_of_a_release_follows_its_last_file_to_its_stem_and_back(catalog: Catalog, disk: LocalDisk):
    planned(catalog, RANGES)
    commit_range(catalog, disk, at(0), batch([lone("a", 1, 0.0)]), VERSIONS)
    (alone,) = search(catalog, Search()).releases
    commit_range(catalog, disk, at(1), batch([lone("a", 3, 0.1), lone("b", 2, 0.1)]), VERSIONS)
    with_stem = release(catalog, alone.id)
    assert with_stem is not None
    assert with_stem.records == 2
    commit_range(catalog, disk, at(1), batch([lone("b", 2, 0.1)]), VERSIONS)
    in_pool = release(catalog, alone.id)
    assert in_pool is not None
    assert in_pool.records == 2
    commit_range(catalog, disk, at(0), batch([]), VERSIONS)
    commit_range(catalog, disk, at(1), batch([]), VERSIONS)
    assert release(catalog, alone.id) is None


def test_the_id_of_a_pool_stays_with_the_files_that_stay(catalog: Catalog, disk: LocalDisk):
    planned(catalog, RANGES)
    commit_range(catalog, disk, at(0), batch([lone("a", 1, 0.0), lone("b", 2, 0.1)]), VERSIONS)
    (pool,) = search(catalog, Search()).releases
    commit_range(catalog, disk, at(1), batch([lone("a", 3, 0.0)]), VERSIONS)
    assert {one.name for one in search(catalog, Search()).releases} == {"a-1", "b-2"}
    left = release(catalog, pool.id)
    assert left is not None
    assert left.name == "b-2"
