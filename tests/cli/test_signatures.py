"""`overlake signatures`: show the table, take another one, and say what it would change."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import polars as pl
import pytest
from command import Ran, overlake
from databases import Databases
from rich.prompt import Prompt

from cli.signatures import review
from pipeline import schema
from pipeline.batch import GroupList, Signature
from pipeline.materialize import materialize
from pipeline.ranges import Range
from pipeline.signatures import DEFAULT_TABLE
from store.catalog.commit import commit_range
from store.catalog.connection import Catalog
from store.catalog.planning import PlannedRange, Versions, plan
from store.catalog.signature_review import Evidence, edit, record_proposals
from store.configuration import load
from store.disk import LocalDisk


@pytest.fixture(scope="module")
def folder(databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("project")
    (place / "overlake.toml").write_text(f'[catalog]\ndsn = "{databases.new()}"\n')
    return place


def signatures(folder: Path, *arguments: str) -> Ran:
    return overlake(folder, "signatures", *arguments)


def answer(folder: Path, *arguments: str):
    ran = signatures(folder, *arguments, "--json")
    assert (ran.returncode, ran.stderr) == (0, "")
    return json.loads(ran.stdout)


def test_the_table_shown_as_toml_can_be_used_and_changes_nothing(folder: Path):
    before = answer(folder, "show")
    assert [line["signature"] for line in before["signatures"]] == [line.signature for line in DEFAULT_TABLE.signatures]
    (folder / "table.toml").write_text(signatures(folder, "show", "--toml").stdout)
    assert answer(folder, "use", "table.toml")["changes"] == []
    assert answer(folder, "use", "table.toml") == {"version": before["version"], "new": False, "changes": []}
    assert answer(folder, "show") == before
    assert "was in force already" in signatures(folder, "use", "table.toml").stdout


def test_another_table_is_another_version_and_the_shipped_one_can_be_taken_again(folder: Path):
    (folder / "one.toml").write_text('[[signature]]\nsignature = "*|*|qy1"\nverdict = "keep"\nreason = "wanted"\n')
    assert answer(folder, "use", "one.toml")["new"]
    told = answer(folder, "show")
    assert [line["verdict"] for line in told["signatures"]] == ["keep"]
    taken = answer(folder, "shipped")
    assert (taken["new"], taken["version"]) == (True, told["version"] + 1)
    assert len(answer(folder, "show")["signatures"]) == len(DEFAULT_TABLE.signatures)


def test_csv_is_read_as_toml_is(folder: Path):
    (folder / "one.csv").write_text(
        '\ufeffsignature,verdict,reason\n*|*|qy1,keep,"wanted, ""all"" of it"\n\ntool:Old,drop,x\n'
    )
    answer(folder, "use", "one.csv")
    shown = answer(folder, "show")["signatures"]
    lines = [Signature(line["signature"], line["verdict"], line["reason"]) for line in shown]
    assert lines == [Signature("*|*|qy1", "keep", 'wanted, "all" of it'), Signature("tool:Old", "drop", "x")]
    answer(folder, "shipped")


def test_ranges_that_would_change_are_listed_and_what_was_dropped_is_shown_with_its_line(folder: Path):
    group, start = "alt.binaries.test", dt.datetime(2023, 3, 1, tzinfo=dt.UTC)
    names = ("9f5c34f99c4a3471", "3b1f5ac08d3f4c0f")
    rows = [
        (
            n,
            f'{names[0]} [{n}/2] - "{name}" yEnc (1/1)',
            "Ann <ann@example.org>",
            start,
            f"{n}@example.org",
            "",
            700,
            "",
        )
        for n, name in enumerate(names, 1)
    ]
    range_ = Range(1, group, 0, 1000)
    overview = pl.DataFrame(rows, schema=schema.OVERVIEW.polars, orient="row")
    batch = materialize(overview, range_, GroupList(1, (group,)), DEFAULT_TABLE, lines=2, malformed=0, duplicate=0)
    settings = load(folder / "overlake.toml")
    answer(folder, "shipped")
    with Catalog.open(settings) as catalog:
        plan(catalog, [PlannedRange(range_, 202303, start)])
        commit_range(
            catalog, LocalDisk(settings.data), range_, batch, Versions(1, answer(folder, "show")["version"], "test")
        )
    assert answer(folder, "changes") == []
    (folder / "keep.toml").write_text('[[signature]]\nsignature = "*|*|*"\nverdict = "keep"\nreason = "all"\n')
    changed = {
        "partition_key": "202303~a.b.test~000000", "group": group, "range_index": 0, "is_edge": False,
        "segments_back": 2, "segments_gone": 0,
    }  # fmt: skip
    assert answer(folder, "changes", "keep.toml") == [changed]
    assert answer(folder, "changes") == [], "to ask changes nothing"
    said = signatures(folder, "use", "keep.toml").stdout
    assert "202303~a.b.test~000000" in said
    assert "overlake backfill --chunks-only" in said
    assert answer(folder, "changes") == [changed]
    told = answer(folder, "show")
    dropped = {"signature": "*|*|t[]hy", "ranges": 1, "edges": 0, "files": 2, "segments": 2, "bytes": 1400}
    assert told["dropped_by_earlier_tables"] == [dropped]
    answer(folder, "shipped")
    told = answer(folder, "show")
    assert {line["signature"]: line["dropped"] for line in told["signatures"] if line["dropped"]} == {
        "*|*|t[]hy": dropped
    }
    assert told["dropped_by_earlier_tables"] == []
    assert "*|*|t[]hy" in signatures(folder, "show").stdout


@pytest.mark.parametrize("name", ["bad.toml", "bad.csv", "nowhere.toml"])
def test_a_table_that_cannot_be_read_is_refused_and_nothing_changes(folder: Path, name: str):
    before = answer(folder, "show")
    (folder / "bad.toml").write_text('\n[[signature]]\nsignature = "a|b"\nverdict = "drop"\nreason = "r"\n')
    (folder / "bad.csv").write_text("signature,verdict,reason\n*|*|*,burn,r\n")
    said = {
        "bad.toml": "bad.toml: line 2: signature 'a|b' must be template|poster|subject",
        "bad.csv": "bad.csv: line 2: signature '*|*|*': verdict must be drop or keep, not 'burn'",
        "nowhere.toml": "nowhere.toml cannot be read: No such file or directory",
    }
    for command in ("use", "changes"):
        ran = signatures(folder, command, name)
        assert (ran.returncode, ran.stdout) == (1, "")
        assert said[name] in ran.stderr
    assert answer(folder, "show") == before


@pytest.fixture
def proposed(folder: Path) -> dict[str, int]:
    """Two open proposals, by signature."""
    facts = {
        "cost": "nothing", "articles": 9, "bytes": 9, "releases": 1, "random_share": 1.0, "completeness": None, "lifetime_days": None,
        "posters": 0, "crossposted": None, "article_bytes": 1, "groups": [], "tools": [], "members": [], "examples": [],
    }  # fmt: skip
    answer(folder, "shipped")
    with Catalog.open(load(folder / "overlake.toml")) as catalog:
        record_proposals(
            catalog,
            [
                Evidence(signature="pan|named|qy1", verdict="keep", reason="too few", **facts),
                Evidence(signature="pan|named|hy", verdict="drop", reason="a flood", **facts),
            ],
        )
    return {one["signature"]: one["proposal_id"] for one in answer(folder, "proposals")}


def test_proposals_are_decided_by_number_and_the_accepted_ones_are_in_force(folder: Path, proposed: dict[str, int]):
    keep, drop = str(proposed["pan|named|qy1"]), str(proposed["pan|named|hy"])
    told = answer(folder, "review", "--accept", keep, "--reject", drop)
    assert (told["accepted"], told["rejected"]) == ([int(keep)], [int(drop)])
    table = answer(folder, "show")
    assert (table["version"], table["signatures"][0]["signature"]) == (told["version"], "pan|named|qy1")
    assert answer(folder, "proposals") == []
    assert {one["state"] for one in answer(folder, "proposals", "--all")} == {"accepted", "rejected"}
    ran = signatures(folder, "review", "--accept", drop)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert "no open proposal has the number" in ran.stderr
    answer(folder, "shipped")


def test_what_is_stale_is_listed_with_what_it_would_save(folder: Path):
    answer(folder, "use", "keep.toml")
    told = answer(folder, "--stale")
    assert [row["partition_key"] for row in told["changes"]] == ["202303~a.b.test~000000"]
    assert (told["segments_back"], told["segments_gone"]) == (2, 0)
    answer(folder, "shipped")
    assert answer(folder, "stale")["changes"] == []


def test_a_person_is_asked_proposal_by_proposal_and_may_edit(
    folder: Path, proposed: dict[str, int], monkeypatch: pytest.MonkeyPatch
):
    answers = iter(["e", "pan|named|*y1", "keep", "few", "q"])
    monkeypatch.setattr(Prompt, "ask", lambda *_, **__: next(answers))
    with Catalog.open(load(folder / "overlake.toml")) as catalog:
        edit(catalog, proposed["pan|named|qy1"], Signature("pan|named|qy1", "keep", "too few"))
    review(config=folder / "overlake.toml")
    assert answer(folder, "show")["signatures"][0] == {
        "signature": "pan|named|*y1",
        "verdict": "keep",
        "reason": "few",
        "dropped": None,
    }
    answer(folder, "shipped")
