SELECT key_id AS id, name, admin, created_at, revoked_at, api_limit, get_limit FROM api_keys ORDER BY key_id
