-- Bytes of each table, with what is stored out of line, and of each of its indexes.
SELECT tables.relname, relations.name, relations.bytes
FROM pg_class AS tables, LATERAL (
    SELECT tables.relname AS name, pg_table_size(tables.oid) AS bytes
    UNION ALL
    SELECT indexes.relname, pg_relation_size(indexes.oid) FROM pg_index JOIN pg_class AS indexes ON indexes.oid = indexrelid WHERE indrelid = tables.oid
) AS relations
WHERE tables.relkind = 'r' AND tables.relnamespace = 'public'::regnamespace AND tables.relname = ANY (%(tables)s)
ORDER BY relations.bytes DESC
