"""How many runs work on ranges at once: a pool of Dagster's, whose limit a person may change while it runs; at 0 nothing new starts."""

from __future__ import annotations

from store.configuration import Settings

RANGE_POOL = "ranges"
"""Runs take a place in it as a whole (`concurrency.pools.granularity` in dagster.yaml), so that one that gets none stays queued."""


def places(settings: Settings) -> int:
    """Runs of the pool at once: as many as are allowed. What they take of the provider's connections is leased to them, see `assets.provider`."""
    return settings.dagster.concurrent_runs
