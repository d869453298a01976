"""An index in process: real Postgres, real files, a synthetic provider in a thread, and the bare steps of a range."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg

from assets.provider import account_of
from assets.range_work import derive_chunks, fetch_overview, join_edges
from pipeline.nntp.probe import plan_group
from pipeline.ranges import Range
from pipeline.signatures import DEFAULT_TABLE
from simulator.history import History
from simulator.server import Provider, ServerOptions
from store.catalog.connection import Catalog, migrate
from store.catalog.planning import known_empty, plan, source_number
from store.catalog.versions import record_group_list, record_signatures
from store.configuration import Settings
from store.disk import Disk, LocalDisk
from store.lake import Lake
from store.postgres import EmbeddedPostgres
from store.stores import Stores

_NUMBERS = count(1)


class Lab:
    """One Postgres server for the tests of a module; every index in it has a catalog and a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.postgres = EmbeddedPostgres(folder / "postgres")
        self.postgres.start()
        self.execute("ALTER SYSTEM SET fsync = off")  # these tests end processes, not the machine
        self.execute("SELECT pg_reload_conf()")
        self.postgres.create_database("migrated")
        migrate(self.postgres.dsn("migrated"))

    def copy(self, template: str, suffix: str = "") -> str:
        """Make a database like `template`; returns its name. It goes with the server."""
        name = f"index_{next(_NUMBERS)}{suffix}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    @contextmanager
    def index(self, settings: Settings, disk: Disk | None = None) -> Iterator[Stores]:
        """A new, empty index in `settings.data` with the signatures every index starts with."""
        disk = disk or LocalDisk(settings.data)
        catalog = Catalog(self.postgres.dsn(self.copy("migrated")), "")
        try:
            record_signatures(catalog, DEFAULT_TABLE.signatures)
            yield Stores(settings, catalog, disk, Lake(disk))
        finally:
            catalog.close()

    def execute(self, statement: str) -> None:
        with psycopg.connect(self.postgres.dsn(), autocommit=True) as connection:
            connection.execute(statement.encode())


@contextmanager
def running_lab() -> Iterator[Lab]:
    # Not below pytest's folder, which every pytest that starts closes to the user the server runs as.
    with TemporaryDirectory(prefix="overlake-test-") as folder:
        lab = Lab(Path(folder))
        try:
            yield lab
        finally:
            lab.postgres.stop()


@contextmanager
def running_provider(history: History, cache: Path, **options: Any) -> Iterator[tuple[int, ...]]:
    """A synthetic provider in a thread; gives its ports in the order of `listen`."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    provider = Provider(history, ServerOptions(**options), cache)
    ports = asyncio.run_coroutine_threadsafe(provider.start(), loop).result(30)
    try:
        yield ports
    finally:
        asyncio.run_coroutine_threadsafe(provider.stop(), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)


def settings_for(folder: Path, port: int, range_size: int, **provider: Any) -> Settings:
    """Settings of an index in `folder` that is fetched from `port` on loopback."""
    account = {
        "host": "127.0.0.1",
        "port": port,
        "tls": False,
        "connections": 4,
        "connections_per_range": 2,
        "numbers_per_request": 1_000,
        "timeout": 20.0,
        **provider,
    }
    return Settings.model_validate({"data": folder, "range_size": range_size, "provider": account})


def plan_all(stores: Stores, groups: Iterable[str], now: Any) -> list[Range]:
    """Plan every full range of `groups` and return those with articles, oldest era first."""
    names = list(groups)
    record_group_list(stores.catalog, names)
    source = source_number(stores.catalog, stores.settings.provider.source)
    account, size = account_of(stores.settings.provider), stores.settings.range_size
    found = [item for name in names for item in plan_group(account, source, name, size=size, now=now)]
    known_empty(stores.catalog, (item.range for item in found if item.first_posted is None))
    planned = [item for item in found if item.first_posted is not None]
    plan(stores.catalog, planned)
    return [item.range for item in sorted(planned, key=lambda item: (item.era, item.range))]


def materialize_range(stores: Stores, range_: Range) -> None:
    """All three steps of a range."""
    fetch_overview(stores, range_)
    derive_again(stores, range_)


def derive_again(stores: Stores, range_: Range) -> None:
    """The steps that need no provider."""
    derive_chunks(stores, range_)
    join_edges(stores, range_)
