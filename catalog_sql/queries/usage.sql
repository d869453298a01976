SELECT day, kind, uses AS count FROM api_usage WHERE key_id = %(id)s ORDER BY day DESC, kind
