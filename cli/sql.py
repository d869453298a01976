"""One SQL statement over the lake and the catalog."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Literal

import duckdb
from cyclopts import Parameter

from cli.console import err, fail
from cli.options import DEFAULT_CONFIG, Config
from store.configuration import load
from store.lakehouse import analysis_folder, connect, write_opening, write_views
from store.stores import open_stores

Format = Literal["table", "json", "csv", "parquet"]


def sql(
    statement: Annotated[str, Parameter(help="The statement; without it stdin is read.")] = "",
    *,
    format: Annotated[Format, Parameter(help="How the answer is written.")] = "table",  # noqa: A002 - the option's name
    output: Annotated[Path | None, Parameter(name=["--output", "-o"], help="Write the answer to this file.")] = None,
    kept: Annotated[
        bool,
        Parameter(negative="", help="Ask the catalog as it was when it was last read, instead of reading it again."),
    ] = False,
    config: Config = DEFAULT_CONFIG,
) -> None:
    """Answer one SQL statement of DuckDB's over the views of `overlake shell`; docs/analysts.md has twenty to start from."""
    if format == "parquet" and output is None and sys.stdout.isatty():
        fail("Parquet is not for a terminal; give --output FILE")
    settings = load(config)
    if kept and not (analysis_folder(settings) / "snapshot" / "ranges.parquet").exists():
        fail("the catalog was not read before; leave --kept away")
    if kept:
        opening = write_views(settings)
    else:
        with open_stores(settings) as stores, err.status("Reading the catalog"):
            opening = write_opening(stores)
    text = statement or sys.stdin.read()
    try:
        with connect(opening, settings) as connection:
            answer = connection.sql(text)
            if answer is not None:  # pyright: ignore[reportUnnecessaryComparison] - null for statements without an answer
                _write(answer, format, output)
    except duckdb.Error as error:
        fail(str(error))


def _write(answer: duckdb.DuckDBPyRelation, form: Format, output: Path | None) -> None:
    """The answer in a file of the wanted form, and from there to stdout where no file was named."""
    with tempfile.TemporaryDirectory() as folder:
        path = output or Path(folder) / "answer"
        if form == "table":
            path.write_text(str(answer) + "\n", encoding="utf-8")
        else:
            array = ", ARRAY true" if form == "json" else ""
            answer.query("answer", f"COPY answer TO '{str(path).replace(chr(39), chr(39) * 2)}' (FORMAT {form}{array})")
        if output is None:
            with path.open("rb") as file:
                shutil.copyfileobj(file, sys.stdout.buffer)
                sys.stdout.buffer.flush()
