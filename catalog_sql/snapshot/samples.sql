SELECT sources.name AS source, groups.name AS "group", ranges.range_index AS "range", samples.kind, samples.number, samples.subject, samples.poster, samples.message_id, samples.bytes
FROM samples
LEFT JOIN ranges ON ranges.range_id = samples.owner_id
LEFT JOIN sources USING (source_id)
LEFT JOIN groups USING (group_id)
