INSERT INTO expired_overviews (range_id, deleted_at) VALUES (%(range)s, %(now)s)
ON CONFLICT (range_id) DO UPDATE SET deleted_at = excluded.deleted_at
