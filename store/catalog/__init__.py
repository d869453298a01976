"""The catalog in Postgres: what is planned, what is materialized, and the releases that follow from it.

Each module is one idea: `connection`, `versions` (group lists, signature tables), `planning` (ranges), `commit` (a range's batch),
`edges` (fragments of two neighbours), `settle`, `collect`, `search`, `probes`, `keys`. Every SQL text lives in `catalog_sql`.
"""
