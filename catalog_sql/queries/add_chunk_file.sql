INSERT INTO chunk_files (owner_id, source_id, group_id, range_index, is_edge, generation, path, bytes)
VALUES (%(owner)s, %(source)s, %(group)s, %(index)s, %(is_edge)s, %(generation)s, %(path)s, %(bytes)s)
RETURNING file_id
