-- Ids of merged releases, and those that already led to them, lead to what they were merged into.
WITH moved AS (
    SELECT merged_id, islands.release_id FROM islands, unnest(islands.merged) AS merged_id
), followed AS (
    UPDATE release_aliases SET release_id = moved.release_id FROM moved WHERE release_aliases.release_id = moved.merged_id
)
INSERT INTO release_aliases (alias, release_id)
SELECT merged_id, release_id FROM moved
ON CONFLICT (alias) DO UPDATE SET release_id = excluded.release_id
