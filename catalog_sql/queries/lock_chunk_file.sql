-- Held by the commit that publishes a chunk file and by the collector that finds no row of it; taken after the locks of lock_range.sql.
SELECT pg_advisory_xact_lock(4, hashtext(%(path)s))
