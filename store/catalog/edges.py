"""Fragments of finished neighbours, merged into chunk files that belong to the edge between them.

Edge `i` lies between the ranges `i` and `i + 1` of a group.
"""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.batch import Counters
from pipeline.ranges import Range
from store.catalog.connection import Catalog
from store.disk import Disk


@dataclass(frozen=True, slots=True)
class EdgeWritten:
    """One edge that was decided: the index of its lower range, and what it holds now."""

    index: int
    generation: int
    path: str | None
    records: int
    counters: Counters


def merge_edges(catalog: Catalog, disk: Disk, range_: Range) -> list[EdgeWritten]:
    """Decide the dirty edges of the range's group whose both sides are closed, and publish what they hold.

    A side is closed when its range is committed, known empty, or outside the group's article numbers. Idempotent, and the same
    in any order of ranges. Holds a lock per (source, group), so two calls of one group run one after the other.
    """
    raise NotImplementedError
