"""What DuckDB says over the lake and a snapshot of the catalog: estimates and evidence of garbage signatures."""
