-- The page where more match than are counted.
SELECT release_id
FROM releases
WHERE (%(words)s::text IS NULL OR search_words(name, first_posted, category) @@ %(words)s::tsquery)
    AND (%(groups)s::text[] = '{}' OR set_id IN (
        SELECT set_id FROM group_sets WHERE groups && (SELECT array_agg(group_id) FROM groups WHERE groups.name = ANY (%(groups)s))))
    AND (%(min_bytes)s::bigint IS NULL OR bytes >= %(min_bytes)s)
    AND (%(max_bytes)s::bigint IS NULL OR bytes <= %(max_bytes)s)
    AND (%(max_age)s::interval IS NULL OR first_posted >= now() - %(max_age)s::interval)
    AND (%(poster)s = '' OR poster_id IN (SELECT poster_id FROM posters WHERE position(lower(%(poster)s) IN lower(poster)) > 0))
ORDER BY first_posted DESC, release_id
LIMIT %(limit)s OFFSET %(offset)s
