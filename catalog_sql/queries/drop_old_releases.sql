WITH dropped AS (
    DELETE FROM releases USING releases_of(%(base_keys)s::bigint[]) AS had
    WHERE releases.release_id = had.release_id
        AND NOT EXISTS (SELECT FROM islands WHERE islands.release_id = releases.release_id)
    RETURNING releases.release_id
), closed AS (
    DELETE FROM open_releases USING dropped WHERE open_releases.release_id = dropped.release_id
)
SELECT release_id FROM dropped
