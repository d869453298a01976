"""DuckDB over everything an index holds: overview lines, the catalog, and decoded chunk files, as views of one database in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import BinaryIO

import polars as pl
from duckdb import DuckDBPyConnection
from duckdb import connect as connect_to_memory

from catalog_sql import duckdb_views
from pipeline import schema
from store.catalog.snapshot import write_snapshot
from store.configuration import Settings
from store.disk import LocalDisk
from store.objects import file_system
from store.stores import Stores, lake_disk

FOLDER = "analysis"
"""Below the data folder: what analyses read and write besides lake and chunk files."""

_OVERVIEW = "overview/source=*/group=*/range=*[0-9].parquet"
_NO_OVERVIEW = "overview/source=/group="
_EXPORTED = "chunks/source=*/group=*/*.parquet"

EXPORTED = pl.Schema(
    {
        "path": pl.String,
        **schema.RECORD_FILES.polars,
        "segments": pl.List(
            pl.Struct({name: schema.SEGMENTS.polars[name] for name in ("number", "bytes", "message_id")})
        ),
    }
)
"""A file of a record of a chunk file, with its segments in order: what the view `chunks` reads."""


def analysis_folder(settings: Settings) -> Path:
    """Where the snapshot of the catalog, exported chunk files and results of analyses lie; made if absent."""
    folder = settings.data.absolute() / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_opening(stores: Stores) -> Path:
    """Read the catalog into a snapshot and write the SQL that makes the views, for any DuckDB: `duckdb -init data/analysis/open.sql`.

    Of a lake in object storage it makes no view: DuckDB's own extension for that would have to be downloaded. `connect` does.
    """
    write_snapshot(stores.catalog, analysis_folder(stores.settings) / "snapshot")
    return write_views(stores.settings)


def write_views(settings: Settings) -> Path:
    """The same over the snapshot that is there already."""
    opening = analysis_folder(settings) / "open.sql"
    with _replaced(opening) as file:
        file.write(_opening(settings).encode())
    return opening


@contextmanager
def lakehouse(stores: Stores) -> Iterator[DuckDBPyConnection]:
    """A DuckDB connection with all views, over a catalog read a moment ago; times are UTC.

    `overview`, `ranges`, `counters`, `releases`, `records`, `chunk_files`, `samples`, `signatures`, `garbage`, and of what
    `overlake chunks export` decoded `files` and `chunks`.
    """
    with connect(write_opening(stores), stores.settings) as connection:
        yield connection


@contextmanager
def connect(opening: Path, settings: Settings) -> Iterator[DuckDBPyConnection]:
    """A DuckDB connection with all views, those of an opening that was written before and `overview` in object storage."""
    with connect_to_memory() as connection:
        connection.execute(opening.read_text())
        if settings.storage.is_lake_remote:
            connection.register_filesystem(file_system(settings.storage.endpoint, settings.storage.region))
            connection.execute(_overview(settings))
        yield connection


def _opening(settings: Settings) -> str:
    folder = analysis_folder(settings)
    has_exported = next(folder.glob(_EXPORTED), None) is not None
    exported = str(folder / _EXPORTED) if has_exported else _empty(settings, "chunks", EXPORTED)
    parts = [
        "SET TimeZone = 'UTC';",
        _variable("snapshot", str(folder / "snapshot")),
        duckdb_views("catalog"),
        _variable("chunks", exported),
        duckdb_views("chunks"),
    ]
    if not settings.storage.is_lake_remote:
        parts.append(_overview(settings))
    return "\n".join(parts)


def _overview(settings: Settings) -> str:
    lake = settings.storage.lake.rstrip("/") or str(settings.data.absolute())
    if settings.storage.is_lake_remote:
        # Listed here with 1,000 files a request; DuckDB would ask folder by folder.
        files = [
            f"{lake}/{file.path}" for file in lake_disk(settings).list("overview") if fnmatch(file.path, _OVERVIEW)
        ]
    else:
        files = [f"{lake}/{_OVERVIEW}"] if next(Path(lake).glob(_OVERVIEW), None) is not None else []
    shown = files or [_empty(settings, _NO_OVERVIEW, schema.OVERVIEW.polars)]
    return "\n".join([_variable("lake", lake), _variable("overview", shown), duckdb_views("overview")])


def _variable(name: str, value: str | list[str]) -> str:
    literal = _quoted(value) if isinstance(value, str) else f"[{', '.join(map(_quoted, value))}]"
    return f"SET VARIABLE {name} = {literal};"


def _empty(settings: Settings, name: str, columns: pl.Schema) -> str:
    """The path of a Parquet file of no rows: a view needs one to know its columns."""
    path = analysis_folder(settings) / "empty" / name / "range=000000.parquet"
    with _replaced(path) as file:
        pl.DataFrame(schema=columns).write_parquet(file)
    return str(path)


@contextmanager
def _replaced(path: Path) -> Iterator[BinaryIO]:
    """A file that takes the place of `path` as a whole: another process may be reading it."""
    replacement = LocalDisk(path.parent).replace(path.name)
    try:
        yield replacement.file
        replacement.commit()
    finally:
        replacement.discard()


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"
