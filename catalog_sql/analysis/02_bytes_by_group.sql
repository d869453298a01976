-- How many lines and bytes does each group hold?
SELECT "group", count(*) AS lines, round(sum(bytes) / 1e9, 2) AS gigabytes, round(avg(bytes), 0) AS bytes_per_article
FROM overview
GROUP BY "group"
ORDER BY sum(bytes) DESC, "group"
