UPDATE ranges SET state = 'running'
WHERE source_id = %(source)s AND group_id = %(group)s AND range_index = %(index)s AND partition_key IS NOT NULL
