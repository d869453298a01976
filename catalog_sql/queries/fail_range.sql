UPDATE ranges SET state = 'failed', error = %(error)s, error_kind = %(kind)s, failures = failures + 1, failed_at = now()
WHERE source_id = %(source)s AND group_id = %(group)s AND range_index = %(index)s AND partition_key IS NOT NULL
