-- Bytes of the catalog's tables that grow with what is indexed, their indexes included, and how many releases they hold.
SELECT (SELECT coalesce(sum(pg_total_relation_size(name::regclass)), 0) FROM unnest(ARRAY['records', 'releases', 'open_releases', 'probes', 'posters', 'group_sets', 'kinds']) AS name)::bigint,
    (SELECT count(*) FROM releases)::bigint
