-- How many lines carry a date that is not believable, or of another month than their range?
SELECT era, count(*) AS lines, count(*) FILTER (WHERE posted_at IS NULL) AS not_believable,
    count(*) FILTER (WHERE extract(year FROM posted_at) * 100 + extract(month FROM posted_at) <> era) AS other_month
FROM overview
GROUP BY era
ORDER BY era
