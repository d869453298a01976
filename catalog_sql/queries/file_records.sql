-- The records of a chunk file with names in place of numbers, as the file itself holds them.
SELECT ordinal, byte_offset, byte_length, checksum, base_key, stem_key, pool_key, lone_number, records.name, poster,
    ARRAY(SELECT groups.name FROM unnest(records.groups) WITH ORDINALITY AS own (group_id, place) JOIN groups USING (group_id) ORDER BY place)
        AS groups,
    first_posted, last_posted, files, files_expected, segments, segments_expected, bytes, has_par2, readable_name, category,
    tools.label AS tool, grouping.label AS grouped_by, naming.label AS named_by, signatures.label AS signature, repost, request_id, file_marks
FROM records
JOIN labels AS tools ON tools.label_id = tool
JOIN labels AS grouping ON grouping.label_id = grouped_by
JOIN labels AS naming ON naming.label_id = named_by
JOIN labels AS signatures ON signatures.label_id = signature
WHERE file_id = %(file)s
ORDER BY ordinal
