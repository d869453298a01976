-- Who posts most releases?
SELECT poster, count(*) AS releases, round(sum(bytes) / 1e9, 2) AS gigabytes, min(CAST(first_posted AS date)) AS first, max(CAST(last_posted AS date)) AS last
FROM releases
GROUP BY poster
ORDER BY count(*) DESC, sum(bytes) DESC, poster
LIMIT 10
