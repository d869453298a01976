UPDATE api_keys SET revoked_at = coalesce(revoked_at, now()) WHERE key_id = %(id)s
