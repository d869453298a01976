"""What the signature table dropped is counted, and another table lists the ranges it would change."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path

import duckdb
import polars as pl
import pytest

from catalog_sql import duckdb_views
from pipeline import schema
from pipeline.batch import GroupList, Signature, SignatureTable
from pipeline.materialize import materialize
from pipeline.ranges import Range
from pipeline.signatures import DEFAULT_TABLE, DROP, KEEP
from store.catalog.commit import commit_range
from store.catalog.connection import Catalog
from store.catalog.edges import merge_edges
from store.catalog.planning import PlannedRange, Versions, group_seen, known_empty, plan, source_number
from store.catalog.signatures import Dropped, changed_by, dropped_by_line
from store.catalog.snapshot import write_snapshot
from store.catalog.versions import current_signatures, first_signatures, record_signatures
from store.disk import LocalDisk

GROUP = "alt.binaries.test"
START = dt.datetime(2023, 3, 1, tzinfo=dt.UTC)
HASHES = ["9f5c34f99c4a34718b33bf5960714efb", "3b1f5ac08d3f4c0f9a8f2b7c6d5e4f3a", "c0ffee1234564abc8def0123456789ab"]
FLOOD = [f'9f5c34f99c4a3471 [{n}/3] - "{name[:16]}" yEnc (1/1)' for n, name in enumerate(HASHES, 1)]
SET = [f'[{n}/3] - "{HASHES[0]}.part{n}.rar" yEnc (1/1)' for n in (1, 2, 3)]
CLEAR = [f'Debian.12 [{n}/3] - "debian.part{n}.rar" yEnc (1/1)' for n in (1, 2, 3)]


def made(catalog: Catalog, disk: LocalDisk, index: int, subjects: list[str], table: SignatureTable = DEFAULT_TABLE):
    return made_of(catalog, disk, Range(1, GROUP, index, 1000), list(enumerate(subjects, index * 1000 + 400)), table)


def made_of(catalog: Catalog, disk: LocalDisk, range_: Range, lines: list[tuple[int, str]], table: SignatureTable):
    rows = [
        (number, subject, "Ann <ann@example.org>", START, f"{number}@example.org", "", 700, "")
        for number, subject in lines
    ]
    overview = pl.DataFrame(rows, schema=schema.OVERVIEW.polars, orient="row")
    batch = materialize(overview, range_, GroupList(1, (GROUP,)), table, lines=len(rows), malformed=0, duplicate=0)
    commit_range(catalog, disk, range_, batch, Versions(1, table.version, "test"))
    return batch


@pytest.fixture
def planned(catalog: Catalog) -> Catalog:
    plan(catalog, [PlannedRange(Range(1, GROUP, index, 1000), 202303, START) for index in range(3)])
    group_seen(catalog, 1, GROUP, 0, 2999)
    return catalog


def test_what_a_line_dropped_is_counted_and_goes_with_its_range(planned: Catalog, disk: LocalDisk):
    batch = made(planned, disk, 0, FLOOD + CLEAR)
    dropped = batch.verdicts.filter(pl.col("dropped_by").is_not_null())
    assert batch.counters.garbage == dropped["segments"].sum() == 3
    (line,) = dropped_by_line(planned).values()
    assert line == Dropped("*|*|t[]hy", ranges=1, edges=0, files=3, segments=3, bytes=2100)
    made(planned, disk, 0, CLEAR)
    assert dropped_by_line(planned) == {}


def test_a_table_that_keeps_what_was_dropped_lists_the_ranges_it_brings_back(planned: Catalog, disk: LocalDisk):
    for index, subjects in enumerate((FLOOD, CLEAR, SET)):
        made(planned, disk, index, subjects)
    table = SignatureTable(2, (Signature("*|*|t[]hy", KEEP, "asked for"), *DEFAULT_TABLE.signatures))
    assert changed_by(planned, table).rows() == [("202303~a.b.test~000000", GROUP, 0, False, 3, 0)]


def test_a_table_that_drops_what_was_kept_lists_the_ranges_it_empties(planned: Catalog, disk: LocalDisk):
    for index, subjects in enumerate((FLOOD, CLEAR, SET)):
        made(planned, disk, index, subjects)
    table = SignatureTable(2, (*DEFAULT_TABLE.signatures, Signature("*|*|[]qy", DROP, "hash sets")))
    assert changed_by(planned, table).rows() == [("202303~a.b.test~000002", GROUP, 2, False, 0, 3)]


def test_readable_names_are_never_listed_and_equal_verdicts_list_nothing(planned: Catalog, disk: LocalDisk):
    made(planned, disk, 0, FLOOD + CLEAR + SET)
    assert changed_by(planned, replace(DEFAULT_TABLE, version=9)).is_empty()
    everything = SignatureTable(2, (Signature("*|*|*", DROP, "all"),))
    assert changed_by(planned, everything)["segments_gone"].to_list() == [3]


def test_what_a_run_under_the_new_table_makes_is_no_longer_listed(planned: Catalog, disk: LocalDisk):
    made(planned, disk, 0, FLOOD + SET)
    table = SignatureTable(2, (Signature("*|*|[]qy", DROP, "hash sets"), Signature("*|*|t[]hy", KEEP, "asked for")))
    assert changed_by(planned, table).select("segments_back", "segments_gone").rows() == [(3, 3)]
    made(planned, disk, 0, FLOOD + SET, table)
    assert changed_by(planned, table).is_empty()


LONE_HASHES = SignatureTable(1, (Signature("*|*|hy", DROP, "lone hashes"),))


def over_the_edge(catalog: Catalog, disk: LocalDisk, lower: int, table: SignatureTable) -> None:
    """A lone hash, half in range `lower` and half in the next one, under `table`."""
    record_signatures(catalog, table.signatures)
    for index, parts in ((lower, (1, 2)), (lower + 1, (3, 4))):
        made(catalog, disk, index, [f'"{HASHES[0]}" yEnc ({part}/4)' for part in parts], table)
    merge_edges(catalog, disk, Range(1, GROUP, lower, 1000))


def garbage_and_counters(catalog: Catalog) -> list[tuple[int, int]]:
    """What the counter of each owner says, and the sum of its garbage."""
    with catalog.transaction() as connection:
        return connection.execute(
            "SELECT counters.garbage, coalesce(sum(segments) FILTER (WHERE label <> ''), 0)::bigint FROM counters"
            " FULL JOIN verdicts USING (owner_id) LEFT JOIN labels ON label_id = dropped_by GROUP BY owner_id, 1 ORDER BY 1, 2"
        ).fetchall()


def test_garbage_of_an_edge_is_listed_with_the_edge_until_a_range_beside_it_is_made_again(
    planned: Catalog, disk: LocalDisk
):
    over_the_edge(planned, disk, 0, LONE_HASHES)
    made(planned, disk, 2, CLEAR, LONE_HASHES)
    merge_edges(planned, disk, Range(1, GROUP, 2, 1000))
    assert dropped_by_line(planned) == {"*|*|hy": Dropped("*|*|hy", 0, 1, 1, 4, 2800)}
    assert changed_by(planned, DEFAULT_TABLE).rows() == [("202303~a.b.test~000000", GROUP, 0, True, 4, 0)]
    record_signatures(planned, DEFAULT_TABLE.signatures)
    made(planned, disk, 0, [f'"{HASHES[0]}" yEnc ({part}/4)' for part in (1, 2)])
    merge_edges(planned, disk, Range(1, GROUP, 0, 1000))
    assert changed_by(planned, DEFAULT_TABLE).is_empty()
    assert changed_by(planned, LONE_HASHES).rows() == [("202303~a.b.test~000000", GROUP, 0, True, 0, 4)]


def test_an_edge_above_an_empty_range_names_the_range_above_it(catalog: Catalog, disk: LocalDisk):
    empty, above = (Range(1, GROUP, index, 100_000) for index in (0, 1))
    known_empty(catalog, [empty])
    plan(catalog, [PlannedRange(above, 202303, START)])
    record_signatures(catalog, LONE_HASHES.signatures)
    lines = [(above.first + part, f'"{HASHES[0]}" yEnc ({part}/4)') for part in (2, 3, 4)]
    made_of(catalog, disk, above, lines, LONE_HASHES)
    merge_edges(catalog, disk, above)
    assert changed_by(catalog, DEFAULT_TABLE).rows() == [(above.key(202303), GROUP, 0, True, 3, 0)]


def test_the_garbage_of_each_range_and_edge_adds_up_to_its_counter(planned: Catalog, disk: LocalDisk):
    over_the_edge(planned, disk, 0, LONE_HASHES)
    made(planned, disk, 2, FLOOD + SET + CLEAR)
    merge_edges(planned, disk, Range(1, GROUP, 2, 1000))
    assert garbage_and_counters(planned) == [(0, 0), (0, 0), (3, 3), (4, 4)]
    over_the_edge(planned, disk, 0, DEFAULT_TABLE)
    assert garbage_and_counters(planned) == [(0, 0), (0, 0), (0, 0), (3, 3)]


def test_the_snapshot_holds_all_garbage_by_range_line_and_signature(planned: Catalog, disk: LocalDisk, tmp_path: Path):
    source_number(planned, "main")
    over_the_edge(planned, disk, 0, LONE_HASHES)
    made(planned, disk, 2, FLOOD + CLEAR)
    with duckdb.connect() as shell:
        shell.execute("SET VARIABLE snapshot = ?", [str(write_snapshot(planned, tmp_path / "snapshot"))])
        shell.execute(duckdb_views("catalog"))
        rows = shell.execute(
            'SELECT source, "group", "range", is_edge, dropped_by, tool, files, segments, bytes FROM garbage ORDER BY "range"'
        ).fetchall()
    assert rows == [
        ("main", GROUP, 0, True, "*|*|hy", "", 1, 4, 2800),
        ("main", GROUP, 2, False, "*|*|t[]hy", "", 3, 3, 2100),
    ]


def test_a_recorded_table_stays_in_force_whatever_the_software_ships_with(catalog: Catalog):
    assert first_signatures(catalog, DEFAULT_TABLE.signatures) == DEFAULT_TABLE
    mine = record_signatures(catalog, LONE_HASHES.signatures)
    assert first_signatures(catalog, DEFAULT_TABLE.signatures) == current_signatures(catalog) == mine


def test_a_table_recorded_before_the_first_plan_is_not_replaced_by_the_shipped_one(catalog: Catalog):
    mine = record_signatures(catalog, LONE_HASHES.signatures)
    assert first_signatures(catalog, DEFAULT_TABLE.signatures) == current_signatures(catalog) == mine
