-- Planned ranges of which the catalog does not know what fetching them showed.
SELECT sources.name AS source, source_id, groups.name AS "group", range_index, size
FROM ranges JOIN groups USING (group_id) JOIN sources USING (source_id)
WHERE partition_key IS NOT NULL AND fetched_at IS NULL
ORDER BY partition_key
