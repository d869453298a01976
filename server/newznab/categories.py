"""The category tree by id, and the forms of a category's name that clients read."""

from __future__ import annotations

from pipeline import categories
from pipeline.categories import TREE, Category

CATEGORIES: dict[int, Category] = {category.id: category for category in TREE}
"""Every category by its id, parents before their children."""

UNKNOWN = CATEGORIES[categories.UNKNOWN]


def category(number: int) -> Category:
    """The category with this id; `Other/Misc` for an id outside the tree."""
    return CATEGORIES.get(number, UNKNOWN)


def path(number: int) -> tuple[Category, ...]:
    """The category and, before it, its parent."""
    own = category(number)
    return (own,) if own.parent is None else (CATEGORIES[own.parent], own)


def full_name(number: int) -> str:
    """`TV > HD`, the form SABnzbd and NZBGet match their categories with."""
    return " > ".join(part.name for part in path(number))


def children(parent: int) -> list[Category]:
    """The categories under `parent`."""
    return [own for own in CATEGORIES.values() if own.parent == parent]
