SELECT *
FROM release_details
WHERE release_id = coalesce((SELECT release_id FROM release_aliases WHERE alias = %(id)s), %(id)s)
