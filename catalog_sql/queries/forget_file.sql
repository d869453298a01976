DELETE FROM chunk_files WHERE path = %(path)s AND retired_at IS NOT NULL
