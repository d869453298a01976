WITH written AS (
    INSERT INTO releases (
        release_id, base_key, first_posted, last_posted, added_at, changed_at, bytes, repost_of, segments, segments_expected, records, files,
        files_expected, kind_id, poster_id, set_id, category, has_par2, readable_name, repost, by_pool, name, request_id
    )
    SELECT
        release_id, base_key, first_posted, last_posted, added_at, now(), bytes, repost_of, segments, segments_expected, records, files,
        files_expected, kind_id, poster_id, set_id, category, has_par2, readable_name, repost, by_pool, name, request_id
    FROM islands JOIN group_sets USING (groups)
    ON CONFLICT (release_id) DO UPDATE SET
        first_posted = excluded.first_posted, last_posted = excluded.last_posted, changed_at = excluded.changed_at, bytes = excluded.bytes,
        repost_of = excluded.repost_of, segments = excluded.segments, segments_expected = excluded.segments_expected,
        records = excluded.records, files = excluded.files, files_expected = excluded.files_expected, kind_id = excluded.kind_id,
        poster_id = excluded.poster_id, set_id = excluded.set_id, category = excluded.category, has_par2 = excluded.has_par2,
        readable_name = excluded.readable_name, repost = excluded.repost, by_pool = excluded.by_pool, name = excluded.name,
        request_id = excluded.request_id
    WHERE excluded.release_id IN (SELECT release_id FROM islands WHERE is_touched)
        OR (releases.first_posted, releases.last_posted, releases.records, releases.segments, releases.bytes, releases.repost_of)
            IS DISTINCT FROM
            (excluded.first_posted, excluded.last_posted, excluded.records, excluded.segments, excluded.bytes, excluded.repost_of)
    RETURNING release_id, changed_at
)
-- What was written is open, again or for the first time.
INSERT INTO open_releases (release_id, changed_at)
SELECT release_id, changed_at FROM written
ON CONFLICT (release_id) DO UPDATE SET changed_at = excluded.changed_at
