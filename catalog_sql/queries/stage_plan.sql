CREATE TEMPORARY TABLE planned (
    source_id smallint, group_id integer, range_index integer, size bigint, era integer, partition_key text, state text, starts_at timestamptz
) ON COMMIT DROP
