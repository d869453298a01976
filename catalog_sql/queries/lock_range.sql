-- Advisory locks are always taken in this order: group (class 2), range (class 1), a chunk file (class 4), base keys (class 3). Commits share the group, edges own it.
SELECT pg_advisory_xact_lock_shared(2, %(group)s), pg_advisory_xact_lock(1, %(range)s)
