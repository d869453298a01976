-- The span of each record under every key it has or may get.
SELECT key, first_posted, last_posted
FROM records, unnest(ARRAY[base_key, stem_key, pool_key]) AS key
WHERE key IS NOT NULL AND file_id IN (SELECT file_id FROM chunk_files WHERE owner_id = ANY (%(owners)s) AND retired_at IS NULL)
