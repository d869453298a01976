"""The pages of a release: its files and how complete they are, and where it comes from and why it is as it is."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import polars as pl
from litestar import Response, get
from litestar.params import FromPath

from pipeline.reasons import reasons
from server.access import AnyRequest, TheLibrary, parameters
from server.library import Library, release_id
from server.newznab.errors import Refused
from server.newznab.naming import namings
from server.nzb import Contents, merge
from server.pages.frame import ShownInstead, TheVisitor, Visitor, failure, page
from server.pages.repair import Repair, gaps, repair
from store.catalog.origins import origins
from store.catalog.search import Release

FILES = 150
"""Files of a page: what fits into 100 kB with the longest of names."""

_RECORDS = 100
_REASONS = 40
_RUNS = 6


@dataclass(frozen=True, slots=True)
class FileLine:
    """One file of a release as the page shows it; `missing` names articles that are not there, `1, 3-5`."""

    name: str
    bytes: int
    found: int
    expected: int
    missing: str


@dataclass(frozen=True, slots=True)
class Files:
    """A page of the files of a release, and its recovery data.

    Attributes:
        lines: the files of this page.
        total: files in all.
        page: number of the page, from 1.
        pages: pages in all.
        incomplete: files with missing articles, over all pages.
        repair: what the recovery data covers.
    """

    lines: tuple[FileLine, ...]
    total: int
    page: int
    pages: int
    incomplete: int
    repair: Repair


@get("/details/{name:str}", sync_to_thread=True, include_in_schema=False)
def details(request: AnyRequest, name: FromPath[str], visitor: TheVisitor, library: TheLibrary) -> Response[Any]:
    """All that is known of a release, its files, and whether what is missing can be repaired."""
    release = _release(library, visitor, name)
    try:
        wanted = parameters(request).number("page") or 1
        files, trouble = files_of(release, merge(library.content(release.id)), wanted), ""
    except Refused as error:
        files, trouble = None, error.fault.description
    return page(
        "details.html",
        visitor,
        release=release,
        named=namings([release])[0].lines(),
        files=files,
        trouble=trouble,
        now=datetime.now(UTC),
        tab="files",
    )


@get("/details/{name:str}/origin", sync_to_thread=True, include_in_schema=False)
def origin_page(name: FromPath[str], visitor: TheVisitor, library: TheLibrary) -> Response[Any]:
    """Which ranges and chunk records a release was made from, and what grouped and named its files."""
    release = _release(library, visitor, name)
    found = origins(library.catalog, release.id)
    try:
        files = pl.concat([content.files for content in library.content(release.id)])
        seen, trouble = reasons(files.head(_REASONS)).to_dicts(), ""
    except Refused as error:
        files, seen, trouble = None, [], error.fault.description
    return page(
        "origin.html",
        visitor,
        release=release,
        origins=found[:_RECORDS],
        more_origins=max(0, len(found) - _RECORDS),
        reasons=seen,
        more_reasons=0 if files is None else max(0, files.height - _REASONS),
        trouble=trouble,
        now=datetime.now(UTC),
        tab="origin",
    )


def files_of(release: Release, contents: Contents, wanted: int) -> Files:
    """The files of a page, and the recovery data of all; a page beyond the last one is the last."""
    total = contents.files.height
    pages = max(1, -(-total // FILES))
    number = min(max(wanted, 1), pages)
    shown = contents.files.slice((number - 1) * FILES, FILES)
    partial = shown.filter(pl.col("segments_found") < pl.col("segments_expected")).select("file")
    found = {
        key[0]: rows["number"].to_list()
        for key, rows in contents.segments.join(partial, on="file", how="semi").group_by("file", maintain_order=True)
    }
    columns = ("file", "name", "subject", "bytes", "segments_found", "segments_expected")
    lines = [
        FileLine(name or subject, size, have, max(have, expected), missing(gaps(found.get(file, []), expected)) if have < expected else "")
        for file, name, subject, size, have, expected in shown.select(columns).iter_rows()
    ]  # fmt: skip
    incomplete = contents.files.filter(pl.col("segments_found") < pl.col("segments_expected")).height
    lacking = max(0, (release.files_expected or 0) - max(release.files, total))
    return Files(tuple(lines), total, number, pages, incomplete, repair(contents, lacking))


def missing(runs: list[tuple[int, int]]) -> str:
    """`1, 3-5, 9 and 12 more`: numbers of missing articles, as many runs as a line holds."""
    shown = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in runs[:_RUNS])
    rest = sum(last - first + 1 for first, last in runs[_RUNS:])
    return f"{shown} and {rest:,} more" if rest else shown


def _release(library: Library, visitor: Visitor, name: str) -> Release:
    try:
        return library.release(release_id(name))
    except Refused as error:
        raise ShownInstead(
            failure(
                404, "There is no such release. It may have been merged into another, or its range made again.", visitor
            )
        ) from error
