-- Old log lines and events, a batch at a time. Kept for ever is what belongs to an asset but was not only planned: it says which
-- partitions are materialized, with which figures, and how checks came out.
DELETE FROM event_logs WHERE id IN (
    SELECT id FROM event_logs
    WHERE timestamp < %(before)s
        AND (
            dagster_event_type IS NULL
            OR asset_key IS NULL AND dagster_event_type NOT LIKE 'ASSET_%%'
            OR dagster_event_type IN ('ASSET_MATERIALIZATION_PLANNED', 'ASSET_CHECK_EVALUATION_PLANNED'))
        AND NOT EXISTS (SELECT FROM runs WHERE runs.run_id = event_logs.run_id AND runs.status NOT IN ('SUCCESS', 'FAILURE', 'CANCELED'))
    LIMIT %(batch)s)
