-- Releases of signatures with random names, by signature, posting tool, article size (in 10,000 bytes) and group.
CREATE OR REPLACE VIEW signature_groups AS
WITH posted AS (
    SELECT *, unnest(CASE WHEN len(groups) = 0 THEN [''] ELSE groups END) AS "group", round(bytes / greatest(segments, 1), -4)::bigint AS article_bytes
    FROM releases
    WHERE signature <> ''
)
SELECT signature, tool, article_bytes, "group", count(*) AS releases, count(*) FILTER (WHERE NOT readable_name) AS random_releases,
    sum(segments)::bigint AS articles, sum(bytes)::bigint AS bytes, sum(files)::bigint AS files,
    count(DISTINCT poster) AS posters, min(first_posted) AS first_posted, max(last_posted) AS last_posted
FROM posted
GROUP BY ALL
HAVING random_releases > 0
ORDER BY articles DESC, signature, tool, article_bytes, "group";

-- The same by signature alone, a release once, with what tells a flood from releases that people want.
CREATE OR REPLACE VIEW signature_kept AS
SELECT signature, count(*) AS releases, sum(segments)::bigint AS articles, sum(bytes)::bigint AS bytes, sum(files)::bigint AS files,
    sum(segments) FILTER (WHERE NOT readable_name) / sum(segments) AS random_share,
    avg(has_par2::integer) AS par2_share,
    count(*) FILTER (WHERE has_par2 OR bytes / greatest(files, 1) > 2000000) AS substantial,
    avg(least(1.0, segments / greatest(segments_expected, 1)) * least(1.0, files / greatest(coalesce(files_expected, files), 1))) AS completeness,
    date_diff('second', min(first_posted), max(last_posted)) / 86400.0 AS lifetime_days,
    count(DISTINCT poster) AS posters, avg((len(groups) > 1)::integer) AS crossposted,
    (sum(bytes) / greatest(sum(segments), 1))::bigint AS article_bytes,
    list_sort(list_distinct(flatten(list(groups)))) AS groups, list_sort(list(DISTINCT tool)) AS tools,
    arg_max(name, bytes, 5) AS examples, max(bytes)::bigint AS largest
FROM releases
WHERE signature <> ''
GROUP BY signature
HAVING count(*) FILTER (WHERE NOT readable_name) > 0
ORDER BY articles DESC, signature;

-- What the signature table drops: files stand for releases, and of their posters nothing is kept.
CREATE OR REPLACE VIEW signature_dropped AS
SELECT signature, sum(files)::bigint AS files, sum(segments)::bigint AS articles, sum(bytes)::bigint AS bytes,
    (sum(bytes) / greatest(sum(segments), 1))::bigint AS article_bytes,
    list_sort(list(DISTINCT "group")) AS groups, list_sort(list(DISTINCT tool)) AS tools, list_sort(list(DISTINCT dropped_by)) AS dropped_by
FROM garbage
GROUP BY signature
ORDER BY articles DESC, signature;
