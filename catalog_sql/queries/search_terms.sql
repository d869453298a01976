-- The words of the name, null where there are none; what the word index is asked for, whenever it was posted, empty where it is asked for nothing;
-- sets of groups that are wanted, null for any; the newest day, and the oldest one that may hold what is wanted.
-- The index keeps no order of words, so none is asked for, and no word of more than 250 characters. Words that must not occur narrow nothing: with them alone, all categories are asked for.
SELECT name,
    concat_ws(' & ', '(' || name || ')', (
        SELECT '(' || string_agg(''':' || category || '''', ' | ') || ')'
        FROM unnest(CASE WHEN %(categories)s::integer[] = '{}' AND querytree(name::tsquery) IN ('', 'T')
            THEN ARRAY(SELECT generate_series(0, 9000, 1000)) ELSE %(categories)s::integer[] END) AS category)),
    CASE WHEN %(groups)s::text[] <> '{}' THEN ARRAY(
        SELECT set_id FROM group_sets WHERE groups && (SELECT array_agg(group_id) FROM groups WHERE groups.name = ANY (%(groups)s::text[]))) END,
    posting_day(least(newest, now() - %(min_age)s::interval)), greatest(posting_day(oldest), posting_day(now() - %(max_age)s::interval))
FROM (SELECT max(first_posted) AS newest, min(first_posted) AS oldest FROM releases) AS span,
    (SELECT CASE WHEN words <> '' AND words !~ '[^'']{251}' THEN regexp_replace(words, '<(-|[0-9]+)>', '&', 'g') END AS name
        FROM (SELECT name_query(%(text)s)::text AS words) AS asked) AS named
