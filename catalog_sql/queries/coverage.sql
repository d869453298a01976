-- Per group and era: ranges by state, where their lines went, bytes, gaps, pace of the last hour, and the last failure.
-- An empty range has no era of its own: it counts with the nearest older range of its group, else with the nearest newer one.
WITH placed AS (
    SELECT ranges.*,
        count(era) OVER (PARTITION BY group_id ORDER BY range_index) AS dated_below
    FROM ranges
    WHERE source_id = %(source)s
), dated AS (
    SELECT placed.*,
        coalesce(
            max(era) OVER (PARTITION BY group_id, dated_below),
            max(era) FILTER (WHERE dated_below = 1) OVER (PARTITION BY group_id)) AS shown_era
    FROM placed
), counted AS (
    SELECT dated.*, counters.lines AS counted_lines, counters.kept, counters.garbage, files.bytes AS chunk_bytes,
        -- Article numbers of the group that lie in the range, as far as GROUP says now.
        greatest(0, least((range_index + 1::bigint) * dated.size - 1, high) - greatest(range_index::bigint * dated.size, low, 1) + 1
            - (dated.lines - dated.duplicate)) AS gaps
    FROM dated
    LEFT JOIN group_numbers USING (source_id, group_id)
    LEFT JOIN counters ON owner_id = range_id
    LEFT JOIN (SELECT owner_id, sum(bytes) AS bytes FROM chunk_files WHERE retired_at IS NULL GROUP BY owner_id) AS files ON files.owner_id = range_id
)
SELECT groups.name AS group, shown_era AS era,
    count(*) FILTER (WHERE state = 'planned')::integer AS planned,
    count(*) FILTER (WHERE state = 'running')::integer AS running,
    count(*) FILTER (WHERE state = 'done')::integer AS done,
    count(*) FILTER (WHERE state = 'failed')::integer AS failed,
    count(*) FILTER (WHERE state = 'empty')::integer AS empty,
    coalesce(sum(counted_lines), 0)::bigint AS lines,
    coalesce(sum(kept), 0)::bigint AS kept,
    coalesce(sum(garbage), 0)::bigint AS garbage,
    coalesce(sum(wire_bytes) FILTER (WHERE generation > 0), 0)::bigint AS wire_bytes,
    coalesce(sum(chunk_bytes), 0)::bigint AS chunk_bytes,
    coalesce(sum(gaps) FILTER (WHERE generation > 0), 0)::bigint AS gaps,
    coalesce(sum(counted_lines) FILTER (WHERE state = 'done' AND done_at > now() - interval '1 hour'), 0)::bigint AS recent_lines,
    (count(*) FILTER (WHERE state = 'done' AND done_at > now() - interval '1 hour'))::integer AS recent_ranges,
    min(done_at) FILTER (WHERE state = 'done' AND done_at > now() - interval '1 hour') AS recent_from,
    now() AS at,
    (array_agg(error ORDER BY failed_at DESC) FILTER (WHERE state = 'failed'))[1] AS last_error,
    (array_agg(error_kind ORDER BY failed_at DESC) FILTER (WHERE state = 'failed'))[1] AS last_error_kind,
    (array_agg(partition_key ORDER BY failed_at DESC) FILTER (WHERE state = 'failed'))[1] AS last_error_range
FROM counted JOIN groups USING (group_id)
GROUP BY groups.name, shown_era
ORDER BY shown_era NULLS LAST, groups.name
