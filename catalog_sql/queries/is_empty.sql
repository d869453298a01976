-- Whether a catalog holds nothing yet that a restore would overwrite.
SELECT NOT EXISTS (SELECT FROM ranges) AND NOT EXISTS (SELECT FROM chunk_files) AND NOT EXISTS (SELECT FROM releases)
    AND NOT EXISTS (SELECT FROM api_keys) AND NOT EXISTS (SELECT FROM signature_tables) AND NOT EXISTS (SELECT FROM group_lists)
