INSERT INTO releases (
    release_id, base_key, first_posted, last_posted, segments, segments_expected, bytes, added_at, changed_at, records, files,
    files_expected, category, tool, grouped_by, named_by, signature, completeness, has_par2, readable_name, settled, repost_of, name,
    poster, groups, repost, request_id
)
SELECT
    release_id, base_key, first_posted, last_posted, segments, segments_expected, bytes, added_at, now(), records, files,
    files_expected, category, tool, grouped_by, named_by, signature, NULL, has_par2, readable_name, false, repost_of, name, poster, groups,
    repost, request_id
FROM islands
ON CONFLICT (release_id) DO UPDATE SET
    base_key = excluded.base_key, first_posted = excluded.first_posted, last_posted = excluded.last_posted, segments = excluded.segments,
    segments_expected = excluded.segments_expected, bytes = excluded.bytes, changed_at = excluded.changed_at, records = excluded.records,
    files = excluded.files, files_expected = excluded.files_expected, category = excluded.category, tool = excluded.tool,
    grouped_by = excluded.grouped_by, named_by = excluded.named_by, signature = excluded.signature, completeness = NULL,
    has_par2 = excluded.has_par2, readable_name = excluded.readable_name, settled = false, repost_of = excluded.repost_of,
    name = excluded.name, poster = excluded.poster, groups = excluded.groups, repost = excluded.repost,
    request_id = excluded.request_id
WHERE excluded.release_id IN (SELECT release_id FROM islands WHERE is_touched)
    OR (releases.first_posted, releases.last_posted, releases.records, releases.segments, releases.bytes, releases.repost_of)
        IS DISTINCT FROM
        (excluded.first_posted, excluded.last_posted, excluded.records, excluded.segments, excluded.bytes, excluded.repost_of)
