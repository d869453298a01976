-- Sets that only a release of several records has. Sorted, after all other locks: two that add the same ones never wait in a circle.
INSERT INTO group_sets (groups)
SELECT groups
FROM (SELECT DISTINCT groups FROM islands) AS wanted
WHERE NOT EXISTS (SELECT FROM group_sets WHERE group_sets.groups = wanted.groups)
ORDER BY groups
ON CONFLICT DO NOTHING
