-- Are records that were put together over the edge of two ranges less complete than those inside one?
SELECT is_edge, count(*) AS records, count(*) FILTER (WHERE segments < segments_expected) AS incomplete,
    round(100.0 * count(*) FILTER (WHERE segments < segments_expected) / count(*), 1) AS percent_incomplete,
    sum(greatest(segments_expected - segments, 0)) AS segments_missing
FROM records
GROUP BY is_edge
ORDER BY is_edge
