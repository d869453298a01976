"""What the signature table dropped is counted, and another table lists the ranges it would change."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import polars as pl
import pytest

from pipeline import schema
from pipeline.batch import GroupList, Signature, SignatureTable
from pipeline.materialize import materialize
from pipeline.ranges import Range
from pipeline.signatures import DEFAULT_TABLE, DROP, KEEP
from store.catalog.commit import commit_range
from store.catalog.connection import Catalog
from store.catalog.edges import merge_edges
from store.catalog.planning import PlannedRange, Versions, group_seen, plan
from store.catalog.signatures import changed_by, dropped_by_line
from store.catalog.versions import record_signatures
from store.disk import LocalDisk

GROUP = "alt.binaries.test"
START = dt.datetime(2023, 3, 1, tzinfo=dt.UTC)
HASHES = ["9f5c34f99c4a34718b33bf5960714efb", "3b1f5ac08d3f4c0f9a8f2b7c6d5e4f3a", "c0ffee1234564abc8def0123456789ab"]
FLOOD = [f'9f5c34f99c4a3471 [{n}/3] - "{name[:16]}" yEnc (1/1)' for n, name in enumerate(HASHES, 1)]
SET = [f'[{n}/3] - "{HASHES[0]}.part{n}.rar" yEnc (1/1)' for n in (1, 2, 3)]
CLEAR = [f'Debian.12 [{n}/3] - "debian.part{n}.rar" yEnc (1/1)' for n in (1, 2, 3)]


def made(catalog: Catalog, disk: LocalDisk, index: int, subjects: list[str], table: SignatureTable = DEFAULT_TABLE):
    range_ = Range(1, GROUP, index, 1000)
    rows = [
        (index * 1000 + 400 + n, subject, "Ann <ann@example.org>", START, f"{index}.{n}@example.org", "", 700, "")
        for n, subject in enumerate(subjects)
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
    assert batch.counters.garbage == batch.garbage["segments"].sum() == 3
    (line,) = dropped_by_line(planned).values()
    assert (line.signature, line.ranges, line.files, line.segments, line.bytes) == ("*|*|t[]hy", 1, 3, 3, 2100)
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


def test_garbage_of_an_edge_is_counted_with_the_edge(planned: Catalog, disk: LocalDisk):
    half = [f'"{HASHES[0]}" yEnc ({i}/4)' for i in (1, 2)]
    other = [f'"{HASHES[0]}" yEnc ({i}/4)' for i in (3, 4)]
    table = SignatureTable(1, (Signature("*|*|hy", DROP, "lone hashes"),))
    record_signatures(planned, table.signatures)
    for index, subjects in enumerate((half, other, CLEAR)):
        made(planned, disk, index, subjects, table)
    merge_edges(planned, disk, Range(1, GROUP, 0, 1000))
    assert dropped_by_line(planned)["*|*|hy"].segments == 4
    found = changed_by(planned, DEFAULT_TABLE)
    assert found.select("range_index", "is_edge", "segments_back").rows() == [(0, True, 4)]
