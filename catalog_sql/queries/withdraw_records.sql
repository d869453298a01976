-- Retired by the clock, not by now(): the grace of readers counts from the end of a transaction that may have been long.
WITH old AS (
    UPDATE chunk_files SET retired_at = clock_timestamp() WHERE owner_id = ANY (%(owners)s) AND retired_at IS NULL RETURNING file_id
), old_probes AS (
    DELETE FROM probes USING old WHERE probes.file_id = old.file_id
), old_samples AS (
    DELETE FROM samples WHERE owner_id = ANY (%(owners)s)
), old_verdicts AS (
    DELETE FROM verdicts WHERE owner_id = ANY (%(owners)s)
)
DELETE FROM records USING old WHERE records.file_id = old.file_id
