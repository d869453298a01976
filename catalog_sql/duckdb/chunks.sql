-- Records of published chunk files as `overlake chunks export` decoded them: a row for each file, with its segments.
CREATE OR REPLACE VIEW chunks AS
SELECT records.release_id, exported.*
FROM read_parquet(getvariable('chunks')) AS exported
JOIN records ON records.path = exported.path AND records.ordinal = exported.record;

-- The same without segments, which are not read.
CREATE OR REPLACE VIEW files AS SELECT * EXCLUDE (segments) FROM chunks;
