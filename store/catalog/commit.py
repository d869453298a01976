"""Publish a range's batch: the chunk file first, then one transaction. Old state or new state, never a mix.

The protocol is `docs/reliability.md`; in short: take a generation number, write the chunk file under its unpublished name, then in one
transaction, under the range's lock and with the generation checked, replace everything the range had.
"""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.batch import Batch
from pipeline.ranges import Range
from store.catalog.connection import Catalog
from store.catalog.planning import Versions
from store.disk import Disk


class Superseded(RuntimeError):
    """A later materialization of the same range has begun; this one must not be published."""


@dataclass(frozen=True, slots=True)
class Committed:
    """What a commit published. `path` is null when the batch had no records."""

    generation: int
    path: str | None
    bytes: int
    records: int
    fragments: int
    probes: int
    base_keys: int


def commit_range(catalog: Catalog, disk: Disk, range_: Range, batch: Batch, versions: Versions) -> Committed:
    """Replace what the range had with `batch`.

    Raises:
        Superseded: a later materialization of the range has begun.
        UnknownRange: the range is not planned.
        CatalogUnavailable: Postgres went away; a re-run completes the work.
    """
    raise NotImplementedError
