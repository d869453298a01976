INSERT INTO group_numbers (source_id, group_id, low, high, seen_at)
VALUES (%(source)s, %(group)s, %(low)s, %(high)s, now())
ON CONFLICT (source_id, group_id) DO UPDATE SET low = excluded.low, high = excluded.high, seen_at = excluded.seen_at
