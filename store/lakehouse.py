"""DuckDB over everything an index holds: overview lines, the catalog, and decoded chunk files, as views of one database in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
from store.stores import Stores

FOLDER = "analysis"
"""Below the data folder: what analyses read and write besides lake and chunk files."""

_OVERVIEW = "overview/source=*/group=*/range=*[0-9].parquet"
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

    Where the overview files lie in object storage, that DuckDB must have loaded a file system for them before.
    """
    write_snapshot(stores.catalog, analysis_folder(stores.settings) / "snapshot")
    return write_views(stores.settings)


def write_views(settings: Settings) -> Path:
    """The same over the snapshot that is there already."""
    folder = analysis_folder(settings)
    opening = folder / "open.sql"
    with _replaced(opening) as file:
        file.write(_opening(settings, folder).encode())
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
    """A DuckDB connection with the views of an opening that was written before."""
    with connect_to_memory() as connection:
        if "://" in settings.storage.lake:
            # Of this process: DuckDB's own extension for it would have to be downloaded.
            connection.register_filesystem(file_system(settings.storage.endpoint, settings.storage.region))
        connection.execute(opening.read_text())
        yield connection


def _opening(settings: Settings, folder: Path) -> str:
    lake = settings.storage.lake.rstrip("/") or str(settings.data.absolute())
    empty = folder / "empty"
    has_overview = "://" in lake or next(Path(lake).glob(_OVERVIEW), None) is not None
    has_exported = next(folder.glob(_EXPORTED), None) is not None
    variables = {
        "lake": lake,
        "snapshot": str(folder / "snapshot"),
        "overview": f"{lake}/{_OVERVIEW}"
        if has_overview
        else _empty(empty / "overview/source=/group=", schema.OVERVIEW.polars),
        "chunks": str(folder / _EXPORTED) if has_exported else _empty(empty / "chunks", EXPORTED),
    }
    settings_of_session = ["SET TimeZone = 'UTC';"]
    settings_of_session += [f"SET VARIABLE {name} = {_quoted(value)};" for name, value in variables.items()]
    return "\n".join([*settings_of_session, *(duckdb_views(name) for name in ("catalog", "chunks", "overview"))])


def _empty(folder: Path, columns: pl.Schema) -> str:
    """The path of a Parquet file of no rows: a view needs one to know its columns."""
    path = folder / "range=000000.parquet"
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
