-- Count so many uses of a key unless its limit of the day would be passed, and tell the uses of this day (UTC). No row: no such key, or a revoked one.
WITH known AS (
    SELECT key_id, name, admin, created_at, revoked_at, api_limit, get_limit, (now() AT TIME ZONE 'UTC')::date AS today,
        coalesce(CASE %(kind)s WHEN 'api' THEN api_limit ELSE get_limit END, 2147483647) AS most
    FROM api_keys WHERE secret_hash = %(hash)s AND revoked_at IS NULL
), counted AS (
    INSERT INTO api_usage (key_id, day, kind, uses)
    SELECT key_id, today, %(kind)s, %(times)s FROM known WHERE %(times)s <= most
    ON CONFLICT (key_id, day, kind) DO UPDATE SET uses = api_usage.uses + excluded.uses
        WHERE api_usage.uses + excluded.uses <= (SELECT most FROM known)
    RETURNING kind, uses
), before AS (
    SELECT kind, uses FROM api_usage JOIN known ON api_usage.key_id = known.key_id AND day = today
)
SELECT key_id, name, admin, created_at, revoked_at, api_limit, get_limit, EXISTS (SELECT FROM counted),
    coalesce((SELECT uses FROM counted WHERE kind = 'api'), (SELECT uses FROM before WHERE kind = 'api'), 0),
    coalesce((SELECT uses FROM counted WHERE kind = 'get'), (SELECT uses FROM before WHERE kind = 'get'), 0)
FROM known
