INSERT INTO kinds (tool, grouped_by, named_by, signature, category, has_par2, readable_name, repost)
SELECT 1 + n %% 30, 1 + n %% 6, 1 + n %% 7, n, 2040, true, true, false FROM generate_series(1, %(count)s) AS n
