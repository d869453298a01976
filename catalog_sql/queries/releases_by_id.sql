SELECT *
FROM release_details
WHERE release_id = ANY (%(ids)s::uuid[])
ORDER BY first_posted DESC, release_id
