-- A catalog of a hundred million releases: what repeats is stored once, keys are short, one index answers a search, and settling
-- rewrites no release.
-- depends: 0002.grouping

-- Texts and sets that many records share. A hash finds a poster: its text may be longer than an index entry, and takes no second copy.
CREATE TABLE posters (
    poster_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    poster text NOT NULL,
    EXCLUDE USING hash (poster WITH =)
);

-- Sets of groups, each sorted.
CREATE TABLE group_sets (
    set_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    groups integer[] NOT NULL,
    EXCLUDE USING hash (groups WITH =)
);
CREATE INDEX group_sets_groups ON group_sets USING gin (groups);

-- What kind of thing a record is: its posting tool, the rules that grouped and named it, its garbage signature, and what follows from its name
-- and files.
CREATE TABLE kinds (
    kind_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tool integer NOT NULL,
    grouped_by integer NOT NULL,
    named_by integer NOT NULL,
    signature integer NOT NULL,
    category integer NOT NULL,
    has_par2 boolean NOT NULL,
    readable_name boolean NOT NULL,
    repost boolean NOT NULL,
    UNIQUE (tool, grouped_by, named_by, signature, category, has_par2, readable_name, repost)
);

CREATE FUNCTION big_endian(bytes bytea) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    ('x' || lpad(encode(bytes, 'hex'), 16, '0'))::bit(64)::bigint;

-- The last bytes of a number.
CREATE FUNCTION low_bytes(number bigint, count integer) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    decode(right(lpad(to_hex(number), 16, '0'), 2 * count), 'hex');

-- A key is the first 8 bytes of the 16 that the pipeline derives. The id of a release begins with its base key, so that one index
-- finds a release by either: all ids of a key lie between first_id and last_id.
CREATE FUNCTION short_key(key uuid) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    ('x' || left(replace(key::text, '-', ''), 16))::bit(64)::bigint;

CREATE FUNCTION release_id(base_key bigint, tail text) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    (lpad(to_hex(base_key), 16, '0') || right(tail, 16))::uuid;

CREATE FUNCTION first_id(base_key bigint) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN release_id(base_key, '0000000000000000');

CREATE FUNCTION last_id(base_key bigint) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN release_id(base_key, 'ffffffffffffffff');

-- Marks of files as store/catalog/marks.py packs them: the width w of a count, how many files are complete, for each of those 24 bits of
-- its key and its segments, for each other one its key, segments expected and found.
ALTER FUNCTION file_marks(bytea) RENAME TO file_marks_of_8;
CREATE FUNCTION packed_marks(marks bytea) RETURNS bytea LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    WITH read AS (
        SELECT file_key, expected, found FROM file_marks_of_8(marks)
    ), measured AS (
        SELECT CASE WHEN max(greatest(expected, found)) < 256 THEN 1 WHEN max(greatest(expected, found)) < 65536 THEN 2 ELSE 3 END AS width
        FROM read
    )
    SELECT CASE WHEN marks = '' THEN '' ELSE low_bytes(min(width), 1) || low_bytes(count(*) FILTER (WHERE expected = found), 3)
        || string_agg(
            low_bytes(file_key, 3) || low_bytes(expected, width) || CASE WHEN expected = found THEN '' ELSE low_bytes(found, width) END,
            '' ORDER BY expected <> found, file_key, expected, found) END
    FROM read, measured
$$;
CREATE FUNCTION file_marks(marks bytea) RETURNS TABLE (file_key bigint, expected bigint, found bigint)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT big_endian(substring(marks FROM at FOR 3)), big_endian(substring(marks FROM at + 3 FOR width)),
        big_endian(substring(marks FROM CASE WHEN complete THEN at + 3 ELSE at + 3 + width END FOR width))
    FROM (
        SELECT get_byte(held, 0) AS width, big_endian(substring(held FROM 2 FOR 3))::integer AS whole FROM (SELECT nullif(marks, '') AS held) AS marked
    ) AS head,
    LATERAL (
        SELECT 5 + nth * (3 + width) AS at, true AS complete FROM generate_series(0, whole - 1) AS nth
        UNION ALL
        SELECT at, false FROM generate_series(5 + whole * (3 + width), length(marks), 3 + 2 * width) AS at
    ) AS places
