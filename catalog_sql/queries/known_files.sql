SELECT path FROM chunk_files WHERE path = ANY (%(paths)s)
