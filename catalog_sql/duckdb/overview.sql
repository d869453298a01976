-- Overview lines of all ranges. `source` and `group` come from the folders, `range` from the file name and `era` from the catalog by that name:
-- a condition on any of them, and by the statistics of each row group one on `posted_at` or `number`, leaves the other files unread.
CREATE OR REPLACE VIEW overview AS
SELECT lines.* EXCLUDE (filename), CAST(regexp_extract(lines.filename, 'range=([0-9]+)[.]parquet$', 1) AS INTEGER) AS "range", era
FROM read_parquet(getvariable('overview'), hive_partitioning = true, hive_types = {'source': VARCHAR, 'group': VARCHAR}, filename = true) AS lines
LEFT JOIN (
    SELECT era, format('{}/overview/source={}/group={}/range={:06d}.parquet', getvariable('lake'), source, "group", "range") AS filename FROM ranges
) AS planned ON planned.filename = lines.filename;
