SELECT range_index, generation > 0 FROM edges WHERE source_id = %(source)s AND group_id = %(group)s AND dirty ORDER BY range_index
