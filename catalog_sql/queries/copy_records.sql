COPY records (
    file_id, ordinal, byte_offset, byte_length, checksum, base_key, stem_key, pool_key, set_id, poster_id, kind_id, lone_number, name, first_posted,
    last_posted, files, files_expected, segments, segments_expected, bytes, request_id, file_marks
) FROM STDIN
