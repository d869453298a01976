-- Statements that drop and make again the indexes of some tables, those of constraints as constraints.
SELECT
    CASE WHEN conname IS NULL THEN format('DROP INDEX %%I', indexes.relname) ELSE format('ALTER TABLE %%I DROP CONSTRAINT %%I', tables.relname, conname) END,
    CASE WHEN conname IS NULL THEN pg_get_indexdef(indexes.oid) ELSE format('ALTER TABLE %%I ADD CONSTRAINT %%I %%s%%s', tables.relname, conname,
        pg_get_constraintdef(pg_constraint.oid), ' WITH (' || array_to_string(indexes.reloptions, ', ') || ')') END
FROM pg_index
JOIN pg_class AS tables ON tables.oid = indrelid
JOIN pg_class AS indexes ON indexes.oid = indexrelid
LEFT JOIN pg_constraint ON conindid = indexes.oid
WHERE tables.relname = ANY (%(tables)s)
