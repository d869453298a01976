"""How many runs work on ranges at once: a pool of Dagster's, whose limit a person may change while it runs; at 0 nothing new starts."""

from __future__ import annotations

from store.configuration import Settings

RANGE_POOL = "ranges"
"""A run of ranges is one step, which takes one place; where there is none, the run stays queued."""


def places(settings: Settings) -> int:
    """Runs at once: as many as are allowed, and as the provider's connections serve."""
    account = settings.provider
    return min(settings.dagster.concurrent_runs, max(1, account.connections // account.connections_per_range))
