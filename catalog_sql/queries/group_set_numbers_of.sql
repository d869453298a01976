SELECT wanted, set_id FROM unnest(%(names)s::text[]) AS wanted JOIN group_sets ON groups = wanted::integer[]
