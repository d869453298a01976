-- The signatures with most segments, kept in releases or dropped as garbage.
SELECT signature, CAST(sum(kept) AS bigint) AS kept, CAST(sum(dropped) AS bigint) AS dropped
FROM (
    SELECT signature, segments AS kept, 0 AS dropped FROM releases WHERE signature <> ''
    UNION ALL
    SELECT signature, 0, segments FROM garbage
) AS held
GROUP BY signature
ORDER BY sum(kept) + sum(dropped) DESC, signature
LIMIT 20
