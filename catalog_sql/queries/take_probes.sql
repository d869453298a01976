WITH taken AS (
    UPDATE probes SET claimed_until = now() + %(lease)s::interval, worker = %(worker)s, attempt = attempt + 1
    WHERE (file_id, ordinal) IN (
        SELECT file_id, ordinal FROM probes
        WHERE claimed_until IS NULL
        ORDER BY settled DESC, priority DESC, file_id
        LIMIT %(n)s
        FOR UPDATE SKIP LOCKED
    )
    RETURNING *
)
SELECT file_id AS file, ordinal, release_id AS release, path, byte_offset AS offset, byte_length AS length, checksum, attempt
FROM taken
JOIN records USING (file_id, ordinal)
JOIN chunk_files USING (file_id)
JOIN releases ON releases.release_id BETWEEN first_id(records.base_key) AND last_id(records.base_key)
    AND records.first_posted BETWEEN releases.first_posted AND releases.last_posted
ORDER BY taken.settled DESC, taken.priority DESC, file_id, ordinal
