-- Done ranges fetched before a time, whose overview files are still there.
SELECT range_id, partition_key, sources.name, source_id, groups.name, range_index, size
FROM ranges JOIN groups USING (group_id) JOIN sources USING (source_id) LEFT JOIN expired_overviews USING (range_id)
WHERE partition_key IS NOT NULL AND state = 'done' AND fetched_at < %(before)s
    AND (deleted_at IS NULL OR deleted_at < fetched_at)
ORDER BY partition_key
