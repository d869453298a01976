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


def migrations() -> Path:
    """The folder of the numbered migrations."""
    return Path(str(files(__name__).joinpath("migrations")))
