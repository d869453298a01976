-- A page of some releases. The most relevant are those whose words stand together as they were asked for, then the shortest names: of these the
-- words that were asked for are the greater part.
SELECT release_id
FROM releases
WHERE release_id = ANY (%(ids)s::uuid[])
ORDER BY
    CASE %(order)s WHEN 'largest' THEN -bytes WHEN 'smallest' THEN bytes WHEN 'most files' THEN -files WHEN 'fewest files' THEN files
        WHEN 'relevance' THEN CASE WHEN position(trim(regexp_replace(words(%(text)s), ' +', ' ', 'g')) IN regexp_replace(words(name), ' +', ' ', 'g')) > 0
            THEN 0 ELSE 1000000 END + length(name) END,
    CASE %(order)s WHEN 'name' THEN lower(name) END,
    CASE %(order)s WHEN 'name, backwards' THEN lower(name) END DESC,
    CASE %(order)s WHEN 'oldest' THEN first_posted END,
    first_posted DESC, release_id
LIMIT %(limit)s OFFSET %(offset)s
