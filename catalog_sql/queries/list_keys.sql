SELECT key_id AS id, name, admin, created_at, revoked_at FROM api_keys ORDER BY key_id
