-- Tables of the catalog as they were when the shell was opened.
CREATE OR REPLACE VIEW releases AS SELECT * FROM read_parquet(getvariable('snapshot') || '/releases.parquet');
CREATE OR REPLACE VIEW records AS SELECT * FROM read_parquet(getvariable('snapshot') || '/records.parquet');
CREATE OR REPLACE VIEW ranges AS SELECT * FROM read_parquet(getvariable('snapshot') || '/ranges.parquet');
CREATE OR REPLACE VIEW chunk_files AS SELECT * FROM read_parquet(getvariable('snapshot') || '/chunk_files.parquet');
CREATE OR REPLACE VIEW samples AS SELECT * FROM read_parquet(getvariable('snapshot') || '/samples.parquet');
CREATE OR REPLACE VIEW signatures AS SELECT * FROM read_parquet(getvariable('snapshot') || '/signatures.parquet');
CREATE OR REPLACE VIEW garbage AS SELECT * FROM read_parquet(getvariable('snapshot') || '/garbage.parquet');
