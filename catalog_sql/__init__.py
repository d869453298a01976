"""Every SQL text: numbered migrations, and named queries. No Python but the loader below."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from pathlib import Path


@cache
def query(name: str) -> bytes:
    """The text of `queries/<name>.sql`, as psycopg takes it.

    Raises:
        FileNotFoundError: there is no such query.
    """
    return files(__name__).joinpath("queries", f"{name}.sql").read_bytes()


@cache
def dagster_query(name: str) -> bytes:
    """The text of `dagster/<name>.sql`, for Dagster's own database.

    Raises:
        FileNotFoundError: there is no such query.
    """
    return files(__name__).joinpath("dagster", f"{name}.sql").read_bytes()


def migrations() -> Path:
    """The folder of the numbered migrations."""
    return Path(str(files(__name__).joinpath("migrations")))


def duckdb_views(name: str) -> str:
    """The text of `duckdb/<name>.sql`: views over the lake or over a snapshot of the catalog."""
    return files(__name__).joinpath("duckdb", f"{name}.sql").read_text()


@cache
def snapshot_queries() -> dict[str, bytes]:
    """The queries whose results a snapshot of the catalog holds, by table name."""
    folder = Path(str(files(__name__).joinpath("snapshot")))
    return {path.stem: path.read_bytes() for path in sorted(folder.glob("*.sql"))}


@cache
def analyses() -> dict[str, str]:
    """The worked questions of docs/analysts.md, by name: SQL that DuckDB (over the views) and Postgres (over tables like them) both take."""
    return _texts("analysis")


@cache
def report_queries() -> dict[str, str]:
    """What the figures of the report show, by name: DuckDB's SQL over the views."""
    return _texts("report")


def _texts(folder: str) -> dict[str, str]:
    found = Path(str(files(__name__).joinpath(folder))).glob("*.sql")
    return {path.stem: path.read_text() for path in sorted(found)}
