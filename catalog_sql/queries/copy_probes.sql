COPY probes (file_id, ordinal, file_key, kind, message_id, priority) FROM STDIN
