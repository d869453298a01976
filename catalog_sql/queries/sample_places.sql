-- A few records of the published chunk file of each given range, another few each time.
SELECT partition_key, path, byte_offset AS offset, byte_length AS length, checksum
FROM ranges
JOIN chunk_files ON owner_id = range_id AND chunk_files.generation = ranges.generation AND retired_at IS NULL
CROSS JOIN LATERAL (SELECT * FROM records WHERE records.file_id = chunk_files.file_id ORDER BY random() LIMIT %(count)s) AS sampled
WHERE partition_key = ANY (%(keys)s)
