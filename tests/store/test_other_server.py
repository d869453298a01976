"""The same catalog on a server of one's own: Debian's PostgreSQL, over TCP with a password, by `catalog.dsn`."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
import stamina
from catalog_batches import VERSIONS, Piece, at, batch_of, planned
from databases import server_folder
from missing import MissingProgram

from store.catalog.commit import commit_range
from store.catalog.connection import Catalog, CatalogUnavailable
from store.catalog.search import Search, search
from store.configuration import Settings
from store.disk import LocalDisk

PASSWORD = "a password with % and @"
ESCAPED = "a%20password%20with%20%25%20and%20%40"


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """A server of Debian's newest PostgreSQL with an empty database `index`."""
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    if not versions:
        raise MissingProgram("PostgreSQL is missing; install it: apt-get install postgresql")
    programs = versions[-1].parent
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        free = int(probe.getsockname()[1])
    with server_folder() as folder:
        (folder / "password").write_text(PASSWORD)
        as_user: list[str] = []
        if os.geteuid() == 0:
            folder.chmod(0o755)
            (folder / "data").mkdir()
            for path in (folder / "data", folder / "password"):
                shutil.chown(path, "nobody")
            as_user = ["setpriv", "--reuid=nobody", "--clear-groups"]
        subprocess.run(
            [
                *as_user,
                programs / "initdb",
                "-D",
                folder / "data",
                "-U",
                "owner",
                "-A",
                "scram-sha-256",
                "--pwfile",
                folder / "password",
                "-E",
                "UTF8",
            ],
            check=True,
            capture_output=True,
        )
        options = (
            "-c",
            f"port={free}",
            "-c",
            "listen_addresses=127.0.0.1",
            "-c",
            "unix_socket_directories=",
            "-c",
            "fsync=off",
        )
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(
                [*as_user, programs / "postgres", "-D", folder / "data", *options], stdout=log, stderr=log
            )
        try:
            _create_database(free)
            yield free
        finally:
            server.terminate()
            server.wait(20)


def _create_database(port: int) -> None:
    for attempt in stamina.retry_context(
        on=psycopg.OperationalError, attempts=None, timeout=20, wait_initial=0.05, wait_max=0.2
    ):
        with attempt, psycopg.connect(_dsn(port, "postgres"), autocommit=True) as connection:
            connection.execute("CREATE DATABASE index")


def _dsn(port: int, database: str) -> str:
    return f"postgresql://owner:{ESCAPED}@127.0.0.1:{port}/{database}"


def test_the_catalog_lives_on_a_server_of_ones_own(port: int, tmp_path: Path) -> None:
    settings = Settings.model_validate({"data": tmp_path, "catalog": {"dsn": _dsn(port, "index")}})
    with Catalog.open(settings) as catalog:
        planned(catalog, 1)
        committed = commit_range(
            catalog, LocalDisk(tmp_path), at(0), batch_of([Piece("debian"), Piece("fedora")]), VERSIONS
        )
        assert committed.records == 2
        assert [found.name for found in search(catalog, Search(text="debian")).releases] == ["debian-disc"]
        dagster = catalog.dagster_dsn
    assert dagster.startswith("postgresql+psycopg2://")
    with psycopg.connect(dagster.replace("+psycopg2", "")) as connection:
        assert connection.info.dbname == "index_dagster"
    # Opened again, it is all there.
    with Catalog.open(settings) as catalog:
        assert search(catalog, Search()).total == 2
    assert not (tmp_path / "postgres").exists()


def test_a_wrong_password_is_one_sentence_without_the_password(port: int, tmp_path: Path) -> None:
    dsn = f"postgresql://owner:wr0ng-secret@127.0.0.1:{port}/index"
    with pytest.raises(CatalogUnavailable) as raised:
        Catalog.open(Settings.model_validate({"data": tmp_path, "catalog": {"dsn": dsn}}))
    assert "wr0ng-secret" not in str(raised.value)
    assert "catalog.dsn" in str(raised.value)
