SELECT sources.name AS source, groups.name AS "group", range_index AS "range", is_edge, generation, path, bytes, written_at, retired_at
FROM chunk_files JOIN sources USING (source_id) JOIN groups USING (group_id)
