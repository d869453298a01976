-- Every range of a source that holds articles, with the numbers of it that the group has, and what is measured of those that are done.
-- A file that crosses an edge is shared out: each of its pieces counts for its share of the segments, and so for its share of the file; a record
-- counts for its share of the files of its release. `kept_crossing` and `garbage_crossing` are the segments, each by how many follow the first of its
-- file: a file lies over an edge as often as it has steps from one segment to the next, and then all of its segments are held in fragments. Of a group that was never asked for, every range counts as full.
SELECT partition_key AS range, groups.name AS "group", era / 100 AS year,
    greatest(1, least(range_index::bigint * size + size - 1, high) - greatest(range_index::bigint * size, low, 1) + 1)::bigint AS numbers,
    range_index AS "index", size, state, generation > 0 AND ranges.lines IS NOT NULL AS done,
    wire_bytes, extract(epoch FROM done_at - fetched_at)::double precision AS seconds,
    counters.lines, counters.lines - counters.malformed - counters.duplicate - counters.outside_main AS main,
    counters.kept, counters.garbage, counters.in_fragments,
    counters.set_aside_random + counters.set_aside_obfuscated + counters.set_aside_text AS set_aside,
    chunk_bytes, coalesce(files, 0) AS files, coalesce(releases, 0) AS releases, coalesce(record_rows, 0) AS record_rows,
    coalesce(fragment_files, 0) AS fragment_files, coalesce(kept_crossing, 0) AS kept_crossing,
    coalesce(garbage_crossing, 0) AS garbage_crossing
FROM ranges
JOIN groups USING (group_id)
LEFT JOIN group_numbers USING (source_id, group_id)
LEFT JOIN counters ON counters.owner_id = range_id
LEFT JOIN LATERAL (
    SELECT sum(chunk_files.bytes)::bigint AS chunk_bytes, sum(made.files)::bigint AS files, sum(made.releases) AS releases, sum(made.record_rows)::bigint AS record_rows,
        sum(made.kept_crossing) AS kept_crossing
    FROM chunk_files
    LEFT JOIN LATERAL (
        SELECT sum(records.files) AS files, count(*) AS record_rows, sum(records.segments * (records.segments::double precision / records.files - 1)) AS kept_crossing,
            sum(CASE WHEN files_expected > 0 THEN least(1, records.files::double precision / files_expected) ELSE 1 END) AS releases
        FROM records WHERE records.file_id = chunk_files.file_id
    ) AS made ON true
    WHERE chunk_files.owner_id = range_id AND retired_at IS NULL
) AS written ON true
LEFT JOIN LATERAL (
    SELECT sum(least(1, segments_found::double precision / greatest(segments_expected, 1))) AS fragment_files
    FROM fragments WHERE fragments.range_id = ranges.range_id
) AS held ON true
LEFT JOIN LATERAL (
    SELECT sum(segments * (segments::double precision / files - 1)) AS garbage_crossing FROM verdicts JOIN labels ON label_id = dropped_by WHERE verdicts.owner_id = range_id AND label <> ''
) AS dropped ON true
WHERE source_id = %(source)s AND partition_key IS NOT NULL AND state <> 'empty'
ORDER BY partition_key
