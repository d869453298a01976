"""A connection pool to the catalog database, and the database itself brought up to date."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self

from psycopg import Connection

from store.configuration import Settings

Row = tuple[Any, ...]


class CatalogUnavailable(ConnectionError):
    """Postgres cannot be reached; the message says what to do."""


class CatalogTooNew(RuntimeError):
    """The database was migrated by newer software."""


class Catalog:
    """The catalog database, ready to use: `with Catalog.open(settings) as catalog: ...`.

    Attributes:
        dsn: address of the catalog database (libpq URI), e.g. for DuckDB's `ATTACH`.
        dagster_dsn: address of Dagster's database on the same server, as SQLAlchemy wants it (`postgresql+psycopg2://`).
    """

    dsn: str
    dagster_dsn: str

    @classmethod
    def open(cls, settings: Settings) -> Self:
        """Start the embedded server unless `settings.catalog.dsn` is set, create what is absent, migrate, connect.

        Raises:
            CatalogUnavailable: the server cannot be started or reached.
            CatalogTooNew: the database belongs to newer software.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Close the connections. An embedded server keeps running for other processes: see `EmbeddedPostgres.stop`."""
        raise NotImplementedError

    @contextmanager
    def transaction(self) -> Iterator[Connection[Row]]:
        """One transaction: committed at the end of the block, rolled back when it raises."""
        raise NotImplementedError
        yield
