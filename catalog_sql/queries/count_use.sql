INSERT INTO api_usage (key_id, day, kind, uses)
VALUES (%(id)s, (now() AT TIME ZONE 'UTC')::date, %(kind)s, 1)
ON CONFLICT (key_id, day, kind) DO UPDATE SET uses = api_usage.uses + 1
RETURNING uses
