"""Dagster only: partitions, assets, checks, schedules, resources. Thin: each asset reads as the sentence that describes it.

What does not belong here: rules about subjects (`pipeline`), SQL (`catalog_sql`), file formats (`store`).
"""
