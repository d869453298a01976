INSERT INTO groups (name)
SELECT name FROM unnest(%(names)s::text[]) AS wanted (name)
WHERE NOT EXISTS (SELECT FROM groups WHERE groups.name = wanted.name)
ORDER BY name
ON CONFLICT DO NOTHING
