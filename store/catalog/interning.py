"""Texts of few values (group names, tools, rules, signatures) as small numbers."""

from __future__ import annotations

from collections.abc import Iterable

from catalog_sql import query
from store.catalog.connection import Catalog


def group_ids(catalog: Catalog, names: Iterable[str]) -> dict[str, int]:
    """The number of each group name; new names get one, in a transaction of their own."""
    return _numbers(catalog, names, "intern_groups", "group_numbers_of")


def label_ids(catalog: Catalog, labels: Iterable[str]) -> dict[str, int]:
    """The number of each label; new labels get one, in a transaction of their own."""
    return _numbers(catalog, labels, "intern_labels", "label_numbers_of")


def _numbers(catalog: Catalog, names: Iterable[str], add: str, find: str) -> dict[str, int]:
    # Committed before the caller's own transaction, and in sorted order: two that intern the same names never wait in a circle.
    wanted = sorted({name.replace("\0", "") for name in names})
    with catalog.transaction() as connection:
        connection.execute(query(add), {"names": wanted})
    with catalog.transaction() as connection:
        return {str(name): int(number) for name, number in connection.execute(query(find), {"names": wanted})}
