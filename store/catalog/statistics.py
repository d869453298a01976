"""The planner's statistics of tables that a backfill has filled faster than autovacuum looks at them."""

from __future__ import annotations

from psycopg import sql

from catalog_sql import query
from store.catalog.connection import Catalog


def analyze(catalog: Catalog) -> list[str]:
    """Analyze the tables of which a twentieth of the rows changed since they last were, and return their names."""
    with catalog.transaction() as connection:
        names = [name for (name,) in connection.execute(query("changed_tables"))]
        for name in names:
            connection.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(name)))
    return names
