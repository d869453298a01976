UPDATE api_keys SET api_limit = %(api_limit)s, get_limit = %(get_limit)s WHERE key_id = %(id)s AND revoked_at IS NULL
