-- Where does the provider miss article numbers: how many, in how many runs, and how long is the longest?
SELECT "group", count(*) AS gaps, sum(missing) AS missing, max(missing) AS longest
FROM (
    SELECT "group", number - lag(number) OVER (PARTITION BY source, "group", "range" ORDER BY number) - 1 AS missing FROM overview
) AS steps
WHERE missing > 0
GROUP BY "group"
ORDER BY 3 DESC, 1
