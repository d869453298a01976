-- What each line of a signature table dropped, and in how many ranges and edges.
SELECT labels.label, count(DISTINCT range_id)::integer, count(DISTINCT edge_id)::integer, sum(files)::bigint, sum(segments)::bigint,
    sum(verdicts.bytes)::bigint
FROM verdicts
JOIN labels ON label_id = dropped_by
LEFT JOIN ranges ON range_id = owner_id
LEFT JOIN edges ON edge_id = owner_id
WHERE label <> ''
GROUP BY labels.label
