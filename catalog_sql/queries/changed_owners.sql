-- Ranges and edges that hold any of the pairs: segments of dropped ones that would come back, and of kept ones that would go.
WITH wanted AS (
    SELECT * FROM unnest(%(dropped)s::boolean[], %(signatures)s::integer[], %(tools)s::integer[]) AS t (dropped, signature, tool)
), summed AS (
    SELECT owner_id, coalesce(sum(segments) FILTER (WHERE dropped), 0)::bigint AS back,
        coalesce(sum(segments) FILTER (WHERE NOT dropped), 0)::bigint AS gone
    FROM verdicts JOIN labels ON label_id = dropped_by JOIN wanted USING (signature, tool)
    WHERE wanted.dropped = (label <> '')
    GROUP BY owner_id
)
SELECT partition_key, groups.name, range_index, is_edge, back, gone
FROM (
    SELECT owner_id, partition_key, group_id, range_index, false AS is_edge, back, gone
    FROM summed JOIN ranges ON range_id = owner_id
    UNION ALL
    SELECT owner_id, coalesce(below.partition_key, above.partition_key), edges.group_id, edges.range_index, true, back, gone
    FROM summed
    JOIN edges ON edge_id = owner_id
    LEFT JOIN ranges AS below USING (source_id, group_id, range_index)
    LEFT JOIN ranges AS above ON above.source_id = edges.source_id AND above.group_id = edges.group_id AND above.range_index = edges.range_index + 1
) AS owners
JOIN groups USING (group_id)
ORDER BY groups.name, range_index, is_edge, partition_key
