UPDATE api_keys SET secret_hash = %(hash)s WHERE key_id = %(id)s AND revoked_at IS NULL
