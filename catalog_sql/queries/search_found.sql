-- How many match within some days, counted up to a limit, and a page of these, newest first. Where there are words, dates are written so that
-- no index over them is asked as well.
WITH found AS MATERIALIZED (
    SELECT release_id, first_posted
    FROM releases
    WHERE (%(words)s::text[] IS NULL OR search_words(name, first_posted, category) @@ ANY (%(words)s::tsquery[]))
        AND CASE WHEN %(words)s::text[] IS NULL THEN first_posted >= to_timestamp(%(first)s * 86400::bigint)
            ELSE posting_day(first_posted) BETWEEN %(first)s AND %(last)s END
        AND (%(max_age)s::interval IS NULL OR now() - first_posted <= %(max_age)s::interval)
        AND (%(min_age)s::interval IS NULL OR first_posted <= now() - %(min_age)s::interval)
        AND (%(completeness)s::float IS NULL OR (files_expected > 0 AND segments_expected > 0
            AND least(1, files::float / files_expected) * least(1, segments::float / segments_expected) >= %(completeness)s))
        AND (%(sets)s::integer[] IS NULL OR set_id = ANY (%(sets)s::integer[]))
        AND (%(poster)s = '' OR poster_id IN (SELECT poster_id FROM posters WHERE position(lower(%(poster)s) IN lower(poster)) > 0))
        AND (%(min_bytes)s::bigint IS NULL OR bytes >= %(min_bytes)s)
        AND (%(max_bytes)s::bigint IS NULL OR bytes <= %(max_bytes)s)
    ORDER BY first_posted DESC, release_id
    LIMIT %(counted)s
)
SELECT (SELECT count(*) FROM found)::integer, ARRAY (
    SELECT release_id FROM found ORDER BY first_posted DESC, release_id LIMIT %(limit)s OFFSET %(offset)s
)
