"""Everything that lasts, opened together from one configuration."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from store.catalog.connection import Catalog
from store.configuration import Settings
from store.disk import LocalDisk
from store.lake import Lake


@dataclass(frozen=True, slots=True)
class Stores:
    """The open stores.

    Attributes:
        settings: the configuration they were opened from.
        catalog: the catalog in Postgres.
        disk: where chunk files lie, under `chunks/`.
        lake: where overview Parquet lies, under `overview/`.
    """

    settings: Settings
    catalog: Catalog
    disk: LocalDisk
    lake: Lake


@contextmanager
def open_stores(settings: Settings) -> Iterator[Stores]:
    """Open catalog, disk and lake in `settings.data`, and close the catalog's connections on leaving.

    Raises:
        CatalogUnavailable: Postgres cannot be started or reached.
        CatalogTooNew: the catalog belongs to newer software.
    """
    settings.data.mkdir(parents=True, exist_ok=True)
    disk = LocalDisk(settings.data)
    with Catalog.open(settings) as catalog:
        yield Stores(settings, catalog, disk, Lake(disk))
