"""The queue of articles phase 2 should read."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

from psycopg.rows import class_row

from catalog_sql import query
from store.catalog.connection import Catalog


@dataclass(frozen=True, slots=True)
class Probe:
    """One article to read, leased to a worker. `release` is the release it belongs to now."""

    id: int
    release: UUID
    file_key: UUID
    kind: str
    message_id: str
    path: str
    offset: int
    length: int
    attempt: int


def take_probes(catalog: Catalog, n: int, worker: str, lease: timedelta) -> list[Probe]:
    """Lease up to `n` probes, settled releases and random names first. Takers never wait for each other."""
    with catalog.transaction() as connection, connection.cursor(row_factory=class_row(Probe)) as cursor:
        return cursor.execute(query("take_probes"), {"n": n, "worker": worker, "lease": lease}).fetchall()


def finish_probe(catalog: Catalog, probe: int, worker: str) -> bool:
    """Remove a probe that was read; false when the lease was lost to another worker or the range was re-run."""
    with catalog.transaction() as connection:
        return connection.execute(query("finish_probe"), {"probe": probe, "worker": worker}).rowcount == 1
