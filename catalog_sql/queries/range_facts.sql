-- What asset checks look at, for the given ranges: lines, gaps against GROUP, duplicates, dates beside those of the range below.
SELECT ranges.partition_key AS key, ranges.lines, ranges.duplicate, ranges.first_posted, ranges.last_posted,
    greatest(0, least((ranges.range_index + 1::bigint) * ranges.size - 1, high) - greatest(ranges.range_index::bigint * ranges.size, low, 1) + 1) AS numbers,
    below.first_posted AS first_below
FROM ranges
LEFT JOIN group_numbers USING (source_id, group_id)
LEFT JOIN ranges AS below ON (below.source_id, below.group_id, below.range_index) = (ranges.source_id, ranges.group_id, ranges.range_index - 1)
WHERE ranges.partition_key = ANY (%(keys)s) AND ranges.lines IS NOT NULL
ORDER BY ranges.partition_key
