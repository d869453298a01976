-- What is dropped as garbage: by which line of the signature table, and under which signatures?
SELECT dropped_by, signature, tool, sum(files) AS files, sum(segments) AS segments, round(sum(bytes) / 1e9, 2) AS gigabytes
FROM garbage
GROUP BY 1, 2, 3
ORDER BY 5 DESC, 1, 2, 3
LIMIT 10
