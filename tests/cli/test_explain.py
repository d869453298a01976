"""`overlake explain`: what is read from subjects and lines, and why a release of an index is as it is."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path
from uuid import uuid4

import polars as pl
import pytest
from command import overlake
from databases import Databases

from pipeline import schema
from pipeline.batch import GroupList
from pipeline.materialize import materialize
from pipeline.ranges import Range
from pipeline.signatures import DEFAULT_TABLE
from store.catalog.commit import commit_range
from store.catalog.planning import PlannedRange, Versions, plan
from store.catalog.search import Search, search
from store.configuration import load
from store.stores import open_stores

GROUP = "alt.binaries.test"
KEYS = ["kind", "segment", "segments", "file", "files", "filename", "release", "repost", "request_id", "tool", "rule"]


def test_json_is_one_object_a_line_with_exactly_these_keys(tmp_path: Path):
    lines = [
        'Faust.1926 [06/51] - "faust.r00" yEnc (3/66)',
        "8b33bf5960714efb93cc6d8a41e0f7b2",
        "kX92mQz7LpT4vRbW (3/50)",
        "Re: hello",
    ]
    ran = overlake(tmp_path, "explain", "--json", stdin="\n".join(lines).encode())
    rows = [json.loads(line) for line in ran.stdout.splitlines()]
    assert (ran.returncode, [row["kind"] for row in rows]) == (0, ["file", "random", "obfuscated", "text"])
    assert [list(row) for row in rows] == [KEYS] * 4
    assert (rows[0]["file"], rows[0]["files"], rows[0]["segment"], rows[0]["segments"]) == (6, 51, 3, 66)
    assert {value for key, value in rows[3].items() if key not in {"kind", "rule"}} == {None}


def test_a_line_that_cannot_be_read_is_named_and_the_others_are_printed(tmp_path: Path):
    line = (
        b'7\t"f.rar" yEnc (1/2)\tAnn <a@example.org>\tMon, 02 Dec 2024 10:00:00 +0000\t<x@example.org>\t\t100\t1\t\r\n'
    )
    ran = overlake(tmp_path, "explain", "--json", stdin=line + b"a\tb\n")
    assert (ran.returncode, len(ran.stdout.splitlines())) == (1, 1)
    assert "line 2" in ran.stderr


@pytest.fixture(scope="module")
def project(databases: Databases, tmp_path_factory: pytest.TempPathFactory):
    """A project whose index holds one release of a named poster and a set of names drawn for each file."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "overlake.toml").write_text(f'[catalog]\ndsn = "{databases.new()}"\n')
    settings = load(folder / "overlake.toml")
    start = dt.datetime(2023, 3, 1, tzinfo=dt.UTC)
    drawn = ["9f5c34f99c4a34718b33bf5960714efb", "3b1f5ac08d3f4c0f9a8f2b7c6d5e4f3a"]
    subjects = [f'Debian.12 [{n}/3] - "debian.part{n}.rar" yEnc (1/1)' for n in (1, 2)]
    subjects += [f'[{n}/2] - "{name}.part{n}.rar" yEnc (1/1)' for n, name in enumerate(drawn, 1)]
    rows = [
        (500_000 + n, subject, "Ann <ann@example.org>", start, f"{n}@example.org", "", 100, "")
        for n, subject in enumerate(subjects)
    ]
    overview = pl.DataFrame(rows, schema=schema.OVERVIEW.polars, orient="row")
    range_ = Range(1, GROUP, 0, 2_000_000)
    batch = materialize(overview, range_, GroupList(1, (GROUP,)), DEFAULT_TABLE, lines=4, malformed=0, duplicate=0)
    with open_stores(settings) as stores:
        plan(stores.catalog, [PlannedRange(range_, 202303, start)])
        commit_range(stores.catalog, stores.disk, range_, batch, Versions(1, 1, "test"))
        found = {one.grouped_by: one for one in search(stores.catalog, Search()).releases}
    return folder, found


def test_a_release_tells_why_it_is_as_it_is(project):
    folder, found = project
    ran = overlake(folder, "explain", "release", str(found["title"].id), "--json")
    assert not ran.stderr
    told = json.loads(ran.stdout)
    assert (told["files"], told["files_expected"], told["why_named"]) == (2, 3, "the title in its subjects")
    (record,) = told["made_of"]
    assert [file["identity"] for file in record["files"]] == ["ann<ann@example.org> |  | debian12 | 3"] * 2
    shown = overlake(folder, "explain", "release", str(found["title"].id)).stdout
    assert "2 of 3 files" in shown
    assert "have the same title" in shown


def test_names_drawn_for_each_file_are_told_with_both_identities(project):
    folder, found = project
    told = json.loads(overlake(folder, "explain", "release", str(found["counter"].id), "--json").stdout)
    files = [file for record in told["made_of"] for file in record["files"]]
    assert len({file["pool"] for file in files}) == 1
    assert len({file["identity"] for file in files}) == 2


def test_an_unknown_release_is_refused_with_a_sentence(project):
    folder, _ = project
    ran = overlake(folder, "explain", "release", str(uuid4()))
    assert ran.returncode == 1
    assert "there is no release" in ran.stderr
