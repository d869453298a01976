"""Asset checks: what must hold of the data, shown in Dagster beside the asset.

That lines are accounted for is asked of all ranges; the others look at the ranges of the run, in one query each, and warn.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

import dagster as dg

from store.catalog.conservation import unbalanced
from store.catalog.range_facts import RangeFacts, range_facts, sample_places
from store.chunks import ChunkDamaged, fetch_record
from store.stores import Stores

SHOWN = 20

GAP_SHARE = 0.05
"""Share of a range's article numbers that may be missing: cancelled and expired articles are some, a truncated answer is more."""

DUPLICATE_SHARE = 0.01
"""Share of a range's lines that may have the number of another one."""

SAMPLED_RECORDS = 3
"""Records of each range that are read back; `overlake chunks verify` reads all."""

Found = tuple[bool, dict[str, dg.MetadataValue]]


@dataclass(frozen=True, slots=True)
class Check:
    """A check of `release_chunks`: its name, what must hold, whether a failure is more than a warning, and how it is found out."""

    name: str
    description: str
    error: bool
    look: Callable[[Stores, Sequence[str]], Found]

    @property
    def spec(self) -> dg.AssetCheckSpec:
        """The check as Dagster knows it."""
        return dg.AssetCheckSpec(self.name, asset="release_chunks", description=self.description)

    def result(self, stores: Stores, keys: Sequence[str]) -> dg.AssetCheckResult:
        """Whether it holds, after a run over the partitions `keys`."""
        passed, shown = self.look(stores, keys)
        severity = dg.AssetCheckSeverity.ERROR if self.error else dg.AssetCheckSeverity.WARN
        return dg.AssetCheckResult(
            asset_key=self.spec.asset_key, check_name=self.name, passed=passed, severity=severity, metadata=shown
        )


def lines_accounted_for(stores: Stores, _keys: Sequence[str]) -> Found:
    """Whether the counters of every range and edge add up to its lines."""
    found = unbalanced(stores.catalog)
    return not found.places, {
        "ranges": dg.MetadataValue.int(found.ranges),
        "edges": dg.MetadataValue.int(found.edges),
        "unbalanced": dg.MetadataValue.int(len(found.places)),
        "examples": _examples(found.places),
    }


def gaps(stores: Stores, keys: Sequence[str]) -> Found:
    """Whether lines came for nearly all the numbers that GROUP counts."""
    rows = range_facts(stores.catalog, keys)
    bad = [f"{row.key}: {row.gaps:,} of {row.numbers:,}" for row in rows if row.gaps > GAP_SHARE * (row.numbers or 0)]
    missing, numbers = sum(row.gaps for row in rows), sum(row.numbers or 0 for row in rows)
    return not bad, {
        "missing": dg.MetadataValue.int(missing),
        "share": dg.MetadataValue.float(missing / max(1, numbers)),
        "examples": _examples(bad),
    }


def duplicates(stores: Stores, keys: Sequence[str]) -> Found:
    """Whether hardly a number came twice."""
    rows = range_facts(stores.catalog, keys)
    bad = [f"{row.key}: {row.duplicate:,}" for row in rows if row.duplicate > DUPLICATE_SHARE * row.lines]
    return not bad, {
        "duplicates": dg.MetadataValue.int(sum(row.duplicate for row in rows)),
        "examples": _examples(bad),
    }


def date_order(stores: Stores, keys: Sequence[str]) -> Found:
    """Whether no range was posted before the one below it, but for the margin that settling allows."""
    margin = timedelta(hours=stores.settings.settle.margin_hours)
    bad = [row.key for row in range_facts(stores.catalog, keys) if not in_order(row, margin)]
    return not bad, {"out_of_order": dg.MetadataValue.int(len(bad)), "examples": _examples(bad)}


def in_order(row: RangeFacts, margin: timedelta) -> bool:
    """Whether some date of a range is not before all of the one below it, give or take `margin`.

    Posters' clocks are wrong by months, so that the first and the last date of a range say little alone; a spool that was renumbered
    or that stored its articles anew shows in whole ranges.
    """
    return row.last_posted is None or row.first_below is None or row.last_posted >= row.first_below - margin


def chunks_readable(stores: Stores, keys: Sequence[str]) -> Found:
    """Whether some records of each range, read back from its chunk file, are what was written."""
    places, bad = sample_places(stores.catalog, keys, SAMPLED_RECORDS), list[str]()
    for key, path, place in places:
        try:
            fetch_record(stores.disk, path, place)
        except (ChunkDamaged, OSError) as error:
            bad.append(f"{key}: {error}")
    return not bad, {"records": dg.MetadataValue.int(len(places)), "examples": _examples(bad)}


CHECKS = (
    Check(
        "lines_accounted_for",
        "In every range and edge, each line fetched is counted exactly once.",
        True,
        lines_accounted_for,
    ),
    Check("gaps", f"Of the numbers GROUP counts in a range, at most {GAP_SHARE:.0%} have no line.", False, gaps),
    Check("duplicates", f"At most {DUPLICATE_SHARE:.0%} of a range's lines repeat a number.", False, duplicates),
    Check("date_order", "No range was posted before the one below it.", False, date_order),
    Check("chunks_readable", "A sample of each range's records reads back with its checksum.", True, chunks_readable),
)


def _examples(places: Sequence[str]) -> dg.MetadataValue:
    return dg.MetadataValue.text("; ".join(places[:SHOWN]))
