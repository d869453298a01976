"""Overview files that are kept for a time only: the oldest and largest part of the lake, of use again when rules change."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

import xxhash

from catalog_sql import query
from pipeline.ranges import Range
from store.catalog.connection import Catalog
from store.configuration import Retention
from store.lake import Lake, rejected_path

MONTH = timedelta(days=30.44)


@dataclass(frozen=True, slots=True)
class Expired:
    """Overview files deleted, and their bytes; `sampled` are kept for ever although their time is over."""

    files: int
    bytes: int
    sampled: int


def expire_overviews(catalog: Catalog, lake: Lake, retention: Retention, now: datetime) -> Expired:
    """Delete the overview files of done ranges that were fetched longer ago than they are kept, with their sidecars.

    A range at work, failed or fetched again meanwhile keeps its file. Which ranges are in the sample follows from their keys alone.

    Raises:
        DiskFailed: a file cannot be deleted; those before it are.
    """
    if retention.overview_months is None:
        return Expired(0, 0, 0)
    before = now - retention.overview_months * MONTH
    with catalog.transaction() as connection:
        over = connection.execute(query("kept_overviews"), {"before": before}).fetchall()
    files = freed = sampled = 0
    for number, key, source, source_number, group, index, size in over:
        if is_sampled(key, retention.overview_sample):
            sampled += 1
            continue
        path = lake.overview_path(source, Range(source_number, group, index, size))
        with catalog.transaction() as connection:
            if connection.execute(query("lock_done_range"), {"range": number, "before": before}).rowcount == 0:
                continue
            freed += _delete(lake, path)
            connection.execute(query("expire_overview"), {"range": number, "now": now})
        files += 1
    return Expired(files, freed, sampled)


def is_sampled(key: str, share: float) -> bool:
    """Whether a range is one of the `share` of all ranges whose overview is kept: the same ones each time, more of them as `share` grows."""
    return xxhash.xxh3_64_intdigest(key.encode()) < share * 2**64


def _delete(lake: Lake, path: str) -> int:
    """Delete an overview file and its sidecar; returns the bytes of the first."""
    try:
        size = lake.disk.size(path)
    except FileNotFoundError:
        size = 0
    lake.disk.delete(path)
    lake.disk.delete(rejected_path(path))
    return size
