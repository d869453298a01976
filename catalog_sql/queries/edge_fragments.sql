-- All fragments of the files that reach a decided edge, or that an affected edge holds, wherever in the group they lie.
WITH in_group AS (
    SELECT range_id, range_index FROM ranges WHERE source_id = %(source)s AND group_id = %(group)s
), wanted AS (
    SELECT DISTINCT file_key
    FROM fragments JOIN in_group USING (range_id)
    WHERE (at_high AND range_index = ANY (%(decided)s::integer[]))
        OR (at_low AND range_index - 1 = ANY (%(decided)s::integer[]))
        OR owner = ANY (%(affected)s::integer[])
)
SELECT range_id, ordinal, range_index, file_key, owner, segments_found, segments_expected, at_low, at_high
FROM fragments JOIN in_group USING (range_id) JOIN wanted USING (file_key)
ORDER BY range_index, ordinal
