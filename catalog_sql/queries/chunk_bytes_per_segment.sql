-- Mean bytes of the published chunk files for each segment in them; 0 where there is none.
SELECT coalesce(
    (SELECT sum(bytes) FROM chunk_files WHERE retired_at IS NULL)::double precision
    / nullif((SELECT sum(kept) FROM counters), 0), 0)
