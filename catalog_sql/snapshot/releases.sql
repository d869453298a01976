SELECT release_id::text AS release_id, name, poster, groups, first_posted, last_posted, files, files_expected, segments, segments_expected,
    bytes, has_par2, readable_name, category, tool, grouped_by, named_by, signature, records, settled, completeness,
    repost_of::text AS repost_of, added_at, changed_at, repost, request_id
FROM release_details
