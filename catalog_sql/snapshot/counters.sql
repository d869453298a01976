-- Where the lines of each range, and the segments of each edge above one, went.
SELECT sources.name AS source, groups.name AS "group", owned.range_index AS "range", owned.is_edge, owned.era, counters.lines, counters.malformed,
    counters.duplicate, counters.outside_main, counters.set_aside_random, counters.set_aside_obfuscated, counters.set_aside_text, counters.repeated,
    counters.garbage, counters.kept, counters.in_fragments
FROM counters
JOIN (
    SELECT range_id AS owner_id, source_id, group_id, range_index, false AS is_edge, era FROM ranges
    UNION ALL
    SELECT edge_id, edges.source_id, edges.group_id, edges.range_index, true, below.era
    FROM edges
    LEFT JOIN ranges AS below USING (source_id, group_id, range_index)
) AS owned USING (owner_id)
JOIN sources USING (source_id)
JOIN groups USING (group_id)
