"""An index in process: real Postgres, real files, a synthetic provider in a thread, and the bare steps of a range."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from databases import Databases
from provider_in_a_thread import running_provider as running_provider

from assets.provider import account_of
from assets.range_work import derive_chunks, fetch_overview, join_edges
from pipeline.nntp.probe import plan_group
from pipeline.ranges import Range
from pipeline.signatures import DEFAULT_TABLE
from store.catalog.planning import known_empty, plan, source_number
from store.catalog.versions import record_group_list, record_signatures
from store.configuration import Settings
from store.disk import Disk, LocalDisk
from store.lake import Lake
from store.stores import Stores


@dataclass(frozen=True)
class Lab:
    """Makes indexes, each with a catalog and a folder of its own."""

    databases: Databases

    @contextmanager
    def index(self, settings: Settings, disk: Disk | None = None) -> Iterator[Stores]:
        """A new, empty index in `settings.data` with the signatures every index starts with."""
        disk = disk or LocalDisk(settings.data)
        with self.databases.catalog() as catalog:
            record_signatures(catalog, DEFAULT_TABLE.signatures)
            yield Stores(settings, catalog, disk, Lake(disk))


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
    include_open = stores.settings.plan_open_ranges
    found = [
        item
        for name in names
        for item in plan_group(account, source, name, size=size, now=now, include_open=include_open)
    ]
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
