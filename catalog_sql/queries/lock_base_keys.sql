-- In sorted order, so that two transactions that share keys never wait in a circle; by bucket, so that the lock table never overflows.
SELECT pg_advisory_xact_lock(3, bucket)
FROM (
    SELECT DISTINCT hashtext(base_key::text) & 1023 AS bucket FROM unnest(%(base_keys)s::bigint[]) AS base_key ORDER BY bucket
) AS buckets
