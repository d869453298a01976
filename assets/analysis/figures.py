"""The figures of the report: each a query over the lakehouse, and a plot of its rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import plotly.graph_objects as go
import polars as pl
from duckdb import DuckDBPyConnection

from catalog_sql import report_queries
from pipeline.estimation import OF_ALL
from store.analysis.estimate import ESTIMATE
from store.configuration import Settings

_DROPPED, _KEPT = "#b5493b", "#3b6fb5"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure.

    Attributes:
        name: of its query, and in Dagster's metadata.
        title: as a heading.
        says: how to read it.
        rows: what it shows.
        plot: the same to look at.
    """

    name: str
    title: str
    says: str
    rows: pl.DataFrame
    plot: go.Figure


def figures(connection: DuckDBPyConnection, settings: Settings) -> Iterator[Figure]:
    """Every figure over the views of a lakehouse; the estimate where one was made."""
    for name, (title, says, plot) in _FIGURES.items():
        rows = pl.DataFrame(connection.sql(report_queries()[name]))
        yield Figure(name, title, says, rows, _laid_out(plot(rows)))
    estimate = settings.data / ESTIMATE
    if estimate.exists():
        rows = _totals(estimate)
        yield Figure("estimate", "Estimate of the whole target", _ESTIMATE_SAYS, rows, _laid_out(_intervals(rows)))


def _laid_out(plot: go.Figure) -> go.Figure:
    return plot.update_layout(template="plotly_white", height=420, margin={"l": 70, "r": 20, "t": 20, "b": 60})


def _era_axis(plot: go.Figure) -> go.Figure:
    return plot.update_xaxes(type="category", title="posted in", categoryorder="category ascending")


def _eras(rows: pl.DataFrame) -> list[str]:
    return [f"{era // 100}-{era % 100:02}" for era in rows["era"]]


def _stacked(rows: pl.DataFrame, by: str, value: str) -> go.Figure:
    """Bars by era, stacked by another column."""
    parts = rows.partition_by(by, maintain_order=True)
    bars = [go.Bar(name=part[by][0], x=_eras(part), y=part[value].to_list()) for part in parts]
    return _era_axis(go.Figure(bars).update_layout(barmode="stack"))


def _lines(rows: pl.DataFrame) -> go.Figure:
    return _stacked(rows, "group", "lines").update_yaxes(title="lines")


def _garbage(rows: pl.DataFrame) -> go.Figure:
    return _stacked(rows, "tool", "share").update_yaxes(title="share of lines", tickformat=".0%", rangemode="tozero")


def _bytes(rows: pl.DataFrame) -> go.Figure:
    names = {
        "wire_per_line": "wire, a line",
        "parquet_per_line": "Parquet, a line",
        "chunk_per_segment": "chunk files, a segment",
    }
    marks = [go.Bar(name=name, x=_eras(rows), y=rows[column].to_list()) for column, name in names.items()]
    return _era_axis(go.Figure(marks)).update_yaxes(title="bytes")


def _completeness(rows: pl.DataFrame) -> go.Figure:
    names = {"mean": "mean completeness", "whole": "share that is whole"}
    marks = [
        go.Scatter(name=name, x=rows["year"].to_list(), y=rows[column].to_list()) for column, name in names.items()
    ]
    plot = go.Figure(marks).update_xaxes(title="posted in", dtick=1)
    return plot.update_yaxes(tickformat=".0%", range=[0, 1.02])


def _coverage(rows: pl.DataFrame) -> go.Figure:
    mark = go.Heatmap(
        x=_eras(rows), y=rows["group"].to_list(), z=rows["done"].to_list(), zmin=0, zmax=1, colorscale="Greens"
    )
    return _era_axis(go.Figure(mark)).update_yaxes(automargin=True)


def _signatures(rows: pl.DataFrame) -> go.Figure:
    shown = rows.reverse()
    marks = [
        go.Bar(
            name=name, y=shown["signature"].to_list(), x=shown[name].to_list(), orientation="h", marker={"color": color}
        )
        for name, color in (("kept", _KEPT), ("dropped", _DROPPED))
    ]
    plot = go.Figure(marks).update_layout(barmode="stack").update_xaxes(title="segments")
    return plot.update_yaxes(automargin=True, type="category")


def _totals(estimate: Path) -> pl.DataFrame:
    return pl.read_parquet(estimate).filter(OF_ALL).select("figure", "estimate", "low", "high")


def _intervals(rows: pl.DataFrame) -> go.Figure:
    above, below = rows["high"] - rows["estimate"], rows["estimate"] - rows["low"]
    mark = go.Scatter(
        x=rows["estimate"].to_list(),
        y=rows["figure"].to_list(),
        mode="markers",
        error_x={"type": "data", "symmetric": False, "array": above.to_list(), "arrayminus": below.to_list()},
    )
    return go.Figure(mark).update_xaxes(type="log").update_yaxes(automargin=True, type="category")


_ESTIMATE_SAYS = "Totals from a sample of ranges, with 95 % intervals; the axis is logarithmic."

_FIGURES: dict[str, tuple[str, str, Callable[[pl.DataFrame], Any]]] = {
    "lines_by_era": ("Lines by era", "Overview lines fetched so far, by the month their range was posted in.", _lines),
    "coverage": ("Coverage", "The share of the planned ranges that is done, by group and era.", _coverage),
    "garbage_by_era": ("Garbage by era and tool", "The share of all lines that is dropped as garbage.", _garbage),
    "bytes_by_era": (
        "Bytes a line and a segment",
        "On the wire as compressed, in Parquet, and in chunk files.",
        _bytes,
    ),
    "completeness_by_age": ("Completeness by age", "Of settled releases whose size is known.", _completeness),
    "top_signatures": ("Top signatures", "Signatures of random-named files with most segments.", _signatures),
}
