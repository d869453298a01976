-- The sampled ranges with every measure. Segments held in fragments become kept or garbage as the others of their stratum did, each weighed by how
-- likely its file crosses an edge. The files that fragments are pieces of come with as many releases a file as the others; the catalog grows by its
-- mean bytes a release.
CREATE OR REPLACE VIEW estimate_sample AS
WITH crossing AS (
    SELECT *, sum(kept_crossing) OVER alike AS kept_weight, sum(garbage_crossing) OVER alike AS garbage_weight
    FROM sampled WINDOW alike AS (PARTITION BY stratum)
), decided AS (
    SELECT *, CASE WHEN kept_weight + garbage_weight > 0 THEN kept_weight / (kept_weight + garbage_weight) ELSE 1 END AS kept_share FROM crossing
), counted AS (
    SELECT *, CASE WHEN kept > 0 THEN (kept + in_fragments * kept_share) / kept ELSE 1 END AS grown, files + fragment_files * kept_share AS all_files,
        CASE WHEN files > 0 THEN releases / files ELSE 0 END AS releases_per_file
    FROM decided
)
SELECT range, lines::double AS lines, main::double AS main, kept + in_fragments * kept_share AS kept, garbage + in_fragments * (1 - kept_share) AS garbage,
    set_aside::double AS set_aside, all_files::double AS files, all_files * releases_per_file AS releases, coalesce(wire_bytes, 0)::double AS wire_bytes,
    parquet_bytes::double AS parquet_bytes, coalesce(chunk_bytes, 0) * grown AS chunk_bytes,
    all_files * releases_per_file * getvariable('bytes_a_release') AS catalog_bytes, seconds::double / 86400 AS days
FROM counted;
