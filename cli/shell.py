"""DuckDB's own shell over the lake and the catalog."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from cli.console import err, fail
from cli.options import DEFAULT_CONFIG, Config
from store.configuration import load
from store.lakehouse import write_opening
from store.stores import open_stores


def shell(
    *,
    config: Config = DEFAULT_CONFIG,
    command: Annotated[
        str, Parameter(name=["--command", "-e"], help="Run this SQL and end, instead of asking for some.")
    ] = "",
    json: Annotated[bool, Parameter(negative="", help="With --command: answer as JSON.")] = False,
) -> None:
    """Open DuckDB with views over the lake (overview), the catalog (releases, records, ranges, counters, chunk_files, samples, signatures, garbage) and exported chunk files (files, chunks).

    The catalog's tables are read when the shell opens; leave and open it again to see newer ones. A lake in object storage has no
    view here, but in `overlake sql`.
    """
    settings = load(config)
    with open_stores(settings) as stores, err.status("Reading the catalog"):
        opening = write_opening(stores)
    duckdb = Path(sys.executable).parent / "duckdb"
    if not duckdb.exists():
        fail(f"{duckdb} is missing; run: make setup")
    if settings.storage.is_lake_remote:
        err.print(
            "No view `overview`: the lake is in object storage, which DuckDB reads in `overlake sql` only.",
            soft_wrap=True,
        )
    arguments = [
        str(duckdb),
        "-init",
        str(opening),
        *(("-json",) if json else ()),
        *(("-c", command) if command else ()),
    ]
    os.execv(duckdb, arguments)  # noqa: S606 - DuckDB takes this process's place and terminal
