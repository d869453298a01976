-- Share of the lines of each era that is garbage, by posting tool; in ranges and over their edges.
SELECT era, CASE WHEN tool = '' THEN '(not recognised)' ELSE tool END AS tool, CAST(sum(segments) AS double) / any_value(total) AS share
FROM garbage
JOIN (SELECT source, "group", "range", is_edge, era FROM counters) AS places USING (source, "group", "range", is_edge)
JOIN (SELECT era, CAST(sum(lines) AS double) AS total FROM ranges GROUP BY era) AS eras USING (era)
WHERE total > 0
GROUP BY 1, 2
ORDER BY 1, 2
