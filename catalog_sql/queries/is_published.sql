SELECT EXISTS (SELECT FROM chunk_files WHERE file_id = %(file)s AND retired_at IS NULL)
