"""Search with every filter in the address, the newest releases by category, and NZBs for a browser."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode

from litestar import Response, get
from litestar.params import FromPath

from server.access import KEY_NAMES, AnyRequest, TheLibrary, TheSettings, parameters, site
from server.newznab.categories import CATEGORIES, children
from server.newznab.downloads import MOST, download
from server.newznab.errors import Refused
from server.newznab.functions import FILTERS, SEARCH, wanted
from server.newznab.parameters import Parameters
from server.pages.frame import TheVisitor, Visitor, failure, need_key, page
from store.catalog.search import Page, Search

PAGE = 50
"""Releases of a page: what fits into 100 kB with the longest of names."""

_NEWEST = 5
"""Releases shown of each category."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One entry of a filter: its value in the address, its words, whether it is chosen, and whether it belongs to the one before it."""

    value: str
    label: str
    chosen: bool
    within: bool = False


_MB = 2**20
_SIZES = {str(count * _MB): text for count, text in (
    (10, "10 MB"), (100, "100 MB"), (500, "500 MB"), (1024, "1 GB"), (5 * 1024, "5 GB"), (20 * 1024, "20 GB"), (100 * 1024, "100 GB"),
)}  # fmt: skip
_AGES = {"1": "1 day", "7": "1 week", "30": "1 month", "365": "1 year", "1825": "5 years", "3650": "10 years"}
_SHARES = {"": "Any", "50": "50 % or more", "90": "90 % or more", "95": "95 % or more", "100": "100 %"}
_SORTS = {
    "": "Newest first",
    "posted_asc": "Oldest first",
    "relevance": "Best match",
    "size": "Largest first",
    "size_asc": "Smallest first",
    "files": "Most files",
    "name": "Name, A to Z",
    "name_desc": "Name, Z to A",
}
_CATEGORIES = {"": "All categories"} | {str(own.id): own.name for own in CATEGORIES.values()}
_BELOW = frozenset(str(own.id) for own in CATEGORIES.values() if own.parent is not None)
_MORE = frozenset(["group", "poster", "minsize", "maxsize", "minage", "maxage", "completeness"])
"""Filters that lie behind "More filters" until one is used."""


@get("/", sync_to_thread=True, include_in_schema=False)
def search_page(request: AnyRequest, visitor: TheVisitor, library: TheLibrary, settings: TheSettings) -> Response[Any]:
    """Search by name with filters, all in the address: the same parameters as the API's and the feeds'."""
    sent = _page_parameters(parameters(request))
    try:
        search = wanted(SEARCH, Parameters(sent.values | {"limit": str(PAGE)}))
    except Refused as error:
        return failure(400, f"{error.fault.description}.", visitor)
    found = Page(0, ()) if search is None else library.search(search)
    offset = 0 if search is None else search.offset
    last = offset + len(found.releases)
    filters = {name: value for name, value in sent.values.items() if name != "offset"}
    return page(
        "search.html",
        visitor,
        sent=sent,
        found=found,
        offset=offset,
        now=datetime.now(UTC),
        choices=_all_choices(sent),
        more=bool(_MORE & sent.values.keys()),
        narrowed=bool(filters),
        feed=_feed(request, visitor, settings, filters),
        earlier=_address(sent, max(offset - PAGE, 0)) if offset else "",
        later=_address(sent, last) if found.releases and last < found.total else "",
    )


@get("/browse", sync_to_thread=True, include_in_schema=False)
def browse_page(visitor: TheVisitor, library: TheLibrary) -> Response[Any]:
    """The tree of categories with the newest releases of each."""
    tops = [own for own in CATEGORIES.values() if own.parent is None]
    shelves = [
        (top, children(top.id), library.search(Search(categories=(top.id,), limit=_NEWEST)).releases) for top in tops
    ]
    return page("browse.html", visitor, shelves=shelves, now=datetime.now(UTC))


@get("/download", sync_to_thread=True, include_in_schema=False)
def download_several(
    request: AnyRequest, visitor: TheVisitor, library: TheLibrary, settings: TheSettings
) -> Response[Any]:
    """The NZBs of all checked releases: a form sends one `id` for each."""
    chosen = [value.strip() for value in request.query_params.getall("id", []) if value.strip()]
    if not chosen:
        return failure(400, "No release is chosen. Go back and check the boxes of those to download.", visitor)
    if len(chosen) > MOST:
        return failure(400, f"These are {len(chosen)} releases; {MOST} at most go into one zip.", visitor)
    return _downloaded(request, visitor, library, settings, ",".join(chosen))


@get("/download/{name:str}", sync_to_thread=True, include_in_schema=False)
def download_one(
    request: AnyRequest, name: FromPath[str], visitor: TheVisitor, library: TheLibrary, settings: TheSettings
) -> Response[Any]:
    """The NZB of a release; what goes wrong is told as a page, where `/getnzb` tells programs in XML."""
    return _downloaded(request, visitor, library, settings, name.removesuffix(".nzb"))


def _downloaded(
    request: AnyRequest, visitor: Visitor, library: TheLibrary, settings: TheSettings, ids: str
) -> Response[Any]:
    need_key(visitor)
    try:
        return download(request, library, settings, ids)
    except Refused as error:
        fault = error.fault.on_download()
    sentence = f"{fault.description}."
    if fault.status == 429:
        sentence = "This key has downloaded as many NZBs as it may in a day (UTC). It goes on tomorrow; an admin can raise the limit."
    return failure(fault.status, sentence, visitor, fault.retry_after)


def _page_parameters(sent: Parameters) -> Parameters:
    """What of an address a search page answers; a form also sends the fields that are not filled in, and they are absent by then."""
    return Parameters(
        {name: value for name, value in sent.values.items() if name in ("q", *FILTERS) and name != "limit"}
    )


def _feed(request: AnyRequest, visitor: Visitor, settings: TheSettings, filters: dict[str, str]) -> str:
    """Address of the same search as a feed, with the visitor's key, since feed readers cannot log in; empty for a stranger."""
    if not visitor.secret:
        return ""
    return f"{site(request, settings.server).url}/rss?{urlencode(filters | {'apikey': visitor.secret})}"


def _all_choices(sent: Parameters) -> dict[str, list[Choice]]:
    cat = sent.text("cat")
    return {
        "cat": _choices(_CATEGORIES, cat, _BELOW),
        "minsize": _choices({"": "Any", **_SIZES}, sent.text("minsize")),
        "maxsize": _choices({"": "Any", **_SIZES}, sent.text("maxsize")),
        "minage": _choices({"": "Any", **_AGES}, sent.text("minage")),
        "maxage": _choices({"": "Any", **_AGES}, sent.text("maxage")),
        "completeness": _choices(_SHARES, sent.text("completeness")),
        "sort": _choices(_SORTS, sent.text("sort")),
    }


def _choices(labels: dict[str, str], chosen: str, within: Collection[str] = ()) -> list[Choice]:
    """The entries of a filter; a value that only the address has becomes one of its own."""
    listed = [Choice(value, label, value == chosen, value in within) for value, label in labels.items()]
    return listed if chosen in labels else [*listed, Choice(chosen, chosen, chosen=True)]


def _address(sent: Parameters, offset: int) -> str:
    kept = {name: value for name, value in sent.values.items() if name not in (*KEY_NAMES, "offset")}
    return "/?" + urlencode(kept | ({"offset": str(offset)} if offset else {}))
