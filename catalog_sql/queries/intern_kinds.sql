INSERT INTO kinds (tool, grouped_by, named_by, signature, category, has_par2, readable_name, repost)
SELECT wanted.*
FROM unnest(%(tool)s::integer[], %(grouped_by)s::integer[], %(named_by)s::integer[], %(signature)s::integer[], %(category)s::integer[],
    %(has_par2)s::boolean[], %(readable_name)s::boolean[], %(repost)s::boolean[]) AS wanted (tool, grouped_by, named_by, signature, category, has_par2, readable_name, repost)
WHERE NOT EXISTS (
    SELECT FROM kinds
    WHERE (kinds.tool, kinds.grouped_by, kinds.named_by, kinds.signature, kinds.category, kinds.has_par2, kinds.readable_name, kinds.repost)
        = (wanted.tool, wanted.grouped_by, wanted.named_by, wanted.signature, wanted.category, wanted.has_par2, wanted.readable_name, wanted.repost)
)
ORDER BY tool, grouped_by, named_by, signature, category, has_par2, readable_name, repost
ON CONFLICT DO NOTHING
