UPDATE fragments SET owner = owned.owner
FROM unnest(%(ranges)s::integer[], %(file_keys)s::uuid[], %(owners)s::integer[]) AS owned (range_id, file_key, owner)
WHERE fragments.range_id = owned.range_id AND fragments.file_key = owned.file_key AND fragments.owner IS DISTINCT FROM owned.owner
