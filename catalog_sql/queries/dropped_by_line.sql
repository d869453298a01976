-- What each line of the signature table dropped, over all ranges and edges.
SELECT labels.label, count(DISTINCT owner_id)::integer, sum(files)::bigint, sum(segments)::bigint, sum(bytes)::bigint
FROM garbage JOIN labels ON label_id = dropped_by
GROUP BY labels.label
