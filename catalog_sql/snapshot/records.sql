SELECT chunk_files.path, records.ordinal, records.byte_offset, records.byte_length, records.base_key::text AS base_key, records.name, poster,
    records.first_posted, records.last_posted, records.files, records.files_expected, records.segments, records.segments_expected, records.bytes
FROM records JOIN chunk_files USING (file_id) JOIN posters USING (poster_id)
