-- How many lines cannot be read, or come twice, in each era?
SELECT era, sum(lines) AS lines, sum(malformed) AS malformed, sum(duplicate) AS duplicate,
    round(1e6 * sum(malformed) / sum(lines), 0) AS malformed_per_million
FROM counters
WHERE NOT is_edge AND lines > 0
GROUP BY era
ORDER BY era
