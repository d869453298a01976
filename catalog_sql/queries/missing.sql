SELECT partition_key
FROM ranges JOIN groups USING (group_id)
WHERE source_id = %(source)s
    AND partition_key IS NOT NULL
    AND (%(era)s::integer IS NULL OR era = %(era)s)
    AND (%(group)s::text IS NULL OR groups.name = %(group)s)
    AND state <> 'done'
ORDER BY era, partition_key
