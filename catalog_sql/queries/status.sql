SELECT groups.name AS group, era,
    count(*) FILTER (WHERE state = 'planned')::integer AS planned,
    count(*) FILTER (WHERE state = 'running')::integer AS running,
    count(*) FILTER (WHERE state = 'done')::integer AS done,
    count(*) FILTER (WHERE state = 'failed')::integer AS failed,
    coalesce(sum(counters.lines), 0)::bigint AS lines,
    coalesce(sum(counters.kept), 0)::bigint AS kept
FROM ranges JOIN groups USING (group_id) LEFT JOIN counters ON owner_id = range_id
WHERE source_id = %(source)s AND partition_key IS NOT NULL
GROUP BY groups.name, era
ORDER BY era, groups.name
