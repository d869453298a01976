"""A lake in object storage: `overlake sql` reads it, `overlake shell` says that it cannot and opens with the rest."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import polars as pl
import pytest
from command import clean_environment, overlake
from databases import Databases
from object_service import ObjectService, running_service

from pipeline import schema
from pipeline.planning import PlannedRange
from pipeline.ranges import Range
from store.catalog.connection import Catalog
from store.catalog.planning import plan, source_number
from store.configuration import load
from store.lake import Lake, OverviewMeta
from store.stores import lake_disk

START = datetime(2013, 3, 1, tzinfo=UTC)
GROUP = "alt.binaries.linux"
ASKED = 'SELECT source, "group", "range", era, count(*) AS lines FROM overview GROUP BY ALL'


@pytest.fixture(scope="module")
def service() -> Iterator[ObjectService]:
    with running_service() as running:
        yield running


@pytest.fixture
def folder(databases: Databases, service: ObjectService, tmp_path: Path) -> Path:
    """An index that has one range planned."""
    (tmp_path / "overlake.toml").write_text(
        f'[catalog]\ndsn = "{databases.new()}"\n[storage]\nlake = "s3://{service.bucket()}/a/lake"\nendpoint = "{service.endpoint}"\n'
    )
    with Catalog.open(load(tmp_path / "overlake.toml")) as catalog:
        source_number(catalog, "main")
        plan(catalog, [PlannedRange(Range(1, GROUP, 7, 1_000), 201303, START)])
    return tmp_path


def ask(folder: Path, *arguments: str):
    ran = overlake(folder, *arguments, environment=clean_environment() | service_keys())
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout), ran.stderr


def service_keys() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name.startswith("AWS_")}


def test_lines_in_a_bucket_are_read_and_the_shell_says_that_it_has_no_view_of_them(folder: Path):
    assert ask(folder, "sql", ASKED, "--format", "json")[0] == [], "before anything is fetched"
    lake = Lake(lake_disk(load(folder / "overlake.toml")))
    line = {"number": 7_001, "subject": "s", "poster": "p", "posted_at": START, "message_id": "1@x", "references": ""}
    with lake.writer("main", Range(1, GROUP, 7, 1_000)) as writer:
        writer.append(pl.DataFrame([line | {"bytes": 7, "xref": ""}], schema=schema.OVERVIEW.polars))
        writer.commit(OverviewMeta("main", GROUP, 7_000, 7_999, START, "", "plain", 1))
    found, _ = ask(folder, "sql", ASKED, "--format", "json")
    assert found == [{"source": "main", "group": GROUP, "range": 7, "era": 201303, "lines": 1}]

    rows, said = ask(folder, "shell", "--json", "-e", "SELECT era FROM ranges LEFT JOIN files ON false")
    assert rows == [{"era": 201303}]
    assert "No view `overview`: the lake is in object storage, which DuckDB reads in `overlake sql` only.\n" in said
    assert "Error" not in said

    figures, _ = ask(folder, "report", "--json")
    assert "bytes_by_era" in figures["figures"]
