COPY probes (file_id, ordinal, priority) FROM STDIN
