-- Which posting tools make the releases of each year?
SELECT CAST(extract(year FROM first_posted) AS integer) AS year, CASE WHEN tool = '' THEN '(not recognised)' ELSE tool END AS tool,
    count(*) AS releases, round(sum(bytes) / 1e9, 2) AS gigabytes
FROM releases
GROUP BY 1, 2
ORDER BY 1, 3 DESC, 2
