-- Which releases are the biggest?
SELECT name, CAST(first_posted AS date) AS posted, files, segments, round(bytes / 1e9, 3) AS gigabytes, completeness
FROM releases
ORDER BY bytes DESC, name
LIMIT 10
