"""A page of figures about the index."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from cli.console import err, out, print_json
from cli.options import DEFAULT_CONFIG, Config, Json
from store.configuration import load
from store.lakehouse import analysis_folder
from store.stores import open_stores


def report(
    *,
    output: Annotated[
        Path | None, Parameter(name=["--output", "-o"], help="Where to write it; the analysis folder otherwise.")
    ] = None,
    config: Config = DEFAULT_CONFIG,
    json: Json = False,
) -> None:
    """Write one HTML page of figures that needs no network: lines, coverage, garbage, bytes and completeness by era, top signatures, the estimate.

    As JSON: where the page is, and the rows of each figure. Dagster's asset `report` shows the same.
    """
    from assets.analysis.report import PAGE, write_report

    settings = load(config)
    path = output or analysis_folder(settings) / PAGE
    with open_stores(settings) as stores, err.status("Reading lake and catalog"):
        shown = write_report(stores, path)
    if json:
        print_json({"path": path, "figures": {figure.name: figure.rows.to_dicts() for figure in shown}})
    else:
        out.print(f"{len(shown)} figures in {path}", soft_wrap=True)
