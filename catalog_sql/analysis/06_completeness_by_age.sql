-- How complete are releases by the year in which they were posted?
SELECT CAST(extract(year FROM first_posted) AS integer) AS year, count(*) AS releases, count(completeness) AS known,
    round(CAST(avg(completeness) AS numeric), 3) AS completeness, count(*) FILTER (WHERE completeness = 1) AS complete
FROM releases
GROUP BY 1
ORDER BY 1
