"""Conservation of lines: whether the counters of every range and edge add up."""

from __future__ import annotations

from dataclasses import dataclass

from catalog_sql import query
from store.catalog.connection import Catalog


@dataclass(frozen=True, slots=True)
class Conservation:
    """How many ranges and edges have counters, and where they do not add up (place and lines missing)."""

    ranges: int
    edges: int
    places: tuple[str, ...]


def unbalanced(catalog: Catalog) -> Conservation:
    """Every range and edge whose lines are not the sum of the other counters."""
    with catalog.transaction() as connection:
        counted = connection.execute(query("counted_owners")).fetchone()
        places = connection.execute(query("unbalanced")).fetchall()
    ranges, edges = counted or (0, 0)
    return Conservation(ranges, edges, tuple(f"{place}: {balance:+d}" for place, balance in places))
