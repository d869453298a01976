SELECT range_index FROM edges WHERE source_id = %(source)s AND group_id = %(group)s AND dirty ORDER BY range_index
