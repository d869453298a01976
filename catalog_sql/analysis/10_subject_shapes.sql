-- Which shapes do subjects end in? Letters become a, numbers 0; a line in a hundred is enough for shares.
SELECT regexp_replace(regexp_replace(right(subject, 24), '[A-Za-z]+', 'a', 'g'), '[0-9]+', '0', 'g') AS shape, count(*) AS lines,
    round(100.0 * count(*) / sum(count(*)) OVER (), 1) AS percent
FROM overview
WHERE number % 100 = 0
GROUP BY 1
ORDER BY 2 DESC, 1
LIMIT 10
