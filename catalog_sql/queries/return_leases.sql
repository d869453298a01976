UPDATE probes SET claimed_until = NULL, worker = NULL
WHERE (file_id, ordinal) IN (SELECT file_id, ordinal FROM probes WHERE claimed_until < now() FOR UPDATE SKIP LOCKED)
