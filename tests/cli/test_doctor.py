from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from command import overlake
from databases import Databases
from provider_in_a_thread import running_provider

import cli.doctor
from cli.doctor import Finding, examine
from simulator.history import DEFAULT, planned_history
from store.catalog.connection import look_at

CONFIGURATION = """\
[provider]
host = "127.0.0.1"
port = {port}
tls = false
username = "reader"
[catalog]
dsn = "{dsn}"
"""


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    history = planned_history(1, ("alt.binaries.linux",), (1_000,), (2024,), DEFAULT, 0)
    blocks = tmp_path_factory.mktemp("blocks")
    with running_provider(history, blocks, username="reader", password="right") as (number,):
        yield number


@pytest.fixture
def index(databases: Databases, port: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("OVERLAKE_PROVIDER__PASSWORD", "right")
    (tmp_path / "overlake.toml").write_text(CONFIGURATION.format(port=port, dsn=databases.new()))
    return tmp_path / "overlake.toml"


def bad(config: Path) -> list[Finding]:
    return [finding for finding in examine(config) if not finding.ok]


def test_a_sound_index_is_well_in_every_point(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli.doctor, "FREE_GIB", 0)
    findings = list(examine(index))
    assert [finding for finding in findings if not finding.ok] == []
    looked_at = [finding.check for finding in findings]
    for check in (
        "versions",
        "configuration",
        "provider",
        "storage of the lake",
        "storage of the chunks",
        "database",
        "migrations",
    ):
        assert check in looked_at
    assert sum(check.startswith("clock") for check in looked_at) == 2
    assert [file for file in (index.parent / "data").rglob("*") if file.is_file()] == []


def test_each_account_logs_in_by_itself(index: Path) -> None:
    index.write_text(index.read_text() + '[provider.accounts.block]\nusername = "reader"\npassword = "wrong"\n')
    (refused,) = [finding for finding in bad(index) if finding.check.startswith("provider")]
    assert refused.check == "provider.accounts.block"
    assert refused.cure == "check provider.username and provider.password"


def test_storage_that_cannot_be_written_is_named(index: Path) -> None:
    (index.parent / "file").write_text("not a folder")
    index.write_text(index.read_text() + '[storage]\nchunks = "file/chunks"\n')
    (found,) = [finding for finding in bad(index) if finding.check.startswith("storage")]
    assert found.check == "storage of the chunks"
    assert found.cure


def test_migrations_that_are_missing_or_unknown_are_named(index: Path) -> None:
    dsn = index.read_text().split('dsn = "')[1].split('"')[0]
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("DELETE FROM _yoyo_migration WHERE migration_id LIKE '0003%'")
    assert [name[:4] for name in look_at(dsn).pending] == ["0003"]
    (found,) = [finding for finding in bad(index) if finding.check == "migrations"]
    assert "backup" in found.cure
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(
            "INSERT INTO _yoyo_migration (migration_hash, migration_id) VALUES ('from the future', '9999.later')"
        )
    (found,) = [finding for finding in bad(index) if finding.check == "migrations"]
    assert found.cure.startswith("update Overlake")


def test_a_clock_that_is_wrong_and_a_disk_that_is_full_are_found(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cli.doctor, "FREE_GIB", 10**9)
    monkeypatch.setattr(cli.doctor, "CLOCK", cli.doctor.timedelta(seconds=-1))
    found = {finding.check.split()[0]: finding for finding in bad(index)}
    assert set(found) == {"space", "clock"}
    assert "NTP" in found["clock"].cure
    assert "free some" in found["space"].cure


def test_the_command_ends_with_1_and_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "overlake.toml").write_text("[provider]\nhots = 1\n")
    done = overlake(tmp_path, "doctor", "--json")
    assert done.returncode == 1
    found = {finding["check"]: finding for finding in json.loads(done.stdout)}
    assert found["configuration"]["cure"] == "did you mean host?"
    (tmp_path / "overlake.toml").write_text("")
    done = overlake(tmp_path, "doctor")
    assert done.returncode == 1
    assert "provider.host is not set" in done.stdout
    assert "not made yet" in done.stdout
    assert not (tmp_path / "data" / "postgres").exists()
