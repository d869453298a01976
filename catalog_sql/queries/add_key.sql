INSERT INTO api_keys (name, secret_hash, admin) VALUES (%(name)s, %(hash)s, %(admin)s)
