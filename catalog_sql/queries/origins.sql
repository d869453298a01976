-- Where the records of a release come from, in the order of places.sql. Of an edge the range below it is told.
SELECT sources.name AS source, groups.name AS group, chunk_files.range_index, is_edge, chunk_files.generation, ranges.partition_key,
    ranges.size AS range_size, ranges.era, coalesce(edges.done_at, ranges.done_at) AS made_at,
    coalesce(edges.software, ranges.software) AS software, coalesce(edges.signature_table, ranges.signature_table) AS signature_table,
    path, byte_offset AS offset, byte_length AS length, records.files, records.segments, records.segments_expected, records.bytes
FROM releases
JOIN records ON records.base_key = releases.base_key
    AND records.first_posted BETWEEN releases.first_posted AND releases.last_posted
JOIN chunk_files USING (file_id)
JOIN groups ON groups.group_id = chunk_files.group_id
LEFT JOIN sources USING (source_id)
LEFT JOIN ranges ON ranges.source_id = chunk_files.source_id AND ranges.group_id = chunk_files.group_id AND ranges.range_index = chunk_files.range_index
LEFT JOIN edges ON edge_id = owner_id
WHERE release_id = coalesce((SELECT release_id FROM release_aliases WHERE alias = %(id)s), %(id)s)
ORDER BY records.first_posted, chunk_files.source_id, groups.name, chunk_files.range_index, is_edge, ordinal
