"""The views DuckDB has over an index: what they hold, and what a condition leaves unread."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest

from pipeline import schema
from pipeline.planning import PlannedRange
from pipeline.ranges import Range
from store.catalog.connection import Catalog
from store.catalog.planning import plan, source_number
from store.configuration import Settings
from store.disk import LocalDisk
from store.lake import Lake, OverviewMeta
from store.lakehouse import lakehouse
from store.stores import Stores

START = datetime(2013, 3, 1, tzinfo=UTC)
GROUP = "alt.binaries.linux"
LINES = 1_000


@pytest.fixture
def stores(catalog: Catalog, tmp_path: Path) -> Stores:
    data = tmp_path / "it's data"
    disk = LocalDisk(data)
    return Stores(Settings(data=data), catalog, disk, Lake(disk))


def overview(first: int) -> pl.DataFrame:
    rows = [
        {
            "number": first + n,
            "subject": f"line {n}",
            "poster": "p",
            "posted_at": START,
            "message_id": f"{first + n}@x",
            "references": "",
            "bytes": 700_000 + n,
            "xref": "",
        }
        for n in range(LINES)
    ]
    return pl.DataFrame(rows, schema=schema.OVERVIEW.polars)


def write(stores: Stores, index: int) -> None:
    range_ = Range(1, GROUP, index, LINES)
    with stores.lake.writer("main", range_) as writer:
        writer.append(overview(range_.first))
        writer.commit(OverviewMeta("main", GROUP, range_.first, range_.last, START, "", "plain", 1))


def test_views_are_there_before_anything_was_fetched(stores: Stores):
    with lakehouse(stores) as duckdb:
        for view in (
            "overview",
            "ranges",
            "counters",
            "releases",
            "records",
            "chunk_files",
            "samples",
            "signatures",
            "garbage",
            "files",
            "chunks",
        ):
            assert duckdb.execute(f"SELECT count(*) FROM {view}").fetchone() == (0,), view


def test_a_line_knows_its_source_group_range_and_era(stores: Stores):
    source_number(stores.catalog, "main")
    plan(stores.catalog, [PlannedRange(Range(1, GROUP, 7, LINES), 201303, START)])
    write(stores, 7)
    write(stores, 8)  # not planned any more
    with lakehouse(stores) as duckdb:
        found = duckdb.execute(
            'SELECT source, "group", "range", era, count(*), sum(bytes) FROM overview GROUP BY ALL ORDER BY "range"'
        ).fetchall()
    total = overview(0)["bytes"].sum()
    assert found == [("main", GROUP, 7, 201303, LINES, total), ("main", GROUP, 8, None, LINES, total)]


@pytest.mark.parametrize("condition", ["era = 201302", '"range" = 2', "source = 'main' AND era < 201303"])
def test_a_condition_on_group_range_or_era_leaves_other_files_unread(stores: Stores, condition: str):
    source_number(stores.catalog, "main")
    plan(stores.catalog, [PlannedRange(Range(1, GROUP, index, LINES), 201300 + index, START) for index in range(1, 5)])
    write(stores, 1)  # the first one tells the columns
    write(stores, 2)
    with lakehouse(stores) as duckdb:
        for index in (3, 4):
            # Whoever reads its footer fails.
            path = Path(stores.lake.disk.location(stores.lake.overview_path("main", Range(1, GROUP, index, LINES))))
            path.write_bytes(b"PAR1 damaged")
        assert duckdb.execute(f'SELECT count(subject) FROM overview WHERE {condition} AND "range" > 1').fetchone() == (
            LINES,
        )
