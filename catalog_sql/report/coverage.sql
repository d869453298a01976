-- How much of what is planned is done, by group and era.
SELECT "group", era, count(*) AS ranges, count(*) FILTER (WHERE state IN ('done', 'empty')) / count(*) AS done
FROM ranges
WHERE era IS NOT NULL
GROUP BY "group", era
ORDER BY "group", era
