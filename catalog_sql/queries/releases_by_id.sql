SELECT release_details.*
FROM unnest(%(ids)s::uuid[]) WITH ORDINALITY AS wanted (release_id, nth)
JOIN release_details USING (release_id)
ORDER BY nth
