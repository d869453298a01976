SELECT partition_key FROM ranges WHERE source_id = %(source)s AND partition_key IS NOT NULL ORDER BY era, partition_key
