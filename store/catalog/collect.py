"""Collection of chunk files nobody reads any more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from catalog_sql import query
from store.catalog.connection import Catalog
from store.disk import Disk, StoredFile

FOLDER = "chunks"
"""Where chunk files lie on the disk."""


@dataclass(frozen=True, slots=True)
class Collected:
    """Files deleted: those replaced by a later generation, and those no catalog row ever named."""

    retired: int
    orphans: int
    bytes: int


def collect(catalog: Catalog, disk: Disk, now: datetime, grace: timedelta, orphan_grace: timedelta) -> Collected:
    """Delete chunk files retired for longer than `grace`, and files without a row older than `orphan_grace`."""
    with catalog.transaction() as connection:
        retired = connection.execute(query("retired_files"), {"before": now - grace}).fetchall()
    for path, _ in retired:
        disk.delete(path)
        with catalog.transaction() as connection:
            connection.execute(query("forget_file"), {"path": path})
    gone = [file for file in orphans(catalog, disk, now - orphan_grace) if _delete_orphan(catalog, disk, file)]
    freed = sum(size for _, size in retired) + sum(orphan.size for orphan in gone)
    return Collected(len(retired), len(gone), freed)


def orphans(catalog: Catalog, disk: Disk, before: datetime) -> Iterator[StoredFile]:
    """Files older than `before` that no row names: left by commits that were killed, or about to be published.

    The row of a file is younger than the file, so age is looked at first.
    """
    for files in _batches((file for file in disk.list(FOLDER) if file.modified_at <= before), 1000):
        with catalog.transaction() as connection:
            known = {
                path for (path,) in connection.execute(query("known_files"), {"paths": [file.path for file in files]})
            }
        yield from (file for file in files if file.path not in known)


def _delete_orphan(catalog: Catalog, disk: Disk, file: StoredFile) -> bool:
    """Delete a file unless a commit that was slow publishes it now: see `publication.hold_chunk`."""
    with catalog.transaction() as connection:
        connection.execute(query("lock_chunk_file"), {"path": file.path})
        if connection.execute(query("known_files"), {"paths": [file.path]}).fetchone() is not None:
            return False
        disk.delete(file.path)
        return True


def _batches(files: Iterable[StoredFile], size: int) -> Iterator[list[StoredFile]]:
    iterator = iter(files)
    while batch := list(islice(iterator, size)):
        yield batch
