-- Keys with limits a day and names that tell them apart; names in scripts without blanks are found by their characters.
-- depends: 0003.scale

-- Uses a UTC day allows, null for any number.
ALTER TABLE api_keys
    ADD COLUMN api_limit integer CHECK (api_limit > 0),
    ADD COLUMN get_limit integer CHECK (get_limit > 0);

UPDATE api_keys SET name = concat_ws(' ', nullif(trim(name), ''), 'key ' || key_id)
    WHERE trim(name) = '' OR EXISTS (
        SELECT FROM api_keys AS other WHERE other.name = api_keys.name AND other.key_id < api_keys.key_id AND other.revoked_at IS NULL);
ALTER TABLE api_keys ADD CHECK (trim(name) <> '');
CREATE UNIQUE INDEX api_keys_name ON api_keys (name) WHERE revoked_at IS NULL;

-- Words of a name, as before; besides, each Chinese, Japanese or Korean character is a word: those scripts put no blanks between words.
-- The index holds what this function said when a row was written, so it is made again.
CREATE OR REPLACE FUNCTION words(name text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 2000 RETURN
    translate(
        lower(public.unaccent('public.unaccent'::regdictionary,
            CASE WHEN name ~ '[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]'
                THEN regexp_replace(name, '([\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff])', ' \1 ', 'g') ELSE name END)),
        '!"#$%&''()*+,-./:;<=>?@[\]^_`{|}~', repeat(' ', 32));
REINDEX INDEX releases_words;
