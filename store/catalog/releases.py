"""Releases follow from records: recomputed for the base keys a transaction touched, inside that transaction."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Self

from psycopg import Connection

from catalog_sql import query
from pipeline.islands import ISLAND_GAP, POOL_GAP
from store.catalog.connection import Row


@dataclass(frozen=True, slots=True)
class Touched:
    """Posting spans of records that come or go, by each base key they have or may get; three lists of one length."""

    base_keys: tuple[int, ...] = ()
    firsts: tuple[datetime, ...] = ()
    lasts: tuple[datetime, ...] = ()

    @classmethod
    def of(cls, spans: list[tuple[int, datetime, datetime]]) -> Self:
        """From rows of base key, first and last posting time."""
        return cls(*(tuple(column) for column in zip(*spans, strict=True))) if spans else cls()

    def __add__(self, other: Touched) -> Touched:
        return Touched(self.base_keys + other.base_keys, self.firsts + other.firsts, self.lasts + other.lasts)


def published(connection: Connection[Row], owners: list[int]) -> Touched:
    """The spans of the records these ranges or edges have now."""
    return Touched.of(
        [(key, first, last) for key, first, last in connection.execute(query("published_records"), {"owners": owners})]
    )


def lock(connection: Connection[Row], touched: Touched) -> None:
    """Wait for other transactions that touch the same base keys, and keep later ones out until this one ends."""
    connection.execute(query("lock_base_keys"), {"base_keys": list(touched.base_keys)})


def recompute(connection: Connection[Row], touched: Touched) -> None:
    """Make the releases of the touched base keys what their records say; the caller has locked them, and replaced the records."""
    if not touched.base_keys:
        return
    keys = {"base_keys": list(set(touched.base_keys))}
    touched += Touched.of(list(connection.execute(query("choose_base_keys"), keys)))
    base_keys = list(set(touched.base_keys))
    spans = {
        "base_keys": list(touched.base_keys),
        "firsts": list(touched.firsts),
        "lasts": list(touched.lasts),
        "gap": ISLAND_GAP,
        "pool_gap": POOL_GAP,
    }
    connection.execute(query("islands"), spans)
    dropped = [release for (release,) in connection.execute(query("drop_old_releases"), {"base_keys": base_keys})]
    connection.execute(query("follow_merged"))
    connection.execute(query("drop_dead_aliases"), {"dropped": dropped})
    connection.execute(query("intern_release_sets"))
    connection.execute(query("upsert_releases"))
