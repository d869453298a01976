COPY records (
    file_id, ordinal, byte_offset, byte_length, checksum, base_key, groups, tool, grouped_by, named_by, signature, name, poster,
    first_posted, last_posted, files, files_expected, segments, segments_expected, bytes, has_par2, readable_name, category
) FROM STDIN
