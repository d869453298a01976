"""The queue of records with articles that phase 2 should read; a record itself says which articles these are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from uuid import UUID

import polars as pl
from psycopg.rows import class_row

from catalog_sql import query
from pipeline import probes
from store.catalog.connection import Catalog
from store.chunks import Place, fetch_record
from store.disk import Disk


@dataclass(frozen=True, slots=True)
class Probe:
    """A record to look into, leased to a worker: its chunk file and place there. `release` is the release it belongs to now."""

    file: int
    ordinal: int
    release: UUID
    path: str
    offset: int
    length: int
    checksum: int
    attempt: int


def take_probes(catalog: Catalog, n: int, worker: str, lease: timedelta) -> list[Probe]:
    """Lease up to `n` records, those of settled releases and with random names first. Takers never wait for each other."""
    with catalog.transaction() as connection, connection.cursor(row_factory=class_row(Probe)) as cursor:
        cursor.execute(query("return_leases"))
        return cursor.execute(query("take_probes"), {"n": n, "worker": worker, "lease": lease}).fetchall()


def articles(disk: Disk, probe: Probe) -> pl.DataFrame:
    """The articles to read, as `schema.PROBES`: at most one of each kind.

    Raises:
        FileNotFoundError: the chunk file was collected; its range was materialized again, and what it holds now is queued anew.
        ChunkDamaged: the bytes are not those that were written.
    """
    content = fetch_record(disk, probe.path, Place(probe.offset, probe.length, probe.checksum))
    return probes.candidates(content.record, content.files, content.segments)


def finish_probe(catalog: Catalog, probe: Probe, worker: str) -> bool:
    """Remove a record whose articles were read; false when the lease was lost to another worker or the range was re-run."""
    facts = {"file": probe.file, "ordinal": probe.ordinal, "worker": worker}
    with catalog.transaction() as connection:
        return connection.execute(query("finish_probe"), facts).rowcount == 1
