-- How many bytes a line come over the wire, by era and form of compression?
SELECT era, wire_form, count(*) AS ranges, sum(lines) AS lines, round(1.0 * sum(wire_bytes) / sum(lines), 0) AS bytes_per_line
FROM ranges
WHERE lines > 0
GROUP BY era, wire_form
ORDER BY era, wire_form
