-- Whether a chunk file must not be published again: its row is there, or its range or edge was materialized meanwhile.
SELECT EXISTS (SELECT FROM chunk_files WHERE path = %(path)s)
    OR EXISTS (SELECT FROM ranges WHERE range_id = %(owner)s AND done_at IS NOT NULL)
    OR EXISTS (SELECT FROM edges WHERE edge_id = %(owner)s AND done_at IS NOT NULL)
