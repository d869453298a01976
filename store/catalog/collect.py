"""Collection of chunk files nobody reads any more."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from store.catalog.connection import Catalog
from store.disk import Disk


@dataclass(frozen=True, slots=True)
class Collected:
    """Files deleted: those replaced by a later generation, and those no catalog row ever named."""

    retired: int
    orphans: int
    bytes: int


def collect(catalog: Catalog, disk: Disk, now: datetime, grace: timedelta, orphan_grace: timedelta) -> Collected:
    """Delete chunk files retired for longer than `grace`, and files without a row older than `orphan_grace`."""
    raise NotImplementedError
