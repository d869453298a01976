INSERT INTO sources (source_id, name)
SELECT coalesce(max(source_id), 0) + 1, %(name)s FROM sources
ON CONFLICT DO NOTHING
