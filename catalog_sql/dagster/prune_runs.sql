-- Old finished runs with their tags; events that stay keep the run's id. Those of a backfill under way are still counted by it.
WITH gone AS (
    DELETE FROM runs
    WHERE status IN ('SUCCESS', 'FAILURE', 'CANCELED') AND update_timestamp < %(before)s
        AND NOT EXISTS (
            SELECT FROM run_tags JOIN bulk_actions ON bulk_actions.key = run_tags.value
            WHERE run_tags.run_id = runs.run_id AND run_tags.key = 'dagster/backfill'
                AND bulk_actions.status IN ('REQUESTED', 'CANCELING', 'FAILING'))
    RETURNING run_id
), tags AS (
    DELETE FROM run_tags WHERE run_id IN (SELECT run_id FROM gone)
)
SELECT count(*) FROM gone
