-- Bytes a line on the wire and in Parquet, and bytes a kept segment in chunk files, by era.
WITH fetched AS (
    SELECT era, CAST(sum(lines) AS double) AS lines, CAST(sum(wire_bytes) AS double) AS wire FROM ranges WHERE lines > 0 GROUP BY era
), stored AS (
    SELECT era, CAST(sum(files.size) AS double) AS parquet
    FROM (SELECT filename, size FROM read_blob(getvariable('overview'))) AS files
    JOIN ranges ON files.filename = format('{}/overview/source={}/group={}/range={:06d}.parquet', getvariable('lake'), source, "group", "range")
    GROUP BY era
), kept AS (
    SELECT era, CAST(sum(kept) AS double) AS segments FROM counters GROUP BY era
), chunked AS (
    SELECT era, CAST(sum(chunk_files.bytes) AS double) AS bytes
    FROM chunk_files JOIN counters USING (source, "group", "range", is_edge)
    WHERE retired_at IS NULL
    GROUP BY era
)
SELECT era, wire / lines AS wire_per_line, parquet / lines AS parquet_per_line, chunked.bytes / nullif(segments, 0) AS chunk_per_segment
FROM fetched LEFT JOIN stored USING (era) LEFT JOIN kept USING (era) LEFT JOIN chunked USING (era)
ORDER BY era
