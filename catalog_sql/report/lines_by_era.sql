-- Lines fetched, by era and group.
SELECT era, "group", CAST(sum(lines) AS bigint) AS lines
FROM ranges
WHERE lines > 0
GROUP BY era, "group"
ORDER BY era, "group"
