WITH taken AS (
    UPDATE probes SET claimed_until = now() + %(lease)s::interval, worker = %(worker)s, attempt = attempt + 1
    WHERE probe_id IN (
        SELECT probe_id FROM probes
        WHERE claimed_until IS NULL OR claimed_until < now()
        ORDER BY settled DESC, priority DESC, probe_id
        LIMIT %(n)s
        FOR UPDATE SKIP LOCKED
    )
    RETURNING *
)
SELECT probe_id AS id, release_id AS release, file_key, kind, message_id, path, byte_offset AS offset, byte_length AS length, attempt
FROM taken
JOIN records USING (file_id, ordinal)
JOIN chunk_files USING (file_id)
JOIN releases ON releases.base_key = records.base_key
    AND records.first_posted BETWEEN releases.first_posted AND releases.last_posted
ORDER BY taken.settled DESC, taken.priority DESC, probe_id
