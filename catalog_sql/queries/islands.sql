-- The releases of the touched base keys, from their records and nothing else (order of ranges and re-runs leave no trace), with
-- the ids clients already know. An island is a run of records without a gap in posting time; its facts are those of its leading record.
CREATE TEMPORARY TABLE islands ON COMMIT DROP AS
WITH touched AS (
    SELECT * FROM unnest(%(base_keys)s::bigint[], %(firsts)s::timestamptz[], %(lasts)s::timestamptz[]) AS t (base_key, first_posted, last_posted)
), ordered AS (
    SELECT records.*, poster, kinds.category, kinds.has_par2, kinds.readable_name, kinds.repost,
        records.first_posted > max(records.last_posted) OVER (
            PARTITION BY records.base_key ORDER BY records.first_posted, records.last_posted, file_id, ordinal
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ) + CASE WHEN records.base_key = records.pool_key THEN %(pool_gap)s::interval ELSE %(gap)s::interval END AS starts
    FROM records JOIN kinds USING (kind_id) JOIN posters USING (poster_id)
    WHERE base_key IN (SELECT base_key FROM touched)
), numbered AS (
    SELECT *, count(*) FILTER (WHERE starts) OVER (PARTITION BY base_key ORDER BY first_posted, last_posted, file_id, ordinal) AS island
    FROM ordered
), ranked AS (
    SELECT *, row_number() OVER (
        PARTITION BY base_key, island
        ORDER BY readable_name DESC, length(name) DESC, name COLLATE "C", poster COLLATE "C", files DESC, segments DESC, bytes DESC,
            first_posted, last_posted, category
    ) AS place
    FROM numbered
), shared AS (
    SELECT base_key, island,
        max(files) FILTER (WHERE files >= files_expected AND segments = segments_expected) AS whole_files,
        max(segments) FILTER (WHERE files >= files_expected AND segments = segments_expected) AS whole_segments,
        max(bytes) FILTER (WHERE files >= files_expected AND segments = segments_expected) AS whole_bytes
    FROM ranked
    GROUP BY base_key, island
    HAVING count(*) > 1
), once AS (
    -- A file that lies in several records counts once.
    SELECT base_key, island, count(*)::integer AS files, sum(least(expected, found))::bigint AS segments,
        sum(expected)::bigint AS segments_expected
    FROM (
        SELECT base_key, island, file_key, max(expected) AS expected, sum(found) AS found
        FROM shared JOIN ranked USING (base_key, island), file_marks(ranked.file_marks)
        WHERE whole_files IS NULL
        GROUP BY base_key, island, file_key
    ) AS distinct_files
    GROUP BY base_key, island
), grouped AS (
    SELECT base_key, island, array_agg(DISTINCT group_id ORDER BY group_id) AS groups
    FROM ranked JOIN group_sets USING (set_id), unnest(group_sets.groups) AS group_id
    GROUP BY base_key, island
), facts AS (
    SELECT base_key, island,
        min(first_posted) AS first_posted, max(last_posted) AS last_posted, count(*)::integer AS records,
        coalesce(max(whole_files), max(once.files), sum(ranked.files))::integer AS files, max(files_expected) AS files_expected,
        least(coalesce(max(whole_segments), max(once.segments), sum(ranked.segments)), 2147483647)::integer AS segments,
        least(coalesce(max(whole_segments), max(once.segments_expected), sum(ranked.segments_expected)), 2147483647)::integer AS segments_expected,
        coalesce(max(whole_bytes), sum(ranked.bytes))::bigint AS bytes,
        bool_or(has_par2) AS has_par2, bool_or(readable_name) AS readable_name,
        min(name) FILTER (WHERE place = 1) AS name, min(poster_id) FILTER (WHERE place = 1) AS poster_id,
        -- Files of one kind may lie in another record than the name.
        coalesce(min(category) FILTER (WHERE place = 1 AND category <> 8010), min(category) FILTER (WHERE category <> 8010), 8010)
            AS category,
        min(kind_id) FILTER (WHERE place = 1) AS kind_id, coalesce(bool_or(ranked.base_key = pool_key), false) AS by_pool,
        bool_or(repost) AS repost, coalesce(min(request_id) FILTER (WHERE request_id <> ''), '') AS request_id
    FROM ranked LEFT JOIN shared USING (base_key, island) LEFT JOIN once USING (base_key, island)
    GROUP BY base_key, island
), old AS MATERIALIZED (
    SELECT release_id, added_at, base_key, first_posted, last_posted
    FROM releases_of(%(base_keys)s::bigint[])
), near AS (
    SELECT old.release_id, old.added_at, base_key, facts.island, facts.first_posted, true AS own,
        CASE WHEN old.first_posted <= facts.last_posted AND old.last_posted >= facts.first_posted THEN 1 ELSE 3 END AS rank
    FROM old JOIN facts USING (base_key)
    WHERE old.first_posted <= facts.last_posted + %(gap)s::interval AND old.last_posted >= facts.first_posted - %(gap)s::interval
    UNION ALL
    SELECT old.release_id, old.added_at, ranked.base_key, ranked.island, ranked.first_posted, false, 2
    FROM ranked, unnest(ARRAY[stem_key, pool_key]) AS other_key JOIN old ON old.base_key = other_key
    WHERE other_key <> ranked.base_key AND ranked.first_posted BETWEEN old.first_posted AND old.last_posted
), met AS (
    -- Each known release goes to one island: one of its key that overlaps it, else one of the other key its records have or had, else one
    -- of its key that is merely near; then the earliest.
    SELECT *, row_number() OVER (PARTITION BY release_id ORDER BY rank, first_posted, base_key) AS choice
    FROM near
), known AS (
    -- An id begins with its key: what comes from another key goes on as an alias.
    SELECT base_key, island, release_id, added_at, array_remove(met_ids, release_id) AS merged
    FROM (
        SELECT base_key, island, min(added_at) AS added_at, array_agg(release_id) AS met_ids,
            (array_agg(release_id ORDER BY added_at, release_id) FILTER (WHERE own))[1] AS release_id
        FROM met
        WHERE choice = 1
        GROUP BY base_key, island
    ) AS taken
), changed AS (
    SELECT DISTINCT base_key, island
    FROM facts JOIN touched USING (base_key)
    WHERE touched.first_posted <= facts.last_posted AND touched.last_posted >= facts.first_posted
), identified AS (
    SELECT facts.*, coalesce(grouped.groups, '{}') AS groups, coalesce(known.added_at, now()) AS added_at,
        coalesce(known.merged, '{}') AS merged,
        coalesce(known.release_id, new_release_id(facts.base_key, facts.first_posted)) AS release_id,
        changed.base_key IS NOT NULL AS is_touched
    FROM facts
    LEFT JOIN grouped USING (base_key, island)
    LEFT JOIN known USING (base_key, island)
    LEFT JOIN changed USING (base_key, island)
)
SELECT *, lag(release_id) OVER (PARTITION BY base_key ORDER BY first_posted) AS repost_of
FROM identified
