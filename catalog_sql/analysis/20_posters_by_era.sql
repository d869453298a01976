-- How many names are posted under, and how many lines has each on average? Tools that draw a name for every article show.
SELECT era, count(*) AS lines, count(DISTINCT poster) AS posters, round(1.0 * count(*) / count(DISTINCT poster), 1) AS lines_per_poster
FROM overview
GROUP BY era
ORDER BY era
