"""What monitoring wants to know of ingest and catalog, in one look."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from catalog_sql import query
from store.catalog.connection import Catalog


@dataclass(frozen=True, slots=True)
class Figures:
    """Sums over everything that is in force; a range that is made again may lower them.

    Attributes:
        ranges: ranges by state.
        fates: overview lines by what became of them; the kinds of conservation.
        lines: overview lines fetched.
        wire_bytes: bytes they took on the wire.
        fetched_at: Unix time of the newest fetch; null before the first.
        releases: releases, as Postgres last estimated them.
        chunk_files: published chunk files.
        chunk_bytes: their bytes.
        catalog_bytes: bytes of the catalog database.
    """

    ranges: Mapping[str, int]
    fates: Mapping[str, int]
    lines: int
    wire_bytes: int
    fetched_at: float | None
    releases: int
    chunk_files: int
    chunk_bytes: int
    catalog_bytes: int


def figures(catalog: Catalog) -> Figures:
    """The figures of now.

    Raises:
        CatalogUnavailable: Postgres does not answer.
    """
    with catalog.transaction() as connection:
        row = connection.execute(query("figures")).fetchone()
    assert row is not None
    ranges, fates, *others = row
    return Figures(ranges or {}, {kind: int(lines or 0) for kind, lines in fates.items()}, *others)
