-- Completeness of settled releases by the year they were posted in: the mean, and the share that is whole.
SELECT CAST(extract(year FROM first_posted) AS integer) AS year, count(completeness) AS releases, avg(completeness) AS mean,
    count(*) FILTER (WHERE completeness = 1) / count(completeness) AS whole
FROM releases
WHERE completeness IS NOT NULL
GROUP BY 1
ORDER BY 1
