-- What became of some ranges.
SELECT partition_key, state, generation, error, failed_at
FROM ranges
WHERE partition_key = ANY (%(keys)s)
