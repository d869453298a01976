-- How many releases carry a request id, and by which rule did they get their name?
SELECT named_by, count(*) AS releases, count(*) FILTER (WHERE request_id <> '') AS with_request_id, min(nullif(request_id, '')) AS example
FROM releases
GROUP BY named_by
ORDER BY 2 DESC, 1
