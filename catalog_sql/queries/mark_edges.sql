INSERT INTO edges (source_id, group_id, range_index, dirty)
SELECT %(source)s, %(group)s, range_index, true
FROM (SELECT DISTINCT range_index FROM unnest(%(indexes)s::integer[]) AS range_index ORDER BY range_index) AS marked
ON CONFLICT (source_id, group_id, range_index) DO UPDATE SET dirty = true
