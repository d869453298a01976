"""Pruning of Dagster's own database: old runs and log lines go, what says that a partition is materialized stays.

Dagster has no setting for it. Its ticks it prunes itself (`retention` in dagster.yaml).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import psycopg

from catalog_sql import dagster_query
from store.catalog.connection import CatalogUnavailable

BATCH = 20_000
"""Rows a transaction, so that none is long."""


@dataclass(frozen=True, slots=True)
class Pruned:
    """Rows that were deleted."""

    runs: int
    events: int
    backfills: int


def prune(dagster_dsn: str, before: datetime) -> Pruned:
    """Delete runs that ended, events and backfills from before `before` (UTC), except materializations, observations and check results.

    Raises:
        CatalogUnavailable: the server cannot be reached.
    """
    wanted = {"before": before.replace(tzinfo=None), "batch": BATCH}
    try:
        with psycopg.connect(
            dagster_dsn.replace("postgresql+psycopg2://", "postgresql://", 1), autocommit=True
        ) as link:
            link.execute("SET TimeZone = 'UTC'")
            events = 0
            while (deleted := link.execute(dagster_query("prune_events"), wanted).rowcount) > 0:
                events += deleted
            row = link.execute(dagster_query("prune_runs"), wanted).fetchone()
            backfills = link.execute(dagster_query("prune_backfills"), wanted).rowcount
    except psycopg.OperationalError as error:
        raise CatalogUnavailable(f"Dagster's database does not answer ({error}); run again") from error
    return Pruned(row[0] if row else 0, events, backfills)
