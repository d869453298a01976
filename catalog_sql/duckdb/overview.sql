-- Overview lines of all ranges; `source`, `group` and `range` come from the path and prune what is read.
CREATE OR REPLACE VIEW overview AS
SELECT *
FROM read_parquet(getvariable('lake') || '/overview/*/*/range=*[0-9].parquet', hive_partitioning = true, union_by_name = true);
