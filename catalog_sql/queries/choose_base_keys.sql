-- A lone file goes with its stem as soon as any other file of that stem and pool is known, else with the pool: a function of the
-- records there are now. Both keys of what moves are touched. They are locked, so no row moves meanwhile.
WITH lone AS (
    SELECT ctid AS place, base_key, CASE WHEN EXISTS (
        SELECT FROM records AS other
        WHERE other.stem_key = records.stem_key AND other.pool_key = records.pool_key
            AND other.lone_number IS DISTINCT FROM records.lone_number
    ) THEN stem_key ELSE pool_key END AS wanted
    FROM records
    WHERE stem_key = ANY (%(base_keys)s::bigint[]) AND lone_number IS NOT NULL
), moved AS (
    UPDATE records SET base_key = lone.wanted
    FROM lone
    WHERE records.ctid = lone.place AND lone.base_key <> lone.wanted
    RETURNING stem_key, pool_key, first_posted, last_posted
)
SELECT key, first_posted, last_posted FROM moved, unnest(ARRAY[stem_key, pool_key]) AS key
