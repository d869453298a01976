INSERT INTO chunk_files (file_id, owner_id, source_id, group_id, range_index, is_edge, generation, path, bytes) OVERRIDING SYSTEM VALUE
SELECT id, 1000000 + id, 1, 1 + id %% %(groups)s, id / %(groups)s, false, 1, 'chunks/source=main/group=a.b.g' || id %% %(groups)s || '/' || id || '-1.zst', 9000000
FROM unnest(%(ids)s::integer[]) AS id
