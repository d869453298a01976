SELECT nth, kind_id
FROM unnest(%(tool)s::integer[], %(grouped_by)s::integer[], %(named_by)s::integer[], %(signature)s::integer[], %(category)s::integer[],
    %(has_par2)s::boolean[], %(readable_name)s::boolean[], %(repost)s::boolean[]) WITH ORDINALITY
    AS wanted (tool, grouped_by, named_by, signature, category, has_par2, readable_name, repost, nth)
JOIN kinds USING (tool, grouped_by, named_by, signature, category, has_par2, readable_name, repost)
ORDER BY nth
