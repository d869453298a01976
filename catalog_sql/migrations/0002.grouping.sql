-- Random stems that may be a file's own, what posters mark, and what was said of each owner's random names.
-- depends: 0001.catalog

-- A record with both keys has the base key of its stem once another file of that stem is known, else that of the pool: see
-- queries/choose_base_keys.sql. lone_number: file counter of its only file.
ALTER TABLE records
    ADD COLUMN stem_key uuid,
    ADD COLUMN pool_key uuid,
    ADD COLUMN lone_number integer,
    ADD COLUMN repost boolean NOT NULL DEFAULT false,
    ADD COLUMN request_id text NOT NULL DEFAULT '',
    ADD COLUMN file_marks bytea NOT NULL DEFAULT '';
CREATE INDEX records_stem_key ON records (stem_key) WHERE stem_key IS NOT NULL;

ALTER TABLE releases
    ADD COLUMN repost boolean NOT NULL DEFAULT false,
    ADD COLUMN request_id text NOT NULL DEFAULT '';

-- The marks of files, as pipeline/completeness.py writes them: 24 bits of the file key, 20 of segments expected, 20 of segments found.
CREATE FUNCTION file_marks(marks bytea) RETURNS TABLE (file_key bigint, expected bigint, found bigint)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT (mark >> 40) & 16777215, (mark >> 20) & 1048575, mark & 1048575
    FROM (
        SELECT ('x' || encode(substring(marks FROM at FOR 8), 'hex'))::bit(64)::bigint AS mark
        FROM generate_series(1, length(marks), 8) AS at
    ) AS read
$$;

-- The files with random names of a range or an edge, by what the signature table says of them; the label of kept ones is empty.
CREATE TABLE verdicts (
    owner_id integer NOT NULL,
    dropped_by integer NOT NULL,
    signature integer NOT NULL,
    tool integer NOT NULL,
    files bigint NOT NULL,
    segments bigint NOT NULL,
    bytes bigint NOT NULL
);
CREATE INDEX verdicts_owner ON verdicts (owner_id);

-- What a person types: all words, `word*` a prefix, `one|other` either, `-word` or `!word` not; null when no word is left.
CREATE OR REPLACE FUNCTION name_query(wanted text) RETURNS tsquery LANGUAGE sql STABLE AS $$
    SELECT to_tsquery('simple', string_agg(CASE WHEN term ~ '^[-!]' THEN '!' ELSE '' END || '(' || choices || ')', ' & ' ORDER BY nth))
    FROM regexp_split_to_table(wanted, '\s+') WITH ORDINALITY AS terms (term, nth),
    LATERAL (
        SELECT string_agg(all_parts, ' | ' ORDER BY place) AS choices
        FROM regexp_split_to_table(term, '\|') WITH ORDINALITY AS choice (choice, place),
        LATERAL (
            SELECT string_agg(
                '''' || word || '''' || CASE WHEN part = last_part AND choice ~ '\*$' THEN ':*' ELSE '' END, ' & ' ORDER BY part) AS all_parts
            FROM (
                SELECT word, part, max(part) OVER () AS last_part
                FROM regexp_split_to_table(words(choice), ' +') WITH ORDINALITY AS split (word, part)
                WHERE word <> ''
            ) AS parts
        ) AS joined
    ) AS alternatives
    WHERE choices IS NOT NULL
$$;

CREATE OR REPLACE VIEW release_details AS
    SELECT releases.release_id, releases.name, releases.poster,
        (SELECT coalesce(array_agg(groups.name ORDER BY groups.name), '{}') FROM groups WHERE group_id = ANY (releases.groups)) AS groups,
        first_posted, last_posted, files, files_expected, segments, segments_expected, bytes, has_par2, readable_name, category,
        tools.label AS tool, grouping.label AS grouped_by, naming.label AS named_by, signatures.label AS signature,
        records, settled, completeness, repost_of, added_at, changed_at, repost, request_id
    FROM releases
    JOIN labels AS tools ON tools.label_id = releases.tool
    JOIN labels AS grouping ON grouping.label_id = releases.grouped_by
    JOIN labels AS naming ON naming.label_id = releases.named_by
    JOIN labels AS signatures ON signatures.label_id = releases.signature;
