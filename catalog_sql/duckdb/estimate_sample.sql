-- The sampled ranges with every measure. Segments held in fragments become kept or garbage as the others of their range did; the files they are
-- pieces of come with as many releases a file as the others; the catalog grows by its mean bytes a release.
CREATE OR REPLACE VIEW estimate_sample AS
WITH decided AS (
    SELECT *, kept / greatest(kept + garbage, 1) AS kept_share,
        CASE WHEN kept > 0 THEN (kept + in_fragments * kept / greatest(kept + garbage, 1)) / kept ELSE 1 END AS grown
    FROM sampled
), counted AS (
    SELECT *, files + fragment_files * kept_share AS all_files, CASE WHEN files > 0 THEN releases / files ELSE 0 END AS releases_per_file FROM decided
)
SELECT range, lines::double AS lines, main::double AS main, kept + in_fragments * kept_share AS kept, garbage + in_fragments * (1 - kept_share) AS garbage,
    set_aside::double AS set_aside, all_files::double AS files, all_files * releases_per_file AS releases, coalesce(wire_bytes, 0)::double AS wire_bytes,
    parquet_bytes::double AS parquet_bytes, coalesce(chunk_bytes, 0) * grown AS chunk_bytes,
    all_files * releases_per_file * getvariable('bytes_a_release') AS catalog_bytes, seconds::double / 86400 AS days
FROM counted;
