-- Aliases of releases without records, and those whose id is a release again.
DELETE FROM release_aliases
WHERE alias IN (SELECT release_id FROM islands)
    OR (release_id = ANY (%(dropped)s::uuid[]) AND NOT EXISTS (SELECT FROM islands WHERE islands.release_id = release_aliases.release_id))
