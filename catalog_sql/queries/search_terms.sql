-- The words of the name, null where there are none; what the word index is asked for, whenever it was posted, null where it is asked for nothing; sets
-- of groups and posters that are wanted, null for any; the newest day, and the oldest one that may hold what is wanted.
SELECT name,
    concat_ws(' & ', '(' || name || ')', '(' || categories || ')'),
    CASE WHEN %(groups)s::text[] <> '{}' THEN ARRAY(
        SELECT set_id FROM group_sets WHERE groups && (SELECT array_agg(group_id) FROM groups WHERE groups.name = ANY (%(groups)s::text[]))) END,
    CASE WHEN %(poster)s <> '' THEN ARRAY(
        SELECT poster_id FROM posters WHERE position(lower(%(poster)s) IN lower(poster)) > 0) END,
    posting_day(newest), greatest(posting_day(oldest), posting_day(now() - %(max_age)s::interval))
FROM (SELECT max(first_posted) AS newest, min(first_posted) AS oldest FROM releases) AS span,
    (SELECT name_query(%(text)s)::text AS name) AS named,
    (SELECT string_agg(''':' || category || '''', ' | ') AS categories FROM unnest(%(categories)s::integer[]) AS category) AS categorized
