"""How far the index is: a map of groups by year, and the months of one group with gaps and failures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from litestar import Response, get
from litestar.params import FromPath

from server.access import AnyRequest, TheLibrary, TheSettings, parameters
from server.library import Library
from server.pages.frame import TheVisitor, failure, page
from store.catalog.coverage import Coverage, coverage, pace, remaining
from store.catalog.planning import source_number
from store.configuration import Settings
from store.cures import cure_of

GROUPS = 40
"""Groups of a page of the map: what fits into 100 kB with twenty years."""

_SHADES = 5


@dataclass(frozen=True, slots=True)
class Sum:
    """Rows of the coverage counted together.

    Attributes:
        ranges: ranges that hold articles.
        done, failed, empty: of these, and the ranges without an article.
        lines: overview lines of the ranges that hold data.
        kept, garbage: segments kept, and dropped as garbage.
        wire_bytes, chunk_bytes: bytes received, and bytes stored.
        gaps: article numbers that the server counts and sent no line for.
    """

    ranges: int
    done: int
    failed: int
    empty: int
    lines: int
    kept: int
    garbage: int
    wire_bytes: int
    chunk_bytes: int
    gaps: int

    @classmethod
    def of(cls, rows: Iterable[Coverage]) -> Sum:
        """The sums over these rows."""
        listed = list(rows)
        return cls(*(sum(getattr(row, name) for row in listed) for name in cls.__slots__))

    @property
    def shade(self) -> int:
        """How dark a cell of the map is: 0 for nothing done, 5 for everything alone."""
        return _SHADES if self.done >= self.ranges else -(-self.done * (_SHADES - 1) // self.ranges)

    @property
    def share(self) -> int:
        """Percent of the ranges that are done, 100 for everything alone."""
        return 100 if self.done >= self.ranges else 100 * self.done // self.ranges


@dataclass(frozen=True, slots=True)
class Line:
    """One group of the map: its cells by year, null where it has no range that holds articles."""

    group: str
    cells: tuple[Sum | None, ...]


@get("/coverage", sync_to_thread=True, include_in_schema=False)
def coverage_page(
    request: AnyRequest, visitor: TheVisitor, library: TheLibrary, settings: TheSettings
) -> Response[Any]:
    """Totals, pace, the map of all groups by year, and what failed last."""
    rows = _rows(library, settings)
    groups = sorted({row.group for row in rows})
    pages = max(1, -(-len(groups) // GROUPS))
    number = min(max(parameters(request).number("page") or 1, 1), pages)
    years = sorted({row.era // 100 for row in rows if row.era is not None and row.ranges})
    measured = pace(rows)
    return page(
        "coverage.html",
        visitor,
        total=Sum.of(rows),
        groups=len(groups),
        years=years,
        lines=lines_of(rows, groups[(number - 1) * GROUPS : number * GROUPS], years),
        number=number,
        pages=pages,
        pace=measured,
        left=measured.time_for(sum(row.open for row in rows)),
        failures=[(row, cure_of(row.last_error_kind)) for row in rows if row.last_error][:10],
    )


@get("/coverage/{group:str}", sync_to_thread=True, include_in_schema=False)
def group_page(group: FromPath[str], visitor: TheVisitor, library: TheLibrary, settings: TheSettings) -> Response[Any]:
    """One group, month by month: ranges by state, where its lines went, gaps, and when each month will be done."""
    rows = _rows(library, settings)
    own = [(row, left) for row, left in zip(rows, remaining(rows, pace(rows)), strict=True) if row.group == group]
    if not own:
        return failure(404, "There is no such group in the plan.", visitor)
    return page(
        "group.html",
        visitor,
        group=group,
        total=Sum.of(row for row, _ in own),
        months=own,
        failures=[(row, cure_of(row.last_error_kind)) for row, _ in own if row.last_error][:10],
    )


def lines_of(rows: Iterable[Coverage], groups: Iterable[str], years: list[int]) -> list[Line]:
    """The lines of the map for these groups."""
    cells = dict[tuple[str, int], list[Coverage]]()
    for row in rows:
        if row.era is not None and row.ranges:
            cells.setdefault((row.group, row.era // 100), []).append(row)
    return [
        Line(group, tuple(Sum.of(cells[group, year]) if (group, year) in cells else None for year in years))
        for group in groups
    ]


def _rows(library: Library, settings: Settings) -> list[Coverage]:
    return coverage(library.catalog, source_number(library.catalog, settings.provider.source))
