"""A connection pool to the catalog database, and the database itself brought up to date."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import Connection, sql
from psycopg_pool import ConnectionPool, PoolTimeout

from catalog_sql import migrations, query
from store.configuration import Settings
from store.postgres import EmbeddedPostgres, PostgresFailed

Row = tuple[Any, ...]

DATABASE = "overlake"
DAGSTER_SUFFIX = "_dagster"

_WAIT_S = 15.0
"""How long a call waits for a server that restarts."""

SILENCE_S = 300.0
"""After so long without a word from the process that began it, a transaction is rolled back and its locks are free."""

_UNREACHABLE = "-c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3"
"""A machine that is cut off is noticed by the server within a minute, not after the two hours of most systems."""
_CONNECT: dict[str, Any] = {
    "application_name": "overlake",
    "options": f"-c timezone=UTC {_UNREACHABLE}",
    "connect_timeout": 10,
}
_MIGRATION_LOCK = 0x6F7665726C616B65
"""Advisory lock (`overlake` in ASCII) under which one process migrates."""

logging.getLogger("yoyo").setLevel(logging.WARNING)


class CatalogUnavailable(ConnectionError):
    """Postgres cannot be reached or cannot go on; the message says what to do."""


class CatalogTooNew(RuntimeError):
    """The database was migrated by newer software."""


class Catalog:
    """The catalog database, ready to use: `with Catalog.open(settings) as catalog: ...`.

    A server that restarts in between is waited for, and an embedded one that was killed is started again; a transaction that was
    under way then raises `CatalogUnavailable`, and can be run again. So does one whose process said nothing for `silence` seconds: others
    wait for its locks.

    Attributes:
        dsn: address of the catalog database (libpq URI), e.g. for DuckDB's `ATTACH`. May hold a password.
        dagster_dsn: address of Dagster's database on the same server, as SQLAlchemy wants it (`postgresql+psycopg2://`).
        postgres: the embedded server, null where `catalog.dsn` is set.
    """

    def __init__(
        self, dsn: str, dagster_dsn: str, postgres: EmbeddedPostgres | None = None, silence: float = SILENCE_S
    ) -> None:
        self.dsn = dsn
        self.dagster_dsn = dagster_dsn
        self.postgres = postgres
        self._pool: ConnectionPool[Connection[Row]] = ConnectionPool(
            dsn,
            min_size=0,
            max_size=16,
            timeout=_WAIT_S,
            kwargs=_connect_with(silence),
            check=ConnectionPool[Connection[Row]].check_connection,
            open=True,
        )

    @classmethod
    def open(cls, settings: Settings) -> Self:
        """Start the embedded server unless `settings.catalog.dsn` is set, create what is absent, migrate, connect.

        Raises:
            CatalogUnavailable: the server cannot be started or reached.
            CatalogTooNew: the database belongs to newer software.
        """
        if settings.catalog.dsn is None:
            postgres = EmbeddedPostgres(settings.data / "postgres")
            _start(postgres)
            postgres.create_database(DATABASE)
            dsn = postgres.dsn(DATABASE)
        else:
            postgres = None
            dsn = settings.catalog.dsn.get_secret_value()
        migrate(dsn)
        if settings.catalog.dagster_dsn is None:
            dagster_dsn = _with_database(dsn, _database(dsn) + DAGSTER_SUFFIX)
            _create_beside(dsn, _database(dagster_dsn))
        else:
            dagster_dsn = settings.catalog.dagster_dsn.get_secret_value()
        silence = float(settings.catalog.silence_seconds)
        return cls(dsn, _with_scheme(dagster_dsn, "postgresql+psycopg2"), postgres, silence)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections. An embedded server keeps running for other processes: see `EmbeddedPostgres.stop`."""
        self._pool.close()

    @contextmanager
    def transaction(self) -> Iterator[Connection[Row]]:
        """One transaction: committed at the end of the block, rolled back when it raises.

        Raises:
            CatalogUnavailable: the server went away, or its disk is full or fails; nothing of the block is kept, unless it went away
                during the commit itself: then all of it may be.
        """
        connection = self._take()
        try:
            with connection:
                yield connection
        except psycopg.errors.IoError as error:
            raise CatalogUnavailable(
                f"the disk of the catalog's Postgres fails ({_brief(error)}); check it (kernel log), then run again"
            ) from error
        except psycopg.errors.DiskFull as error:
            raise CatalogUnavailable(
                f"the disk of the catalog's Postgres is full ({_brief(error)}); free some space and run again"
            ) from error
        except psycopg.errors.IdleInTransactionSessionTimeout as error:
            raise CatalogUnavailable(
                "this process said nothing for catalog.silence_seconds in the middle of a transaction (stopped, asleep, or on a very slow disk), which Postgres ended; nothing is lost, run again"
            ) from error
        except psycopg.OperationalError as error:
            if not connection.broken:
                raise
            raise CatalogUnavailable(f"{_unreachable(self.dsn, error)}; nothing is lost, run again") from error
        finally:
            self._pool.putconn(connection)

    @contextmanager
    def session(self) -> Iterator[Connection[Row]]:
        """One connection for the length of the block, each statement by itself; closed at the end, and its advisory locks with it.

        Raises:
            CatalogUnavailable: the server cannot be reached.
        """
        # A server that restarts is waited for by the pool; the connection is not one of the pool's, which warns of those that come back closed.
        self._pool.putconn(self._take())
        with closing(_direct(self.dsn)) as connection:
            yield connection

    def _take(self) -> Connection[Row]:
        with suppress(PoolTimeout):
            return self._pool.getconn(timeout=1.0 if self.postgres else _WAIT_S)
        if self.postgres is not None:
            _start(self.postgres)
        try:
            return self._pool.getconn(timeout=_WAIT_S)
        except PoolTimeout as error:
            raise CatalogUnavailable(_unreachable(self.dsn, error)) from error


