-- release_id: the release of the record's base key whose posting span contains it.
SELECT chunk_files.path, sources.name AS source, chunk_group.name AS "group", chunk_files.range_index AS "range", chunk_files.is_edge, record_details.ordinal,
    record_details.byte_offset, record_details.byte_length, releases.release_id::text AS release_id, record_details.base_key::text AS base_key,
    record_details.name, record_details.poster, record_details.groups, record_details.first_posted, record_details.last_posted, record_details.files,
    record_details.files_expected, record_details.segments, record_details.segments_expected, record_details.bytes, record_details.has_par2,
    record_details.readable_name, record_details.category, record_details.tool, record_details.grouped_by, record_details.named_by,
    record_details.signature, record_details.repost, record_details.request_id
FROM record_details
JOIN chunk_files USING (file_id)
JOIN sources USING (source_id)
JOIN groups AS chunk_group USING (group_id)
LEFT JOIN releases ON releases.base_key = record_details.base_key
    AND record_details.first_posted BETWEEN releases.first_posted AND releases.last_posted
