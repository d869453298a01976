SELECT payload
FROM unnest(%(ranges)s::integer[], %(ordinals)s::integer[]) WITH ORDINALITY AS wanted (range_id, ordinal, nth)
JOIN fragments USING (range_id, ordinal)
ORDER BY nth
