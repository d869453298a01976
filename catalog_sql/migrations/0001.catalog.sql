-- The catalog: groups and versions, ranges and edges, chunk files and records, releases, probes, keys.
-- 16-byte keys are uuid; names that repeat (groups, labels) are interned; what changes often is not indexed, so updates stay in place.

CREATE EXTENSION IF NOT EXISTS unaccent;

CREATE TABLE sources (
    source_id smallint PRIMARY KEY,
    name text NOT NULL UNIQUE
);

CREATE TABLE groups (
    group_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE
);

-- Low and high article number as the source last said.
CREATE TABLE group_numbers (
    source_id smallint NOT NULL,
    group_id integer NOT NULL REFERENCES groups,
    low bigint NOT NULL,
    high bigint NOT NULL,
    seen_at timestamptz NOT NULL,
    PRIMARY KEY (source_id, group_id)
);

-- Texts of few values: posting tools, grouping and naming rules, garbage signatures.
CREATE TABLE labels (
    label_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    label text NOT NULL UNIQUE
);

CREATE TABLE group_lists (
    version integer PRIMARY KEY,
    names text[] NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE signature_tables (
    version integer PRIMARY KEY,
    signatures text[] NOT NULL,
    verdicts text[] NOT NULL,
    reasons text[] NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT now()
);

-- Ranges and edges own chunk files; their ids come from one sequence.
CREATE SEQUENCE owners AS integer;

-- claimed: the last generation number handed out; generation: the one that is published, 0 for none.
CREATE TABLE ranges (
    range_id integer PRIMARY KEY DEFAULT nextval('owners'),
    source_id smallint NOT NULL,
    group_id integer NOT NULL REFERENCES groups,
    range_index integer NOT NULL,
    size bigint NOT NULL,
    era integer,
    partition_key text UNIQUE,
    state text NOT NULL CHECK (state IN ('planned', 'running', 'done', 'failed', 'empty')),
    claimed integer NOT NULL DEFAULT 0,
    generation integer NOT NULL DEFAULT 0,
    starts_at timestamptz,
    lines bigint,
    malformed bigint,
    duplicate bigint,
    wire_bytes bigint,
    wire_form text,
    fetched_at timestamptz,
    first_posted timestamptz,
    last_posted timestamptz,
    group_list integer,
    signature_table integer,
    software text,
    line_window bigint,
    error text,
    failed_at timestamptz,
    planned_at timestamptz NOT NULL DEFAULT now(),
    done_at timestamptz,
    UNIQUE (source_id, group_id, range_index)
) WITH (fillfactor = 70);
CREATE INDEX ranges_era ON ranges (source_id, era);

-- Edge i lies between the ranges i and i + 1.
CREATE TABLE edges (
    edge_id integer PRIMARY KEY DEFAULT nextval('owners'),
    source_id smallint NOT NULL,
    group_id integer NOT NULL REFERENCES groups,
    range_index integer NOT NULL,
    dirty boolean NOT NULL,
    generation integer NOT NULL DEFAULT 0,
    signature_table integer,
    software text,
    done_at timestamptz,
    UNIQUE (source_id, group_id, range_index)
) WITH (fillfactor = 70);

-- An edge's generations come from a sequence, since numbers of attempts that failed must not be used again.
CREATE SEQUENCE edge_generations AS integer;

-- Where the lines of a range, or the segments of an edge, went.
CREATE TABLE counters (
    owner_id integer PRIMARY KEY,
    lines bigint NOT NULL,
    malformed bigint NOT NULL,
    duplicate bigint NOT NULL,
    outside_main bigint NOT NULL,
    set_aside_random bigint NOT NULL,
    set_aside_obfuscated bigint NOT NULL,
    set_aside_text bigint NOT NULL,
    repeated bigint NOT NULL,
    garbage bigint NOT NULL,
    kept bigint NOT NULL,
    in_fragments bigint NOT NULL
) WITH (fillfactor = 70);

CREATE TABLE chunk_files (
    file_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    owner_id integer NOT NULL,
    source_id smallint NOT NULL,
    group_id integer NOT NULL,
    range_index integer NOT NULL,
    is_edge boolean NOT NULL,
    generation integer NOT NULL,
    path text NOT NULL UNIQUE,
    bytes bigint NOT NULL,
    written_at timestamptz NOT NULL DEFAULT now(),
    retired_at timestamptz
);
CREATE INDEX chunk_files_owner ON chunk_files (owner_id);
CREATE INDEX chunk_files_retired ON chunk_files (retired_at) WHERE retired_at IS NOT NULL;

-- A record belongs to the release of its base key whose posting span contains it: no column says so, and none has to be kept right.
CREATE TABLE records (
    file_id integer NOT NULL,
    ordinal integer NOT NULL,
    byte_offset bigint NOT NULL,
    checksum bigint NOT NULL,
    byte_length integer NOT NULL,
    files integer NOT NULL,
    base_key uuid NOT NULL,
    first_posted timestamptz NOT NULL,
    last_posted timestamptz NOT NULL,
    segments bigint NOT NULL,
    segments_expected bigint NOT NULL,
    bytes bigint NOT NULL,
    files_expected integer,
    category integer NOT NULL,
    tool integer NOT NULL,
    grouped_by integer NOT NULL,
    named_by integer NOT NULL,
    signature integer NOT NULL,
    has_par2 boolean NOT NULL,
    readable_name boolean NOT NULL,
    name text NOT NULL,
    poster text NOT NULL,
    groups integer[] NOT NULL,
    PRIMARY KEY (file_id, ordinal)
);
CREATE INDEX records_base_key ON records (base_key);

-- A function of the records; see queries/islands.sql.
CREATE TABLE releases (
    release_id uuid PRIMARY KEY,
    base_key uuid NOT NULL,
    first_posted timestamptz NOT NULL,
    last_posted timestamptz NOT NULL,
    segments bigint NOT NULL,
    segments_expected bigint NOT NULL,
    bytes bigint NOT NULL,
    added_at timestamptz NOT NULL,
    changed_at timestamptz NOT NULL,
    records integer NOT NULL,
    files integer NOT NULL,
    files_expected integer,
    category integer NOT NULL,
    tool integer NOT NULL,
    grouped_by integer NOT NULL,
    named_by integer NOT NULL,
    signature integer NOT NULL,
    completeness real,
    has_par2 boolean NOT NULL,
    readable_name boolean NOT NULL,
    settled boolean NOT NULL,
    repost_of uuid,
    name text NOT NULL,
    poster text NOT NULL,
    groups integer[] NOT NULL
) WITH (fillfactor = 90);
CREATE INDEX releases_base_key ON releases (base_key);
CREATE INDEX releases_newest ON releases (first_posted);
CREATE INDEX releases_open ON releases (base_key) WHERE NOT settled;

-- Ids of releases that were merged into another one.
CREATE TABLE release_aliases (
    alias uuid PRIMARY KEY,
    release_id uuid NOT NULL
);
CREATE INDEX release_aliases_release ON release_aliases (release_id);

-- One compressed fragment per file and edge of a range (a file may have one at each); owner: the edge (range_index of it) whose chunk file holds its segments.
CREATE TABLE fragments (
    range_id integer NOT NULL,
    ordinal integer NOT NULL,
    file_key uuid NOT NULL,
    owner integer,
    segments_found integer NOT NULL,
    segments_expected integer NOT NULL,
    at_low boolean NOT NULL,
    at_high boolean NOT NULL,
    payload bytea NOT NULL,
    PRIMARY KEY (range_id, ordinal)
);
CREATE INDEX fragments_file_key ON fragments (file_key);
ALTER TABLE fragments ALTER COLUMN payload SET STORAGE EXTERNAL;

CREATE TABLE probes (
    probe_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    file_id integer NOT NULL,
    ordinal integer NOT NULL,
    priority smallint NOT NULL,
    attempt smallint NOT NULL DEFAULT 0,
    settled boolean NOT NULL DEFAULT false,
    file_key uuid NOT NULL,
    claimed_until timestamptz,
    worker text,
    kind text NOT NULL,
    message_id text NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0.01);
CREATE INDEX probes_queue ON probes (settled DESC, priority DESC, probe_id);
CREATE INDEX probes_record ON probes (file_id, ordinal);

CREATE TABLE samples (
    owner_id integer NOT NULL,
    kind text NOT NULL,
    number bigint NOT NULL,
    subject text NOT NULL,
    poster text NOT NULL,
    message_id text NOT NULL,
    bytes bigint NOT NULL
);
CREATE INDEX samples_owner ON samples (owner_id);

CREATE TABLE api_keys (
    key_id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL,
    secret_hash bytea NOT NULL UNIQUE,
    admin boolean NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    revoked_at timestamptz
);

CREATE TABLE api_usage (
    key_id integer NOT NULL REFERENCES api_keys,
    day date NOT NULL,
    kind text NOT NULL,
    uses integer NOT NULL,
    PRIMARY KEY (key_id, day, kind)
) WITH (fillfactor = 50);

-- Words of a name: no accents, lower case, ASCII punctuation as blanks, so that the text parser finds words and numbers only.
-- The cost is what it takes to split a name, so that the planner reads the name index rather than many rows.
CREATE FUNCTION words(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 2000 RETURN
    translate(lower(public.unaccent('public.unaccent'::regdictionary, name)), '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32));

CREATE FUNCTION name_index(name text) RETURNS tsvector LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
    to_tsvector('simple', words(name));

CREATE INDEX releases_name ON releases USING gin (name_index(name));

-- What a person types: all words, `word*` a prefix, `-word` or `!word` not; null when no word is left.
CREATE FUNCTION name_query(wanted text) RETURNS tsquery LANGUAGE sql STABLE AS $$
    SELECT to_tsquery('simple', string_agg(
        CASE WHEN term ~ '^[-!]' THEN '!' ELSE '' END || '''' || word || '''' || CASE WHEN last AND term ~ '\*$' THEN ':*' ELSE '' END,
        ' & ' ORDER BY nth, part))
    FROM regexp_split_to_table(wanted, '\s+') WITH ORDINALITY AS terms (term, nth),
    LATERAL (
        SELECT word, part, part = max(part) OVER () AS last
        FROM regexp_split_to_table(words(term), ' +') WITH ORDINALITY AS split (word, part)
        WHERE word <> ''
    ) AS parts
$$;

-- Dates where something may still come from: ranges that are not done, and edges that wait though both sides are there.
CREATE VIEW open_spans AS
    WITH dated AS (
        SELECT source_id, group_id, range_index, generation > 0 OR state = 'empty' AS closed, last_posted,
            coalesce(least(first_posted, starts_at), starts_at, '-infinity') AS span_from,
            coalesce(
                last_posted,
                lead(coalesce(first_posted, starts_at)) OVER (PARTITION BY source_id, group_id ORDER BY range_index),
                'infinity') AS span_to
        FROM ranges
    )
    SELECT source_id, group_id, span_from, span_to FROM dated WHERE NOT closed
    UNION ALL
    SELECT low.source_id, low.group_id, least(low.last_posted, high.span_from), greatest(low.last_posted, high.span_from)
    FROM edges
    JOIN dated AS low USING (source_id, group_id, range_index)
    JOIN dated AS high ON (high.source_id, high.group_id, high.range_index) = (low.source_id, low.group_id, low.range_index + 1)
    WHERE edges.dirty AND low.closed AND high.closed AND low.last_posted IS NOT NULL;

-- How far in time each group is covered: up to its last article read, or up to the moment of reading when that was the newest.
CREATE VIEW frontiers AS
    SELECT source_id, group_id, greatest(
        max(last_posted), max(fetched_at) FILTER (WHERE range_index * size + size > high)) AS covered_to
    FROM ranges JOIN group_numbers USING (source_id, group_id)
    WHERE generation > 0
    GROUP BY source_id, group_id;

-- Releases with names in place of numbers, to read.
CREATE VIEW release_details AS
    SELECT releases.release_id, releases.name, releases.poster,
        (SELECT coalesce(array_agg(groups.name ORDER BY groups.name), '{}') FROM groups WHERE group_id = ANY (releases.groups)) AS groups,
        first_posted, last_posted, files, files_expected, segments, segments_expected, bytes, has_par2, readable_name, category,
        tools.label AS tool, grouping.label AS grouped_by, naming.label AS named_by, signatures.label AS signature,
        records, settled, completeness, repost_of, added_at, changed_at
    FROM releases
    JOIN labels AS tools ON tools.label_id = releases.tool
    JOIN labels AS grouping ON grouping.label_id = releases.grouped_by
    JOIN labels AS naming ON naming.label_id = releases.named_by
    JOIN labels AS signatures ON signatures.label_id = releases.signature;
