-- Which host names do message-ids end in?
SELECT split_part(message_id, '@', 2) AS host, count(*) AS lines, round(100.0 * count(*) / sum(count(*)) OVER (), 2) AS percent
FROM overview
GROUP BY 1
ORDER BY 2 DESC, 1
LIMIT 10
