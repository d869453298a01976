-- The words of a name and of the categories as the word index has them, null where there are none; the day of the newest release, and the oldest day
-- to look at, null for any.
SELECT name_query(%(text)s)::text,
    (SELECT string_agg('''c:' || category || '''', ' | ') FROM unnest(%(categories)s::integer[]) AS category),
    posting_day(max(first_posted)), posting_day(now() - %(max_age)s::interval)
FROM releases
