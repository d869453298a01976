INSERT INTO labels (label)
SELECT label FROM unnest(%(names)s::text[]) AS wanted (label)
WHERE NOT EXISTS (SELECT FROM labels WHERE labels.label = wanted.label)
ORDER BY label
ON CONFLICT DO NOTHING
