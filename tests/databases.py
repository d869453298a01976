"""Databases for tests: copies of a migrated one, on one embedded server for all tests of a process."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import psycopg

from store.catalog.connection import Catalog, migrate
from store.postgres import EmbeddedPostgres

MEMORY = Path("/dev/shm")
ROOM = 4 * 2**30


@contextmanager
def server_folder() -> Iterator[Path]:
    """A folder for a server, in memory where there is room: a database is some hundred files, which are made and deleted again and again.

    Not below pytest's folder: every start of pytest closes that to other users, such as the one the server runs as.
    """
    in_memory = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ROOM
    with TemporaryDirectory(prefix="overlake-test-", dir=MEMORY if in_memory else None) as name:
        yield Path(name)


class Databases:
    """A server, and new databases on it."""

    def __init__(self, postgres: EmbeddedPostgres) -> None:
        self.postgres = postgres
        self._numbers = count(1)

    def new(self) -> str:
        """The address of a database with the tables of an empty catalog; it goes with the server."""
        return self.postgres.dsn(self._create())

    @contextmanager
    def catalog(self) -> Iterator[Catalog]:
        """A catalog of its own, with a database that goes with it."""
        name = self._create()
        with Catalog(self.postgres.dsn(name), "") as catalog:
            yield catalog
        self._execute(f"DROP DATABASE {name} WITH (FORCE)")

    def begin(self) -> None:
        """Start the server, and make the database that is copied."""
        self.postgres.start()
        self._execute("ALTER SYSTEM SET fsync = off")  # tests end processes, not the machine
        self._execute("SELECT pg_reload_conf()")
        self.postgres.create_database("migrated")
        migrate(self.postgres.dsn("migrated"))

    def _create(self) -> str:
        name = f"catalog_{next(self._numbers)}"
        self._execute(f"CREATE DATABASE {name} TEMPLATE migrated STRATEGY file_copy")
        return name

    def _execute(self, statement: str) -> None:
        with psycopg.connect(self.postgres.dsn(), autocommit=True) as connection:
            connection.execute(statement.encode())


@contextmanager
def running_databases() -> Iterator[Databases]:
    with server_folder() as folder:
        databases = Databases(EmbeddedPostgres(folder / "postgres"))
        try:
            databases.begin()
            yield databases
        finally:
            databases.postgres.stop()
