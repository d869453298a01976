DELETE FROM releases
WHERE base_key = ANY (%(base_keys)s::uuid[]) AND NOT EXISTS (SELECT FROM islands WHERE islands.release_id = releases.release_id)
RETURNING release_id
