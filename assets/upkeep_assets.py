"""Upkeep of the databases: statistics for the catalog's planner, and an end to the growth of Dagster's log."""

from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg

from store.catalog.statistics import analyze
from store.dagster_log import prune
from store.stores import Stores


@dg.asset(group_name="upkeep", kinds={"postgres"})
def analyzed_catalog(stores: dg.ResourceParam[Stores]) -> dg.MaterializeResult[Any]:
    """Tables of the catalog that changed much since Postgres last looked, looked at again. Vacuuming is autovacuum's."""
    tables = analyze(stores.catalog)
    return dg.MaterializeResult(metadata={"tables": len(tables), "names": dg.MetadataValue.text(", ".join(tables))})


@dg.asset(group_name="upkeep", kinds={"postgres"})
def pruned_dagster_log(stores: dg.ResourceParam[Stores]) -> dg.MaterializeResult[Any]:
    """Dagster's finished runs, log lines and backfills older than `dagster.keep_days`, deleted; materializations and check results stay."""
    before = datetime.now(UTC) - timedelta(days=stores.settings.dagster.keep_days)
    gone = prune(stores.catalog.dagster_dsn, before)
    return dg.MaterializeResult(metadata={"runs": gone.runs, "events": gone.events, "backfills": gone.backfills})