$$;

-- What was there, as it was there.
ALTER TABLE records RENAME TO old_records;
ALTER TABLE releases RENAME TO old_releases;
ALTER TABLE probes RENAME TO old_probes;
DROP VIEW release_details;

INSERT INTO posters (poster) SELECT poster FROM old_records UNION SELECT poster FROM old_releases ORDER BY poster;
INSERT INTO group_sets (groups) SELECT groups FROM old_records UNION SELECT groups FROM old_releases ORDER BY groups;
INSERT INTO kinds (tool, grouped_by, named_by, signature, category, has_par2, readable_name, repost)
    SELECT tool, grouped_by, named_by, signature, category, has_par2, readable_name, repost FROM old_records
    UNION
    SELECT tool, grouped_by, named_by, signature, category, has_par2, readable_name, repost FROM old_releases
    ORDER BY 1, 2, 3, 4, 5, 6, 7, 8;

-- Of the two large tables a vacuum starts at 2 rows in a hundred: what re-runs leave behind stays below that.
-- A record belongs to the release of its base key whose posting span contains it: no column says so, and none has to be kept right.
-- A record with both other keys has the base key of its stem once another file of that stem is known, else that of the pool: see
-- queries/choose_base_keys.sql. lone_number: file counter of its only file.
CREATE TABLE records (
    checksum bigint NOT NULL,
    base_key bigint NOT NULL,
    first_posted timestamptz NOT NULL,
    last_posted timestamptz NOT NULL,
    bytes bigint NOT NULL,
    stem_key bigint,
    pool_key bigint,
    lone_number integer,
    file_id integer NOT NULL,
    ordinal integer NOT NULL,
    byte_offset integer NOT NULL,
    byte_length integer NOT NULL,
    segments integer NOT NULL,
    segments_expected integer NOT NULL,
    files integer NOT NULL,
    files_expected integer,
    kind_id integer NOT NULL,
    poster_id integer NOT NULL,
    set_id integer NOT NULL,
    name text NOT NULL,
    request_id text NOT NULL,
    file_marks bytea NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02);

-- A function of the records; see queries/islands.sql. kind_id tells tool, rules and signature. by_pool: poster and counter alone hold its files together.
CREATE TABLE releases (
    release_id uuid NOT NULL,
    base_key bigint NOT NULL,
    first_posted timestamptz NOT NULL,
    last_posted timestamptz NOT NULL,
    added_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL,
    bytes bigint NOT NULL,
    repost_of uuid,
    segments integer NOT NULL,
    segments_expected integer NOT NULL,
    records integer NOT NULL,
    files integer NOT NULL,
    files_expected integer,
    kind_id integer NOT NULL,
    poster_id integer NOT NULL,
    set_id integer NOT NULL,
    category integer NOT NULL,
    has_par2 boolean NOT NULL,
    readable_name boolean NOT NULL,
    repost boolean NOT NULL,
    by_pool boolean NOT NULL,
    name text NOT NULL,
    request_id text NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.02);

