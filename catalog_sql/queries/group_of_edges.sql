SELECT group_id, low, high,
    coalesce((SELECT sources.name FROM sources WHERE source_id = %(source)s::smallint), %(source)s::text) AS source
FROM groups LEFT JOIN group_numbers USING (group_id)
WHERE name = %(group)s AND coalesce(group_numbers.source_id, %(source)s) = %(source)s
