-- How large are articles? By hundreds of kilobytes, with the share of all bytes.
SELECT CAST(floor(bytes / 100000.0) AS integer) * 100 AS kilobytes_from, count(*) AS lines, round(100.0 * sum(bytes) / sum(sum(bytes)) OVER (), 2) AS percent_of_bytes
FROM overview
GROUP BY 1
ORDER BY 1
