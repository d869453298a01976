"""`overlake signatures`: show the table, take another one, and say what it would change."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path

import pytest

from cli.signatures import app
from pipeline.signatures import DEFAULT_TABLE
from store.configuration import load
from store.postgres import EmbeddedPostgres


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory):
    place = tmp_path_factory.mktemp("project")
    subprocess.run([sys.executable, "-m", "cli", "init"], cwd=place, check=True)
    yield place
    EmbeddedPostgres(load(place / "overlake.toml").data / "postgres").stop()


@dataclass(frozen=True)
class Ran:
    returncode: int
    stdout: str
    stderr: str


def overlake(folder: Path, *arguments: str) -> Ran:
    """`overlake signatures ...` in this process: starting one for each call takes longer than all the rest."""
    stdout, stderr, before = io.StringIO(), io.StringIO(), Path.cwd()
    os.chdir(folder)
    try:
        with redirect_stdout(stdout), redirect_stderr(stderr):
            app(arguments[1:], exit_on_error=False, result_action="return_value")
            status = 0
    except SystemExit as ended:
        status = int(ended.code or 0)
    finally:
        os.chdir(before)
    return Ran(status, stdout.getvalue(), stderr.getvalue())


def test_the_table_shown_as_toml_can_be_used_and_changes_nothing(folder: Path):
    shown = overlake(folder, "signatures", "show", "--toml")
    assert shown.returncode == 0
    (folder / "table.toml").write_text(shown.stdout)
    used = overlake(folder, "signatures", "use", "table.toml", "--json")
    assert (used.returncode, json.loads(used.stdout)) == (0, [])
    told = json.loads(overlake(folder, "signatures", "show", "--json").stdout)
    assert told["version"] == 1
    assert [line["signature"] for line in told["signatures"]] == [line.signature for line in DEFAULT_TABLE.signatures]
    assert json.loads(overlake(folder, "signatures", "changes", "--json").stdout) == []


def test_another_table_is_another_version_and_the_shipped_one_can_be_taken_again(folder: Path):
    (folder / "one.toml").write_text('[[signature]]\nsignature = "*|*|qy1"\nverdict = "keep"\nreason = "wanted"\n')
    assert overlake(folder, "signatures", "use", "one.toml").returncode == 0
    told = json.loads(overlake(folder, "signatures", "show", "--json").stdout)
    assert [line["verdict"] for line in told["signatures"]] == ["keep"]
    assert overlake(folder, "signatures", "shipped").returncode == 0
    again = json.loads(overlake(folder, "signatures", "show", "--json").stdout)
    assert (again["version"] > told["version"], len(again["signatures"])) == (True, len(DEFAULT_TABLE.signatures))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "has no [[signature]] entry"),
        ("[[signature]", "is no TOML file"),
        ('[[signature]]\nsignature = "a|b|c"\n', "entry 1 must have"),
        ('[[signature]]\nsignature = "a|b"\nverdict = "drop"\nreason = "r"\n', "entry 1"),
        ('[[signature]]\nsignature = "a|b|c"\nverdict = "burn"\nreason = "r"\n', "verdict must be drop or keep"),
        ('[[signature]]\nsignature = "a|b|c"\nverdict = "drop"\nreason = ""\n', "must have a reason"),
    ],
)
def test_a_table_that_cannot_be_read_is_refused_and_nothing_changes(folder: Path, text: str, said: str):
    before = overlake(folder, "signatures", "show", "--json").stdout
    (folder / "bad.toml").write_text(text)
    ran = overlake(folder, "signatures", "use", "bad.toml")
    assert ran.returncode == 1
    assert said in ran.stderr
    assert overlake(folder, "signatures", "show", "--json").stdout == before


def test_a_missing_file_is_said(folder: Path):
    ran = overlake(folder, "signatures", "changes", "nowhere.toml")
    assert ran.returncode == 1
    assert "nowhere.toml cannot be read" in ran.stderr
