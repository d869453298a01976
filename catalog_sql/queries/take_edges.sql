-- Row by row in order of index, as commits do; those that still wait for a side stay dirty.
INSERT INTO edges (source_id, group_id, range_index, dirty)
SELECT %(source)s, %(group)s, range_index, range_index = ANY (%(waiting)s::integer[])
FROM (SELECT range_index FROM unnest(%(indexes)s::integer[]) AS range_index ORDER BY range_index) AS taken
ON CONFLICT (source_id, group_id, range_index) DO UPDATE SET dirty = excluded.dirty
RETURNING range_index, edge_id, generation > 0 AS has_content
