INSERT INTO posters (poster)
SELECT poster FROM unnest(%(names)s::text[]) AS wanted (poster)
WHERE NOT EXISTS (SELECT FROM posters WHERE posters.poster = wanted.poster)
ORDER BY poster
ON CONFLICT DO NOTHING
