SELECT relname FROM pg_stat_user_tables
WHERE schemaname = 'public' AND n_mod_since_analyze > 1000 + n_live_tup / 20
ORDER BY relname
