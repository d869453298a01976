-- Ranges and edges whose lines are not the sum of the other counters.
WITH counted AS (
    SELECT counters.*, lines - (malformed + duplicate + outside_main + set_aside_random + set_aside_obfuscated + set_aside_text
        + repeated + garbage + kept + in_fragments) AS balance
    FROM counters
)
SELECT coalesce(ranges.partition_key, groups.name || ' edge ' || edges.range_index), counted.balance
FROM counted
LEFT JOIN ranges ON ranges.range_id = counted.owner_id
LEFT JOIN edges ON edges.edge_id = counted.owner_id
LEFT JOIN groups ON groups.group_id = edges.group_id
WHERE counted.balance <> 0
ORDER BY 1
