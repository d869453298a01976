-- Which groups share articles? An edge of the graph is a pair of groups, its weight the articles that are in both.
SELECT "group", split_part(place, ':', 1) AS also_in, count(*) AS articles
FROM (SELECT "group", unnest(string_to_array(xref, ' ')) AS place FROM overview WHERE xref LIKE '% %') AS crossposts
WHERE split_part(place, ':', 1) <> "group"
GROUP BY 1, 2
ORDER BY 3 DESC, 1, 2
LIMIT 10
