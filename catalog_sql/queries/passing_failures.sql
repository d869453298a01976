-- Failed ranges of kinds that may pass, whose time to be tried again has come: 10 minutes after the first failure, twice that after each further one.
SELECT partition_key, failed_at FROM ranges
WHERE source_id = %(source)s AND state = 'failed' AND error_kind = ANY (%(kinds)s)
    AND failures <= %(attempts)s AND failed_at + interval '10 minutes' * (2 ^ (failures - 1)) <= now()
ORDER BY era, partition_key
LIMIT %(limit)s
