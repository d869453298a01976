COPY samples (owner_id, kind, number, subject, poster, message_id, bytes) FROM STDIN
