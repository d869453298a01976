SELECT path, bytes FROM chunk_files WHERE retired_at <= %(before)s::timestamptz ORDER BY retired_at, path
