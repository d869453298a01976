-- Lines fetched, by era and group.
SELECT era, "group", sum(lines) AS lines
FROM ranges
WHERE lines > 0
GROUP BY era, "group"
ORDER BY era, "group"
