from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from pydantic import SecretStr

from store.catalog.connection import Catalog, CatalogTooNew, CatalogUnavailable, migrate
from store.configuration import Catalog as CatalogSettings
from store.configuration import Settings
from store.postgres import EmbeddedPostgres


def test_both_databases_are_made_and_opening_again_changes_nothing(server_folder: Path):
    settings = Settings(data=server_folder)
    for _ in range(2):
        with Catalog.open(settings) as catalog, catalog.transaction() as connection:
            assert connection.execute("SELECT count(*) FROM ranges").fetchone() == (0,)
            names = {name for (name,) in connection.execute("SELECT datname FROM pg_database")}
        assert {"overlake", "overlake_dagster"} <= names
        assert catalog.dagster_dsn.startswith("postgresql+psycopg2://")


def test_a_killed_server_is_started_again(server_folder: Path):
    with Catalog.open(Settings(data=server_folder)) as catalog:
        with catalog.transaction() as connection:
            connection.execute("INSERT INTO sources VALUES (1, 'main')")
        assert catalog.postgres is not None
        pid = catalog.postgres.pid
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        catalog.postgres.start()
        with catalog.transaction() as connection:
            assert connection.execute("SELECT name FROM sources").fetchall() == [("main",)]
        catalog.postgres.stop()
        with catalog.transaction() as connection:
            assert connection.execute("SELECT name FROM sources").fetchall() == [("main",)]


def test_a_server_that_is_down_is_told_in_one_sentence(tmp_path: Path):
    dsn = SecretStr("postgresql://reader:very-secret@127.0.0.1:1/overlake")
    with pytest.raises(CatalogUnavailable, match=r"does not answer.*start it, or check catalog\.dsn") as caught:
        Catalog.open(Settings(data=tmp_path, catalog=CatalogSettings(dsn=dsn)))
    assert "very-secret" not in str(caught.value)


def test_an_own_server_is_used_by_its_address(postgres: EmbeddedPostgres, tmp_path: Path):
    postgres.create_database("own")
    with Catalog.open(Settings(data=tmp_path, catalog=CatalogSettings(dsn=SecretStr(postgres.dsn("own"))))) as catalog:
        assert catalog.postgres is None
        assert "/own_dagster" in catalog.dagster_dsn
        with catalog.transaction() as connection:
            assert connection.execute("SELECT count(*) FROM releases").fetchone() == (0,)


def test_a_database_of_newer_software_is_refused(postgres: EmbeddedPostgres):
    postgres.create_database("newer")
    dsn = postgres.dsn("newer")
    migrate(dsn)
    with psycopg.connect(dsn) as connection:
        connection.execute("INSERT INTO _yoyo_migration (migration_hash, migration_id) VALUES ('x', '9999.later')")
    with pytest.raises(CatalogTooNew, match=r"9999\.later.*update Overlake"):
        migrate(dsn)


def test_a_block_that_raises_leaves_nothing(catalog: Catalog):
    def insert_and_fail() -> None:
        with catalog.transaction() as connection:
            connection.execute("INSERT INTO sources VALUES (1, 'main')")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        insert_and_fail()
    with catalog.transaction() as connection:
        assert connection.execute("SELECT count(*) FROM sources").fetchone() == (0,)


@pytest.mark.parametrize(
    ("state", "advice"),
    [("53100", "is full .*; free some space and run again"), ("58030", r"fails .*; check it \(kernel log\)")],
)
def test_what_the_disk_of_the_server_refuses_is_told_and_nothing_kept(catalog: Catalog, state: str, advice: str):
    refused = (
        f"INSERT INTO sources VALUES (7, 'main'); DO $$BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{state}'; END$$"
    )
    with pytest.raises(CatalogUnavailable, match=advice), catalog.transaction() as connection:
        connection.execute(refused.encode())
    with catalog.transaction() as connection:
        assert connection.execute("SELECT FROM sources WHERE source_id = 7").fetchall() == []


STOPPED = """
import os, signal, sys
from store.catalog.connection import Catalog
with Catalog(sys.argv[1], "", silence=1.0) as catalog, catalog.transaction() as connection:
    connection.execute("SELECT pg_advisory_xact_lock(1, 1)")
    print("held", flush=True)
    os.kill(os.getpid(), signal.SIGSTOP)
    connection.execute("SELECT 1")
"""


def test_what_a_stopped_process_had_locked_is_free_again_and_it_is_told(catalog: Catalog):
    stopped = subprocess.Popen(
        [sys.executable, "-c", STOPPED, catalog.dsn], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert stopped.stdout is not None
    assert stopped.stdout.readline() == "held\n"
    with catalog.transaction() as connection:
        connection.execute("SET LOCAL statement_timeout = '60s'")
        connection.execute("SELECT pg_advisory_xact_lock(1, 1)")
    stopped.send_signal(signal.SIGCONT)
    _, said = stopped.communicate(timeout=60)
    assert stopped.returncode == 1
    assert "CatalogUnavailable: this process said nothing for catalog.silence_seconds" in said
