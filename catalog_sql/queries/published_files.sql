-- Every published chunk file in order of path, with the range to materialize again when it is damaged: of an edge the one below it, or
-- above where none is planned below.
SELECT file_id, path, bytes, coalesce(sources.name, chunk_files.source_id::text) AS source, groups.name AS "group", chunk_files.range_index,
    is_edge, chunk_files.generation, coalesce(own.partition_key, above.partition_key) AS key
FROM chunk_files
JOIN groups USING (group_id)
LEFT JOIN sources USING (source_id)
LEFT JOIN ranges AS own USING (source_id, group_id, range_index)
LEFT JOIN ranges AS above
    ON is_edge AND (above.source_id, above.group_id, above.range_index) = (chunk_files.source_id, chunk_files.group_id, chunk_files.range_index + 1)
WHERE retired_at IS NULL
ORDER BY path COLLATE "C"
