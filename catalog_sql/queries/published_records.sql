SELECT base_key, first_posted, last_posted
FROM records
WHERE file_id IN (SELECT file_id FROM chunk_files WHERE owner_id = ANY (%(owners)s) AND retired_at IS NULL)
