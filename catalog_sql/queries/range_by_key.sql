SELECT ranges.range_id, ranges.source_id, groups.name, ranges.range_index, ranges.size, ranges.partition_key, ranges.era, ranges.state,
    ranges.generation, ranges.lines, ranges.malformed, ranges.duplicate, ranges.wire_bytes, ranges.wire_form, ranges.fetched_at,
    ranges.first_posted, ranges.last_posted, ranges.group_list, ranges.signature_table, ranges.software, ranges.line_window,
    ranges.error, ranges.failed_at, ranges.done_at
FROM ranges JOIN groups USING (group_id)
WHERE ranges.partition_key = %(key)s
