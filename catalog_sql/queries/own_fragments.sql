UPDATE fragments SET owner = owned.owner
FROM unnest(%(ranges)s::integer[], %(ordinals)s::integer[], %(owners)s::integer[]) AS owned (range_id, ordinal, owner)
WHERE fragments.range_id = owned.range_id AND fragments.ordinal = owned.ordinal AND fragments.owner IS DISTINCT FROM owned.owner
