-- At which hours (UTC) is posted?
SELECT CAST(extract(hour FROM posted_at) AS integer) AS hour, count(*) AS lines, round(100.0 * count(*) / sum(count(*)) OVER (), 1) AS percent
FROM overview
WHERE posted_at IS NOT NULL
GROUP BY 1
ORDER BY 1
