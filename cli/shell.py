"""DuckDB's own shell over the lake and the catalog."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from catalog_sql import duckdb_views
from cli.console import err, fail
from cli.options import DEFAULT_CONFIG, Config
from store.catalog.snapshot import write_snapshot
from store.configuration import load
from store.stores import open_stores


def shell(
    *,
    config: Config = DEFAULT_CONFIG,
    command: Annotated[
        str, Parameter(name=["--command", "-e"], help="Run this SQL and end, instead of asking for some.")
    ] = "",
    json: Annotated[bool, Parameter(negative="", help="With --command: answer as JSON.")] = False,
) -> None:
    """Open DuckDB with views over the lake (overview) and the catalog (releases, records, ranges, chunk_files, samples, signatures, garbage).

    The catalog's tables are read when the shell opens; leave and open it again to see newer ones.
    """
    settings = load(config)
    with open_stores(settings) as stores, err.status("Reading the catalog"):
        folder = write_snapshot(stores.catalog, settings.data / "snapshot")
    start = settings.data / "snapshot" / "shell.sql"
    lake = None if "://" in settings.storage.lake else Path(settings.storage.lake or settings.data)
    if lake is None:
        err.print("No view `overview`: the lake is in object storage; docs/operations.md says how DuckDB reads it.")
    start.write_text(_opening(lake, folder))
    duckdb = Path(sys.executable).parent / "duckdb"
    if not duckdb.exists():
        fail(f"{duckdb} is missing; run: make setup")
    arguments = [str(duckdb), "-init", str(start), *(("-json",) if json else ()), *(("-c", command) if command else ())]
    os.execv(duckdb, arguments)  # noqa: S606 - DuckDB takes this process's place and terminal


def _opening(lake: Path | None, snapshot: Path) -> str:
    variables = "".join(
        f"SET VARIABLE {name} = '{str(path).replace(chr(39), chr(39) * 2)}';\n"
        for name, path in (("lake", lake), ("snapshot", snapshot))
        if path is not None
    )
    has_overview = lake is not None and next(lake.glob("overview/*/*/range=*[0-9].parquet"), None) is not None
    names = ["catalog", *(["overview"] if has_overview else [])]
    return "SET TimeZone = 'UTC';\n" + variables + "\n".join(duckdb_views(name) for name in names)
