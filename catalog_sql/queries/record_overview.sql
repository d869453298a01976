UPDATE ranges
SET lines = %(lines)s, malformed = %(malformed)s, duplicate = %(duplicate)s, wire_bytes = %(wire_bytes)s, wire_form = %(wire_form)s,
    fetched_at = %(fetched_at)s, first_posted = %(first_posted)s, last_posted = %(last_posted)s
WHERE source_id = %(source)s AND group_id = %(group)s AND range_index = %(index)s AND partition_key IS NOT NULL
