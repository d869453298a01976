-- The records of a chunk file with names in place of numbers, as the file itself holds them.
SELECT ordinal, byte_offset, byte_length, checksum, base_key, stem_key, pool_key, lone_number, name, poster, groups, first_posted, last_posted, files,
    files_expected, segments, segments_expected, bytes, has_par2, readable_name, category, tool, grouped_by, named_by, signature, repost, request_id,
    file_marks
FROM record_details
WHERE file_id = %(file)s
ORDER BY ordinal
