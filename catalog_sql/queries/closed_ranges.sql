SELECT range_index, era
FROM ranges
WHERE source_id = %(source)s AND group_id = %(group)s AND (generation > 0 OR state = 'empty')