@dataclass(frozen=True, slots=True)
class Server:
    """A database as it is.

    Attributes:
        version: of the server, as `server_version_num` says it (180001 is 18.1).
        time: its clock.
        pending: migrations of this software that it lacks, in order.
        unknown: migrations it has and this software does not know.
    """

    version: int
    time: datetime
    pending: tuple[str, ...]
    unknown: tuple[str, ...]


def look_at(dsn: str) -> Server:
    """Look at a catalog database without changing it.

    Raises:
        CatalogUnavailable: the server cannot be reached.
    """
    names = {file.stem for file in migrations().glob("*.sql")}
    with _direct(dsn) as connection:
        applied = _applied(connection)
        (now,) = connection.execute("SELECT clock_timestamp()").fetchone() or (datetime.now(UTC),)
        return Server(
            connection.info.server_version, now, tuple(sorted(names - applied)), tuple(sorted(applied - names))
        )


def migrate(dsn: str) -> None:
    """Bring the database up to the newest migration; one process at a time, the others wait and find nothing to do.

    Raises:
        CatalogUnavailable: the server cannot be reached.
        CatalogTooNew: the database has migrations this software does not know.
    """
    names = {file.stem for file in migrations().glob("*.sql")}
    with _direct(dsn) as connection:
        applied = _applied(connection)
        if applied == names:
            return
        connection.execute("SELECT pg_advisory_lock(%s)", [_MIGRATION_LOCK])
        if unknown := _applied(connection) - names:
            raise CatalogTooNew(
                f"the catalog was migrated by newer software ({', '.join(sorted(unknown))}); update Overlake"
            )
        # Loading it takes longer than to find that nothing is to be done, as nearly always.
        from yoyo import get_backend, read_migrations

        backend = get_backend(_with_scheme(dsn, "postgresql+psycopg"))
        try:
            backend.apply_migrations(backend.to_apply(read_migrations(str(migrations()))))
        finally:
            backend.connection.close()


def _connect_with(silence: float) -> dict[str, Any]:
    limit = f"-c idle_in_transaction_session_timeout={round(silence * 1000)}"
    return _CONNECT | {"options": f"{_CONNECT['options']} {limit}"}


def _applied(connection: Connection[Row]) -> set[str]:
    try:
        return {str(name) for (name,) in connection.execute(query("applied_migrations"))}
    except psycopg.errors.UndefinedTable:
        return set()


def _direct(dsn: str) -> Connection[Row]:
    try:
        return psycopg.connect(dsn, autocommit=True, **_CONNECT)
    except psycopg.OperationalError as error:
        raise CatalogUnavailable(_unreachable(dsn, error)) from error


def _start(postgres: EmbeddedPostgres) -> None:
    try:
        postgres.start()
    except PostgresFailed as error:
        raise CatalogUnavailable(str(error)) from error


def _create_beside(dsn: str, name: str) -> None:
    """Create the database `name` on the server of `dsn` unless it is there."""
    with _direct(dsn) as connection:
        if connection.execute("SELECT FROM pg_database WHERE datname = %s", [name]).fetchone() is not None:
            return
        try:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        except (psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation):
            return
        except psycopg.errors.InsufficientPrivilege as error:
            raise CatalogUnavailable(
                f'Dagster\'s database is missing; run CREATE DATABASE "{name}", or set catalog.dagster_dsn'
            ) from error


def _unreachable(dsn: str, error: Exception) -> str:
    parts = urlsplit(dsn)
    place = f"{parts.hostname or 'local socket'}, database {_database(dsn)}"
    return f"the catalog's Postgres ({place}) does not answer: {_brief(error)}; start it, or check catalog.dsn"


def _brief(error: Exception) -> str:
    return " ".join(str(error).split())


def _database(dsn: str) -> str:
    return urlsplit(dsn).path.lstrip("/")


def _with_database(dsn: str, name: str) -> str:
    return urlunsplit(urlsplit(dsn)._replace(path=f"/{name}"))


def _with_scheme(dsn: str, scheme: str) -> str:
    return urlunsplit(urlsplit(dsn)._replace(scheme=scheme))
