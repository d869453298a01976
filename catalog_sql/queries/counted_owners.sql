-- How many ranges and edges have counters.
SELECT count(ranges.range_id), count(edges.edge_id)
FROM counters
LEFT JOIN ranges ON ranges.range_id = counters.owner_id
LEFT JOIN edges ON edges.edge_id = counters.owner_id
