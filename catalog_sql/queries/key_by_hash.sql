SELECT key_id AS id, name, admin, created_at, revoked_at, api_limit, get_limit FROM api_keys WHERE secret_hash = %(hash)s AND revoked_at IS NULL
