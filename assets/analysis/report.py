"""The report: one page of figures that needs no network, and the same figures in Dagster."""

from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

import dagster as dg
import polars as pl
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from plotly.io import to_html
from plotly.offline import get_plotlyjs

from assets.analysis.figures import Figure, figures
from assets.range_work import SOFTWARE
from store.configuration import Settings
from store.disk import LocalDisk
from store.lakehouse import analysis_folder, lakehouse
from store.stores import Stores

PAGE = "report.html"


@dg.asset(deps=["release_chunks", "edge_chunks"], group_name="analysis", kinds={"duckdb", "plotly"})
def report(stores: dg.ResourceParam[Stores]) -> dg.MaterializeResult[Any]:
    """Lines, garbage, bytes, completeness and coverage by era, top signatures and the estimate, as one HTML page and as tables."""
    path = analysis_folder(stores.settings) / PAGE
    shown = write_report(stores, path)
    tables = {figure.name: _table(figure.rows) for figure in shown if figure.rows.height}
    return dg.MaterializeResult(metadata={"page": dg.MetadataValue.path(str(path)), **tables})


def write_report(stores: Stores, path: Path) -> list[Figure]:
    """Write the page over the index as it is now to `path`; returns its figures."""
    with lakehouse(stores) as connection:
        shown = list(figures(connection, stores.settings))
    replacement = LocalDisk(path.absolute().parent).replace(path.name)
    try:
        replacement.file.write(_page(shown, stores.settings).encode())
        replacement.commit()
    finally:
        replacement.discard()
    return shown


def _page(shown: Sequence[Figure], settings: Settings) -> str:
    """The page. Texts are escaped by the template, those in plots by Plotly's JSON."""
    template = files("assets.analysis").joinpath("page.html").read_text()
    options = {"responsive": True, "displaylogo": False}
    plots = {
        figure.name: Markup(to_html(figure.plot, config=options, include_plotlyjs=False, full_html=False))  # noqa: S704
        for figure in shown
    }
    return (
        Environment(autoescape=True, undefined=StrictUndefined)
        .from_string(template)
        .render(
            title=settings.server.title,
            made_at=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
            software=SOFTWARE,
            script=Markup(get_plotlyjs()),  # noqa: S704 - the library's own script
            figures=shown,
            plots=plots,
        )
    )


def _table(rows: pl.DataFrame) -> dg.TableMetadataValue:
    return dg.MetadataValue.table([dg.TableRecord(row) for row in rows.to_dicts()])
