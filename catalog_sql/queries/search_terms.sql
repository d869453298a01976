-- The words of a name and of the categories as the word index has them, null where there are none; the days of the newest and of the oldest
-- release, and the first day a search of some age looks at, null for any age.
SELECT name_query(%(text)s)::text,
    (SELECT string_agg('''c:' || category || '''', ' | ') FROM unnest(%(categories)s::integer[]) AS category),
    posting_day(max(first_posted)), posting_day(min(first_posted)), posting_day(now() - %(max_age)s::interval)
FROM releases
