SELECT release_details.*
FROM (
    SELECT release_id AS found_id
    FROM releases
    WHERE (%(text)s = '' OR name_index(name) @@ name_query(%(text)s))
        AND (%(categories)s::integer[] = '{}' OR category = ANY (%(categories)s) OR category / 1000 * 1000 = ANY (%(categories)s))
        AND (%(groups)s::text[] = '{}' OR groups && (SELECT array_agg(group_id) FROM groups WHERE groups.name = ANY (%(groups)s)))
        AND (%(min_bytes)s::bigint IS NULL OR bytes >= %(min_bytes)s)
        AND (%(max_bytes)s::bigint IS NULL OR bytes <= %(max_bytes)s)
        AND (%(max_age)s::interval IS NULL OR first_posted >= now() - %(max_age)s::interval)
        AND (%(poster)s = '' OR position(lower(%(poster)s) IN lower(poster)) > 0)
    ORDER BY first_posted DESC, release_id
    LIMIT %(limit)s OFFSET %(offset)s
) AS page
JOIN release_details ON release_details.release_id = page.found_id
ORDER BY first_posted DESC, release_id
