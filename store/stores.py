"""Everything that lasts, opened together from one configuration."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from store.catalog.connection import Catalog
from store.configuration import Settings
from store.disk import Disk, LocalDisk
from store.lake import Lake
from store.objects import ObjectDisk


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
    disk: Disk
    lake: Lake


@contextmanager
def open_stores(settings: Settings) -> Iterator[Stores]:
    """Open catalog, disk and lake, all in `settings.data` unless `settings.storage` says otherwise, and close the catalog's connections on leaving.

    Raises:
        CatalogUnavailable: Postgres cannot be started or reached.
        CatalogTooNew: the catalog belongs to newer software.
    """
    settings.data.mkdir(parents=True, exist_ok=True)
    with Catalog.open(settings) as catalog:
        yield Stores(settings, catalog, chunk_disk(settings), Lake(lake_disk(settings)))


def chunk_disk(settings: Settings) -> Disk:
    """Where the chunk files lie."""
    return _disk(settings, settings.storage.chunks)


def lake_disk(settings: Settings) -> Disk:
    """Where the overview files lie."""
    return _disk(settings, settings.storage.lake)


def _disk(settings: Settings, place: str) -> Disk:
    if "://" in place:
        return ObjectDisk(place, settings.storage.endpoint, settings.storage.region)
    return LocalDisk(Path(place) if place else settings.data)
