"""What lasts: configuration, the Parquet lake, chunk files and their codec, the catalog, embedded Postgres.

May import `pipeline` types and the SQL texts of `catalog_sql`. What does not belong here: Dagster, HTTP, rules about subjects.
"""
