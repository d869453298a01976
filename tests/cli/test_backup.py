"""`overlake backup` and `restore` as a user runs them: from an embedded Postgres into an empty folder, with the same NZBs."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import polars as pl
import pytest
from command import overlake
from databases import server_folder

from pipeline import schema
from pipeline.batch import GroupList
from pipeline.materialize import materialize
from pipeline.ranges import Range
from pipeline.signatures import DEFAULT_TABLE
from server import nzb
from server.library import Library
from store.catalog.commit import commit_range
from store.catalog.planning import PlannedRange, Versions, plan
from store.catalog.search import Search, search
from store.configuration import load
from store.postgres import EmbeddedPostgres
from store.stores import open_stores

GROUP = "alt.binaries.example"
START = dt.datetime(2023, 3, 1, tzinfo=dt.UTC)


@pytest.fixture(scope="module")
def projects() -> Iterator[Path]:
    """A folder with an index `first` of some releases, and an empty one `second`."""
    with server_folder() as folder:
        for project in ("first", "second"):
            assert overlake(folder, "init", project).returncode == 0
        rows = [
            (
                500_000 + 10 * disc + part,
                f'Debian.{disc} [1/1] - "debian.{disc}.iso" yEnc ({part}/9)',
                f"Ann <ann@{disc}.example.org>",
            )
            for disc in range(20)
            for part in range(1, 10)
        ]
        overview = pl.DataFrame(
            [
                (number, subject, poster, START, f"{number}@example.org", "", 700_000, "")
                for number, subject, poster in rows
            ],
            schema=schema.OVERVIEW.polars,
            orient="row",
        )
        range_ = Range(1, GROUP, 0, 2_000_000)
        groups = GroupList(1, (GROUP,))
        batch = materialize(overview, range_, groups, DEFAULT_TABLE, lines=180, malformed=0, duplicate=0)
        settings = load(folder / "first" / "overlake.toml")
        try:
            with open_stores(settings) as stores:
                plan(stores.catalog, [PlannedRange(range_, 202303, START)])
                commit_range(stores.catalog, stores.disk, range_, batch, Versions(1, 1, "test"))
            yield folder
        finally:
            for project in ("first", "second"):
                EmbeddedPostgres(folder / project / "data" / "postgres").stop()


def nzbs(project: Path) -> dict[UUID, bytes]:
    with open_stores(load(project / "overlake.toml")) as stores:
        library = Library(stores.catalog, stores.disk)
        return {
            release.id: nzb.nzb(release, nzb.merge(library.content(release.id)))
            for release in search(stores.catalog, Search()).releases
        }


def test_what_is_restored_into_an_empty_folder_serves_the_same_bytes(projects: Path) -> None:
    first, second, folder = projects / "first", projects / "second", projects / "backup"
    done = overlake(first, "backup", str(folder), "--with-chunks", "--json")
    assert done.returncode == 0, done.stderr
    made = json.loads(done.stdout)
    assert (made["chunk_files"], made["with_chunks"], made["left_out"]) == (1, True, {})
    again = overlake(first, "backup", str(folder), "--with-chunks")
    assert (again.returncode, "1 chunk files" in again.stdout) == (0, True)

    restored = overlake(second, "restore", str(folder))
    assert restored.returncode == 0, restored.stderr
    assert "overlake reconcile" in restored.stdout
    expected = nzbs(first)
    assert len(expected) == 20
    assert nzbs(second) == expected
    assert overlake(second, "chunks", "verify").returncode == 0

    twice = overlake(second, "restore", str(folder))
    assert (twice.returncode, "the catalog is not empty" in twice.stderr) == (1, True)
    assert nzbs(second) == expected


def test_what_cannot_be_done_is_said_in_a_sentence(projects: Path, tmp_path: Path) -> None:
    (tmp_path / "letters").write_text("not a backup")
    for arguments, sentence in (
        (("backup", str(tmp_path)), "something else than a backup"),
        (("backup", "data"), "something else than a backup"),
        (("backup", str(tmp_path / "letters")), "File exists"),
        (("restore", str(tmp_path)), "holds no finished backup"),
        (("restore", str(tmp_path / "nothing")), "holds no finished backup"),
    ):
        done = overlake(projects / "first", *arguments)
        assert done.returncode == 1, arguments
        assert sentence in done.stderr, (arguments, done.stderr)
        assert "Traceback" not in done.stderr
    assert (tmp_path / "letters").read_text() == "not a backup"
