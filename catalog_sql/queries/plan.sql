-- A range that was empty and holds articles now is planned after all.
INSERT INTO ranges (source_id, group_id, range_index, size, era, partition_key, state, starts_at)
SELECT source_id, group_id, range_index, size, era, partition_key, state, starts_at
FROM planned
ORDER BY era, partition_key
ON CONFLICT (source_id, group_id, range_index) DO UPDATE
SET era = excluded.era, partition_key = excluded.partition_key, state = excluded.state, starts_at = excluded.starts_at
WHERE ranges.partition_key IS NULL AND excluded.partition_key IS NOT NULL
RETURNING partition_key
