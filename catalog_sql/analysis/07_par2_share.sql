-- How many releases come with par2 files, by year and by whether their name can be read?
SELECT CAST(extract(year FROM first_posted) AS integer) AS year, readable_name, count(*) AS releases,
    round(100.0 * count(*) FILTER (WHERE has_par2) / count(*), 1) AS percent_with_par2
FROM releases
GROUP BY 1, 2
ORDER BY 1, 2
