-- The range or edge a chunk file belongs to, made where it is not known yet, with the month of its range. An edge has its generation, from
-- which its next run sees that there is something to replace; a range has none, and is materialized like one that never was. Numbers of
-- generations that lie on the disk are not given out again.
WITH own_range AS (
    INSERT INTO ranges (source_id, group_id, range_index, size, state, claimed)
    SELECT %(source)s, %(group)s, %(index)s, %(size)s, 'planned', %(last_generation)s
    WHERE NOT %(is_edge)s
    ON CONFLICT (source_id, group_id, range_index) DO UPDATE SET claimed = greatest(ranges.claimed, excluded.claimed)
    RETURNING range_id
), own_edge AS (
    INSERT INTO edges (source_id, group_id, range_index, dirty, generation)
    SELECT %(source)s, %(group)s, %(index)s, false, %(generation)s
    WHERE %(is_edge)s AND setval('edge_generations', greatest(%(last_generation)s, nextval('edge_generations'))) > 0
    ON CONFLICT (source_id, group_id, range_index) DO UPDATE SET generation = greatest(edges.generation, excluded.generation)
    RETURNING edge_id
)
SELECT owner_id, (
    SELECT era FROM ranges
    WHERE source_id = %(source)s AND group_id = %(group)s AND era IS NOT NULL
        AND range_index IN (%(index)s, %(index)s + %(is_edge)s::integer)
    ORDER BY range_index
    LIMIT 1
)
FROM (SELECT range_id AS owner_id FROM own_range UNION ALL SELECT edge_id FROM own_edge) AS owned
