UPDATE ranges
SET state = 'done', generation = %(generation)s, group_list = %(group_list)s, signature_table = %(signature_table)s,
    software = %(software)s, line_window = %(window)s, error = NULL, error_kind = NULL, failures = 0, failed_at = NULL, done_at = now()
WHERE range_id = %(range)s
