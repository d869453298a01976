"""`overlake status`: coverage, pace and failures, for a person or a machine."""

from __future__ import annotations

import fnmatch
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import timedelta
from itertools import groupby
from typing import Annotated

from cyclopts import Parameter
from rich.table import Table

from cli.console import out, print_json
from cli.options import DEFAULT_CONFIG, Config, Json
from store.catalog.connection import Catalog
from store.catalog.coverage import Coverage, coverage, pace, remaining
from store.catalog.planning import source_number
from store.configuration import load
from store.cures import cure_of

ROWS = 60
"""A table with more rows than these says little: then a row is a whole era."""

ERRORS = 10


@dataclass(frozen=True, slots=True)
class Shown:
    """A row with what follows from all rows together. `eta` counts everything older, too: eras are done in order."""

    row: Coverage
    eta: timedelta | None


def status(
    *,
    config: Config = DEFAULT_CONFIG,
    json: Json = False,
    group: Annotated[str, Parameter(help="Only groups of this name or shell pattern.")] = "*",
    era: Annotated[int | None, Parameter(help="Only this month, YYYYMM.")] = None,
) -> None:
    """How far the index is: ranges by state, lines, gaps, pace and time left per group and era, and what failed last, with its cure."""
    settings = load(config)
    with Catalog.open(settings) as catalog:
        rows = coverage(catalog, source_number(catalog, settings.provider.source))
    measured = pace(rows)
    shown = [
        Shown(row, eta)
        for row, eta in zip(rows, remaining(rows, measured), strict=True)
        if fnmatch.fnmatchcase(row.group, group) and era in (None, row.era)
    ]
    if json:
        print_json([_machine(item) for item in shown])
        return
    if not rows:
        out.print("Nothing is planned yet; run: overlake plan")
        return
    out.print(_table(shown))
    if measured.lines_per_second:
        left = measured.time_for(sum(row.open for row in rows))
        out.print(f"{measured.lines_per_second:,.0f} lines/s within the last hour; the rest takes {_span(left)}")
    for line in _failures(shown):
        out.print(line, soft_wrap=True)


def _machine(item: Shown) -> dict[str, object]:
    row = asdict(item.row)
    seconds = None if item.row.recent_from is None else (item.row.at - item.row.recent_from).total_seconds()
    row["lines_per_second"] = item.row.recent_lines / max(1.0, seconds) if seconds is not None else None
    row["eta_seconds"] = None if item.eta is None else item.eta.total_seconds()
    row["cure"] = cure_of(item.row.last_error_kind).cure if item.row.last_error else None
    return row


def _table(shown: Sequence[Shown]) -> Table:
    table = Table(
        *("era", "group", "ranges", "done", "at work", "failed", "empty", "lines", "kept", "garbage", "gaps", "left"),
        title="Coverage",
    )
    if len(shown) <= ROWS:
        for item in shown:
            table.add_row(*_cells(item.row.group, [item]))
        return table
    table.caption = "one row an era; `--group` and `--era` show single groups, --json everything"
    for _, of_era in groupby(shown, key=lambda item: item.row.era):
        items = list(of_era)
        table.add_row(*_cells(f"{len(items)} groups", items))
    return table


def _cells(group: str, items: Sequence[Shown]) -> tuple[str, ...]:
    rows, era = [item.row for item in items], items[0].row.era

    def counted(name: str) -> int:
        return sum(getattr(row, name) for row in rows)

    lines = counted("lines")
    return (
        "" if era is None else f"{era // 100}-{era % 100:02}",
        group,
        f"{counted('ranges'):,}",
        f"{counted('done'):,}",
        *(f"{number:,}" if number else "" for number in map(counted, ("running", "failed", "empty"))),
        f"{lines:,}",
        *(f"{counted(name) / lines:.0%}" if lines else "" for name in ("kept", "garbage")),
        f"{counted('gaps'):,}",
        _span(items[-1].eta) if counted("open") else "",
    )


def _span(time: timedelta | None) -> str:
    if time is None:
        return "?"
    hours, seconds = divmod(int(time.total_seconds()), 3600)
    return f"{hours // 24} d {hours % 24} h" if hours >= 48 else f"{hours}:{seconds // 60:02} h"


def _failures(shown: Sequence[Shown]) -> list[str]:
    failed = [item.row for item in shown if item.row.last_error]
    lines = [
        f"{row.last_error_range}: {row.last_error}\n  cure: {cure_of(row.last_error_kind).cure}"
        for row in failed[:ERRORS]
    ]
    return lines + ([f"... and {len(failed) - ERRORS} more groups and eras"] if len(failed) > ERRORS else [])
