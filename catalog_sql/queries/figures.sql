-- Sums for monitoring: ranges by state, lines by fate, wire bytes, newest fetch, releases (as last estimated), chunk files, bytes of the database.
SELECT
    (SELECT jsonb_object_agg(state, ranges) FROM (SELECT state, count(*) AS ranges FROM ranges GROUP BY state) AS states),
    (SELECT to_jsonb(sums) FROM (
        SELECT sum(malformed) AS malformed, sum(duplicate) AS duplicate, sum(outside_main) AS outside_main, sum(set_aside_random) AS set_aside_random,
            sum(set_aside_obfuscated) AS set_aside_obfuscated, sum(set_aside_text) AS set_aside_text, sum(repeated) AS repeated,
            sum(garbage) AS garbage, sum(kept) AS kept, sum(in_fragments) AS in_fragments
        FROM counters
    ) AS sums),
    (SELECT coalesce(sum(lines), 0)::bigint FROM ranges),
    (SELECT coalesce(sum(wire_bytes), 0)::bigint FROM ranges),
    (SELECT extract(epoch FROM max(fetched_at))::double precision FROM ranges),
    (SELECT greatest(reltuples, 0)::bigint FROM pg_class WHERE oid = 'releases'::regclass),
    (SELECT count(*) FROM chunk_files WHERE retired_at IS NULL),
    (SELECT coalesce(sum(bytes), 0)::bigint FROM chunk_files WHERE retired_at IS NULL),
    pg_database_size(current_database())
