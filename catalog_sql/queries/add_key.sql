INSERT INTO api_keys (name, secret_hash, admin, api_limit, get_limit) VALUES (%(name)s, %(hash)s, %(admin)s, %(api_limit)s, %(get_limit)s)
