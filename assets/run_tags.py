"""Tags that say what a run is about, to find it by in Dagster's list of runs."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.ranges import parse_key

GROUPS = 3


def run_tags(keys: Sequence[str]) -> dict[str, str]:
    """Era, group and range of a run over the partition `keys`; of several, the first and the last, and a few groups by name."""
    eras = sorted({key[:6] for key in keys})
    groups = sorted({parse_key(key)[1].group for key in keys})
    named = ", ".join(groups[:GROUPS]) + (f" and {len(groups) - GROUPS} more" if len(groups) > GROUPS else "")
    ordered = sorted(keys)
    return {
        "overlake/era": eras[0] if len(eras) == 1 else f"{eras[0]}-{eras[-1]}",
        "overlake/group": named,
        "overlake/range": ordered[0] if len(ordered) == 1 else f"{ordered[0]} ... {ordered[-1]}",
    }
