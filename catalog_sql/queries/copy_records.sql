COPY records (
    file_id, ordinal, byte_offset, byte_length, checksum, base_key, stem_key, pool_key, groups, tool, grouped_by, named_by, signature,
    lone_number, name, poster, first_posted, last_posted, files, files_expected, segments, segments_expected, bytes, has_par2,
    readable_name, category, repost, request_id, file_marks
) FROM STDIN
