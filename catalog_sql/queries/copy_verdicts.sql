COPY verdicts (owner_id, dropped_by, signature, tool, files, segments, bytes) FROM STDIN
