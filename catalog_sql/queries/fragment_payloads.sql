SELECT payload
FROM unnest(%(ranges)s::integer[], %(file_keys)s::uuid[]) WITH ORDINALITY AS wanted (range_id, file_key, nth)
JOIN fragments USING (range_id, file_key)
ORDER BY nth
