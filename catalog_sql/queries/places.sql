-- Ordered by what the records are, not by when they were written.
SELECT path, byte_offset AS offset, byte_length AS length, checksum
FROM releases
JOIN records ON records.base_key = releases.base_key
    AND records.first_posted BETWEEN releases.first_posted AND releases.last_posted
JOIN chunk_files USING (file_id)
JOIN groups ON groups.group_id = chunk_files.group_id
WHERE release_id = coalesce((SELECT release_id FROM release_aliases WHERE alias = %(id)s), %(id)s)
ORDER BY records.first_posted, chunk_files.source_id, groups.name, chunk_files.range_index, is_edge, ordinal
