"""catalog_sql."""
