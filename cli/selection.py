"""Which ranges a backfill is about: what is missing, what is stale, or those that are named, of some groups and one era."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.metadata import version

from pipeline.ranges import parse_key
from store.catalog.connection import Catalog
from store.catalog.planning import Stale, Versions, fates, missing, stale
from store.catalog.versions import current_group_list, current_signatures


@dataclass(frozen=True, slots=True)
class Reasons:
    """How many stale ranges have what is old about them; a range may have several."""

    old_group_list: int
    old_signature_table: int
    old_software: int


@dataclass(frozen=True, slots=True)
class Selected:
    """Partition keys, oldest era first; with the reasons where stale ranges were asked for."""

    keys: list[str]
    reasons: Reasons | None = None


@dataclass(frozen=True, slots=True)
class Selection:
    """What was asked for. All that is given must fit a range: group pattern, era, named keys."""

    group: str = "*"
    era: int | None = None
    named: tuple[str, ...] = ()
    stale: bool = False

    def of(self, catalog: Catalog, source: int) -> Selected:
        """The ranges: stale ones if asked for, else the named ones whether done or not, else all that is missing.

        Raises:
            UnknownRange: a named range is not planned.
            ValueError: a named range is none.
        """
        fates(catalog, self.named)
        if self.stale:
            found = [row for row in stale(catalog, source, versions_now(catalog)) if self._fits(row.key)]
            return Selected([row.key for row in found], _reasons(found))
        keys = sorted(set(self.named)) if self.named else missing(catalog, source, era=self.era)
        return Selected([key for key in keys if self._fits(key)])

    def _fits(self, key: str) -> bool:
        era, range_ = parse_key(key)
        return (
            self.era in (None, era)
            and fnmatch.fnmatchcase(range_.group, self.group)
            and (not self.named or key in self.named)
        )


def versions_now(catalog: Catalog) -> Versions:
    """What a range would be made with now."""
    return Versions(current_group_list(catalog).version, current_signatures(catalog).version, version("overlake"))


def _reasons(found: Iterable[Stale]) -> Reasons:
    rows = list(found)
    return Reasons(
        sum(row.old_group_list for row in rows),
        sum(row.old_signature_table for row in rows),
        sum(row.old_software for row in rows),
    )
