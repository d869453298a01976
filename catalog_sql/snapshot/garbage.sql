SELECT sources.name AS source, groups.name AS "group", range_index AS "range", is_edge, lines.label AS dropped_by, signatures.label AS signature,
    tools.label AS tool, files, segments, bytes
FROM (
    SELECT verdicts.*, source_id, group_id, range_index, false AS is_edge FROM verdicts JOIN ranges ON range_id = owner_id
    UNION ALL
    SELECT verdicts.*, source_id, group_id, range_index, true FROM verdicts JOIN edges ON edge_id = owner_id
) AS owned
JOIN sources USING (source_id)
JOIN groups USING (group_id)
JOIN labels AS lines ON lines.label_id = dropped_by
JOIN labels AS signatures ON signatures.label_id = signature
JOIN labels AS tools ON tools.label_id = tool
WHERE lines.label <> ''
