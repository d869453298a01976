from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg
import pytest

from store.catalog.connection import Catalog, migrate
from store.disk import LocalDisk
from store.postgres import EmbeddedPostgres

sys.path.insert(0, str(Path(__file__).parent))

_NUMBERS = count(1)


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedPostgres]:
    """One embedded server for all tests, with a migrated database to copy."""
    with _folder() as folder:
        server = EmbeddedPostgres(folder / "postgres")
        server.start()
        with psycopg.connect(server.dsn(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET fsync = off")  # these tests end processes, not the machine
            connection.execute("SELECT pg_reload_conf()")
        server.create_database("migrated")
        migrate(server.dsn("migrated"))
        yield server
        server.stop()


@pytest.fixture
def server_folder() -> Iterator[Path]:
    """A folder for a server of the test's own."""
    with _folder() as folder:
        yield folder
        EmbeddedPostgres(folder / "postgres").stop()


@contextmanager
def _folder() -> Iterator[Path]:
    # Not pytest's: every pytest that starts closes its base folder to other users, such as the one the server of root runs as.
    with TemporaryDirectory(prefix="overlake-test-") as name:
        yield Path(name)


@pytest.fixture
def fresh_catalog(postgres: EmbeddedPostgres) -> Iterator[FreshCatalogs]:
    """Makes catalogs of their own. Their databases go with the server: to drop one costs a checkpoint."""
    made = FreshCatalogs(postgres)
    yield made
    made.close()


@pytest.fixture
def catalog(fresh_catalog: FreshCatalogs) -> Catalog:
    return fresh_catalog()


@pytest.fixture
def disk(tmp_path: Path) -> LocalDisk:
    return LocalDisk(tmp_path / "disk")


class FreshCatalogs:
    def __init__(self, postgres: EmbeddedPostgres) -> None:
        self._postgres = postgres
        self._catalogs: list[Catalog] = []

    def __call__(self) -> Catalog:
        name = f"catalog_{next(_NUMBERS)}"
        self._execute(f"CREATE DATABASE {name} TEMPLATE migrated")
        catalog = Catalog(self._postgres.dsn(name), "")
        self._catalogs.append(catalog)
        return catalog

    def close(self) -> None:
        for catalog in self._catalogs:
            catalog.close()

    def _execute(self, statement: str) -> None:
        with psycopg.connect(self._postgres.dsn(), autocommit=True) as connection:
            connection.execute(statement.encode())
