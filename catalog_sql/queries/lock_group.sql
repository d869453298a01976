SELECT pg_advisory_xact_lock(2, %(group)s)
