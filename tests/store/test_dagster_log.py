from datetime import UTC, datetime, timedelta

import dagster as dg
import psycopg
from dagster import DagsterInstance
from dagster._core.test_utils import instance_for_test
from databases import Databases

from store.dagster_log import prune

KEYS = dg.StaticPartitionsDefinition(["201203~a.b.linux~000000", "201204~a.b.linux~000001"])
OLD, NEW = KEYS.get_partition_keys()


@dg.asset(partitions_def=KEYS, check_specs=[dg.AssetCheckSpec("holds", asset="chunks")])
def chunks(context: dg.AssetExecutionContext) -> dg.MaterializeResult:
    context.log.info("a line of a log")
    return dg.MaterializeResult(metadata={"lines": 7}, check_results=[dg.AssetCheckResult(passed=True)])


def run_of(instance: DagsterInstance, key: str) -> str:
    return dg.materialize([chunks], instance=instance, partition_key=key).run_id


def test_pruning_spares_what_says_that_a_partition_is_materialized(databases: Databases) -> None:
    dsn = databases.new().replace("postgresql://", "postgresql+psycopg2://", 1)
    with instance_for_test(overrides={"storage": {"postgres": {"postgres_url": dsn}}}) as instance:
        old, new = run_of(instance, OLD), run_of(instance, NEW)
        with psycopg.connect(dsn.replace("+psycopg2", ""), autocommit=True) as link:
            for table, column in (("event_logs", "timestamp"), ("runs", "update_timestamp")):
                link.execute(f"UPDATE {table} SET {column} = {column} - interval '40 days' WHERE run_id = %s", [old])
        of_new = len(instance.all_logs(new))
        gone = prune(dsn, datetime.now(UTC) - timedelta(days=30))
        assert gone.runs == 1
        assert gone.events > 5
        assert [run.run_id for run in instance.get_runs()] == [new]
        left = {event.dagster_event_type for event in instance.all_logs(old)}
        assert left == {dg.DagsterEventType.ASSET_MATERIALIZATION, dg.DagsterEventType.ASSET_CHECK_EVALUATION}
        assert instance.get_materialized_partitions(chunks.key) == {OLD, NEW}
        (shown,) = instance.fetch_materializations(
            dg.AssetRecordsFilter(asset_key=chunks.key, asset_partitions=[OLD]), limit=1
        ).records
        assert shown.asset_materialization is not None
        assert shown.asset_materialization.metadata["lines"].value == 7
        assert len(instance.all_logs(new)) == of_new
        assert prune(dsn, datetime.now(UTC) - timedelta(days=30)).events == 0
