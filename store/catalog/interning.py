"""What many rows share (group names and sets of them, posters, tools, rules, signatures, kinds) as small numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from catalog_sql import query
from store.catalog.connection import Catalog

_KIND = ("tool", "grouped_by", "named_by", "signature", "category", "has_par2", "readable_name", "repost")


def group_ids(catalog: Catalog, names: Iterable[str]) -> dict[str, int]:
    """The number of each group name; new names get one, in a transaction of their own."""
    return _numbers(catalog, names, "intern_groups", "group_numbers_of")


def label_ids(catalog: Catalog, labels: Iterable[str]) -> dict[str, int]:
    """The number of each label; new labels get one, in a transaction of their own."""
    return _numbers(catalog, labels, "intern_labels", "label_numbers_of")


def poster_ids(catalog: Catalog, posters: Iterable[str]) -> dict[str, int]:
    """The number of each poster; new ones get one, in a transaction of their own."""
    return _numbers(catalog, posters, "intern_posters", "poster_numbers_of")


def group_set_ids(catalog: Catalog, sets: Iterable[tuple[str, ...]]) -> dict[tuple[str, ...], int]:
    """The number of each set of group names; new names and sets get one, in transactions of their own."""
    wanted = set(sets)
    groups = group_ids(catalog, {name for names in wanted for name in names})
    texts = {names: f"{{{','.join(map(str, sorted(groups[name] for name in names)))}}}" for names in wanted}
    numbers = _numbers(catalog, texts.values(), "intern_group_sets", "group_set_numbers_of")
    return {names: numbers[text] for names, text in texts.items()}


def kind_ids(catalog: Catalog, kinds: Sequence[tuple[object, ...]]) -> list[int]:
    """The number of each kind, in the order given; new ones get one, in a transaction of their own.

    Args:
        catalog: where they are kept.
        kinds: label numbers of tool, grouping rule, naming rule and signature; category; has par2, readable name, repost.
    """
    unique = list(dict.fromkeys(kinds))
    columns = {name: [kind[at] for kind in unique] for at, name in enumerate(_KIND)}
    with catalog.transaction() as connection:
        connection.execute(query("intern_kinds"), columns)
    with catalog.transaction() as connection:
        found = connection.execute(query("kind_numbers_of"), columns)
        numbers = {unique[nth - 1]: int(number) for nth, number in found}
    return [numbers[kind] for kind in kinds]


def _numbers(catalog: Catalog, names: Iterable[str], add: str, find: str) -> dict[str, int]:
    # Committed before the caller's own transaction, and in sorted order: two that intern the same names never wait in a circle.
    wanted = sorted({name.replace("\0", "") for name in names})
    with catalog.transaction() as connection:
        connection.execute(query(add), {"names": wanted})
    with catalog.transaction() as connection:
        return {str(name): int(number) for name, number in connection.execute(query(find), {"names": wanted})}
