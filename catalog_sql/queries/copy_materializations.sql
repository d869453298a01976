-- Dagster's own table: the only materialization of an asset, once more for each of many partitions.
INSERT INTO event_logs (run_id, event, dagster_event_type, timestamp, step_key, asset_key, partition)
SELECT run_id, replace(event, to_json(event_logs.partition)::text, to_json(wanted.partition)::text), dagster_event_type, timestamp, step_key, asset_key, wanted.partition
FROM event_logs, unnest(%(partitions)s::text[]) AS wanted (partition)
WHERE dagster_event_type = 'ASSET_MATERIALIZATION' AND asset_key = %(asset)s
