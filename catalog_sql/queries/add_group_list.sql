INSERT INTO group_lists (version, names) VALUES (%(version)s, %(names)s)
