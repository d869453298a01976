-- None while a backup copies what was published when it began: see store/backup.py, which holds this lock.
SELECT path, bytes
FROM chunk_files
WHERE retired_at <= %(before)s::timestamptz
    AND NOT EXISTS (
        SELECT FROM pg_locks
        WHERE locktype = 'advisory' AND granted AND classid = 5 AND objid = 0 AND objsubid = 2
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
    )
ORDER BY retired_at, path
