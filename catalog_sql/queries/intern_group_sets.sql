INSERT INTO group_sets (groups)
SELECT wanted::integer[] FROM unnest(%(names)s::text[]) AS wanted
WHERE NOT EXISTS (SELECT FROM group_sets WHERE groups = wanted::integer[])
ORDER BY wanted::integer[]
ON CONFLICT DO NOTHING
