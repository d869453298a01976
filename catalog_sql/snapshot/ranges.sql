SELECT sources.name AS source, groups.name AS "group", ranges.range_index AS "range", ranges.partition_key, ranges.era, ranges.size, ranges.state,
    ranges.generation, ranges.first_posted, ranges.last_posted, ranges.fetched_at, ranges.done_at, ranges.wire_bytes, ranges.wire_form,
    ranges.group_list, ranges.signature_table, ranges.software, ranges.line_window, ranges.error, coalesce(counters.lines, ranges.lines) AS lines,
    coalesce(counters.malformed, ranges.malformed) AS malformed, coalesce(counters.duplicate, ranges.duplicate) AS duplicate,
    counters.outside_main, counters.set_aside_random, counters.set_aside_obfuscated, counters.set_aside_text, counters.repeated,
    counters.garbage, counters.kept, counters.in_fragments
FROM ranges
JOIN sources USING (source_id)
JOIN groups USING (group_id)
LEFT JOIN counters ON counters.owner_id = ranges.range_id