-- Releases that may still grow; settling one takes its row away and leaves the release as it is.
CREATE TABLE open_releases (
    release_id uuid PRIMARY KEY,
    changed_at timestamptz NOT NULL
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

-- Records with articles that phase 2 should read: its record says which ones, see pipeline/probes.py.
CREATE TABLE probes (
    file_id integer NOT NULL,
    ordinal integer NOT NULL,
    priority smallint NOT NULL,
    attempt smallint NOT NULL DEFAULT 0,
    settled boolean NOT NULL DEFAULT false,
    claimed_until timestamptz,
    worker text
) WITH (autovacuum_vacuum_scale_factor = 0.01);

INSERT INTO records
    SELECT checksum, short_key(base_key), first_posted, last_posted, bytes, short_key(stem_key), short_key(pool_key), lone_number, file_id, ordinal,
        byte_offset, byte_length, segments, least(segments_expected, 2147483647), files, files_expected, kind_id, poster_id, set_id, name, request_id,
        packed_marks(file_marks)
    FROM old_records
    JOIN posters USING (poster)
    JOIN group_sets USING (groups)
    JOIN kinds USING (tool, grouped_by, named_by, signature, category, has_par2, readable_name, repost)
    ORDER BY file_id, ordinal;

INSERT INTO releases
    SELECT release_id(short_key(base_key), replace(release_id::text, '-', '')), short_key(base_key), first_posted, last_posted, added_at, changed_at, bytes,
        (SELECT release_id(short_key(other.base_key), replace(other.release_id::text, '-', '')) FROM old_releases AS other WHERE other.release_id = old_releases.repost_of),
        segments, least(segments_expected, 2147483647), records, files, files_expected, kind_id, poster_id, set_id, category, has_par2,
        readable_name, repost, labels.label = 'counter', name, request_id
    FROM old_releases
    JOIN posters USING (poster)
    JOIN group_sets USING (groups)
    JOIN kinds USING (tool, grouped_by, named_by, signature, category, has_par2, readable_name, repost)
    JOIN labels ON label_id = grouped_by
    ORDER BY first_posted;

INSERT INTO open_releases
    SELECT release_id(short_key(base_key), replace(release_id::text, '-', '')), changed_at FROM old_releases WHERE NOT settled;

UPDATE release_aliases SET release_id = release_id(short_key(base_key), replace(old_releases.release_id::text, '-', ''))
    FROM old_releases WHERE old_releases.release_id = release_aliases.release_id;
INSERT INTO release_aliases SELECT release_id, release_id(short_key(base_key), replace(release_id::text, '-', '')) FROM old_releases ON CONFLICT DO NOTHING;

INSERT INTO probes (file_id, ordinal, priority, attempt, settled)
    SELECT file_id, ordinal, max(priority), max(attempt), bool_or(settled) FROM old_probes GROUP BY file_id, ordinal ORDER BY file_id, ordinal;

DROP TABLE old_records, old_releases, old_probes;
DROP FUNCTION packed_marks, file_marks_of_8;
DROP FUNCTION name_index;

-- Keys are hashes, new ones fall anywhere: pages of these indexes are two thirds full in the long run, and are made so.
ALTER TABLE releases ADD PRIMARY KEY (release_id) WITH (fillfactor = 70);
CREATE INDEX records_file ON records (file_id);
CREATE INDEX records_base_key ON records (base_key) WITH (fillfactor = 70);
CREATE INDEX records_stem_key ON records (stem_key) WITH (fillfactor = 70) WHERE stem_key IS NOT NULL;
CREATE INDEX releases_newest ON releases (first_posted);

-- The releases of some base keys. In a function of their own, so that the planner knows how few there are: of a span of ids it expects a
-- good part of all releases.
CREATE FUNCTION releases_of(keys bigint[]) RETURNS SETOF releases
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET enable_seqscan = off SET enable_bitmapscan = off AS $$
BEGIN
    RETURN QUERY
        SELECT releases.*
        FROM (SELECT DISTINCT unnest(keys) AS key) AS wanted
        JOIN releases ON release_id BETWEEN first_id(key) AND last_id(key);
END
$$;

-- An id that no release has. It follows from the key and the date; another attempt is made where it went on with another island of that key.
CREATE FUNCTION new_release_id(base_key bigint, first_posted timestamptz) RETURNS uuid LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    attempt integer := 0;
    derived uuid;
BEGIN
    LOOP
        derived := release_id(base_key, md5(base_key || ' ' || extract(epoch FROM first_posted)::bigint || ' ' || attempt));
        EXIT WHEN NOT EXISTS (SELECT FROM releases WHERE releases.release_id = derived);
        attempt := attempt + 1;
    END LOOP;
    RETURN derived;
END
$$;
ALTER TABLE probes ADD PRIMARY KEY (file_id, ordinal);
CREATE INDEX probes_queue ON probes (settled DESC, priority DESC, file_id) WHERE claimed_until IS NULL;
CREATE INDEX probes_leases ON probes (claimed_until) WHERE claimed_until IS NOT NULL;

-- All that a search looks for, as the words of one index. Those of the name, the category and the parent of that (:) begin with their era, 256
-- days in two hex digits: an index has no order, but this one can be asked era by era. When it was posted: its day (:0:), and the spans of
-- 4, 16 and 64 days that hold it (:2: to :6:). No word of a name has a colon;
-- those of more than 250 characters are left out: with its era, one would be longer than a word may be.
CREATE FUNCTION posting_day(posted timestamptz) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    floor(extract(epoch FROM posted) / 86400)::integer;

CREATE FUNCTION search_words(name text, first_posted timestamptz, category integer) RETURNS tsvector
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 2000 RETURN (
    SELECT array_to_tsvector(
        ARRAY(SELECT era || word FROM unnest(tsvector_to_array(to_tsvector('simple', words(name)))) AS word WHERE length(word) <= 250)
        || ARRAY[era || ':' || category, era || ':' || category / 1000 * 1000, ':0:' || day, ':2:' || (day >> 2), ':4:' || (day >> 4), ':6:' || (day >> 6)])
    FROM (SELECT day, lpad(to_hex(day >> 8), 2, '0') AS era FROM (SELECT posting_day(first_posted) AS day) AS posted) AS dated
);

-- Without a list of what is to be added later, which every look would read: a megabyte of it makes a search three times as long.
CREATE INDEX releases_words ON releases USING gin (search_words(name, first_posted, category)) WITH (fastupdate = off);

-- Releases with names in place of numbers, to read. Labels are looked up and not joined, so that the planner has few orders to weigh.
CREATE VIEW release_details AS
    SELECT release_id, name, poster,
        (SELECT coalesce(array_agg(groups.name ORDER BY groups.name), '{}') FROM groups WHERE group_id = ANY (group_sets.groups)) AS groups,
        first_posted, last_posted, files, files_expected, segments, segments_expected, bytes, releases.has_par2, releases.readable_name, releases.category,
        (SELECT label FROM labels WHERE label_id = tool) AS tool,
        CASE WHEN by_pool THEN 'counter' ELSE (SELECT label FROM labels WHERE label_id = grouped_by) END AS grouped_by,
        (SELECT label FROM labels WHERE label_id = named_by) AS named_by, (SELECT label FROM labels WHERE label_id = signature) AS signature,
        records, settled,
        CASE WHEN settled AND files_expected > 0 AND segments_expected > 0 THEN
            least(1, files::real / files_expected) * least(1, segments::real / segments_expected) END::real AS completeness,
        repost_of, added_at, changed_at, releases.repost, request_id
    FROM releases
    JOIN posters USING (poster_id)
    JOIN group_sets USING (set_id)
    JOIN kinds USING (kind_id),
    LATERAL (SELECT NOT EXISTS (SELECT FROM open_releases WHERE open_releases.release_id = releases.release_id) AS settled) AS state;

-- The same of records.
CREATE VIEW record_details AS
    SELECT file_id, ordinal, byte_offset, byte_length, checksum, base_key, stem_key, pool_key, lone_number, name, poster,
        (SELECT coalesce(array_agg(groups.name ORDER BY groups.name), '{}') FROM groups WHERE group_id = ANY (group_sets.groups)) AS groups,
        first_posted, last_posted, files, files_expected, segments, segments_expected, bytes, has_par2, readable_name, category,
        (SELECT label FROM labels WHERE label_id = tool) AS tool, (SELECT label FROM labels WHERE label_id = grouped_by) AS grouped_by,
        (SELECT label FROM labels WHERE label_id = named_by) AS named_by, (SELECT label FROM labels WHERE label_id = signature) AS signature,
        repost, request_id, file_marks
    FROM records
    JOIN posters USING (poster_id)
    JOIN group_sets USING (set_id)
    JOIN kinds USING (kind_id);
