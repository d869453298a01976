SELECT path, bytes FROM chunk_files WHERE retired_at IS NULL ORDER BY path COLLATE "C"
