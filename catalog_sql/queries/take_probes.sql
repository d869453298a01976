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
), placed AS MATERIALIZED (
    SELECT taken.*, path, byte_offset, byte_length, checksum, base_key, first_posted
    FROM taken JOIN records USING (file_id, ordinal) JOIN chunk_files USING (file_id)
)
SELECT file_id AS file, ordinal, release_id AS release, path, byte_offset AS offset, byte_length AS length, checksum, attempt
FROM placed
JOIN releases_of((SELECT array_agg(base_key) FROM placed)) AS known
    ON known.base_key = placed.base_key AND placed.first_posted BETWEEN known.first_posted AND known.last_posted
ORDER BY placed.settled DESC, placed.priority DESC, file_id, ordinal
