UPDATE ranges SET claimed = claimed + 1
FROM groups
WHERE groups.group_id = ranges.group_id
    AND ranges.source_id = %(source)s AND groups.name = %(group)s AND range_index = %(index)s AND partition_key IS NOT NULL
RETURNING range_id, claimed, ranges.group_id, era,
    coalesce((SELECT sources.name FROM sources WHERE sources.source_id = ranges.source_id), ranges.source_id::text) AS source
