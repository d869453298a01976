"""How many runs work on ranges at once: a pool of Dagster's, whose limit a person may change while it runs; at 0 nothing new starts."""

from __future__ import annotations

from store.configuration import Settings

RANGE_POOL = "ranges"
"""A run of ranges is one step, which takes one place; where there is none, the run stays queued."""


def places(settings: Settings) -> int:
    """Runs of the pool at once: as many as are allowed. What they take of the provider's connections is leased to them, see `assets.provider`."""
    return settings.dagster.concurrent_runs
