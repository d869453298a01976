"""The search page and the page of a release."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from litestar import Response, get
from litestar.params import FromPath

from server.access import KEY_NAMES, AnyRequest, TheLibrary, TheSettings, logged_in, parameters, sent_key, session_key
from server.library import Library, release_id
from server.newznab.categories import CATEGORIES
from server.newznab.errors import Refused
from server.newznab.functions import SEARCH, wanted
from server.newznab.naming import namings
from server.newznab.parameters import Parameters
from server.nzb import Contents, merge
from server.pages.frame import failure, login_form, page
from store.catalog.search import Page
from store.configuration import Settings

_STYLE = Path(__file__).parent / "style.css"
_PAGE = 50
_FILES_SHOWN = 1000


@dataclass(frozen=True, slots=True)
class Choice:
    """One entry of a filter: its value in the address, its words, and whether it is chosen."""

    value: str
    label: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class FileLine:
    """One file of a release as the page shows it."""

    name: str
    bytes: int
    found: int
    expected: int


_SIZES = {
    "": "Any size",
    str(10 * 2**20): "Over 10 MB",
    str(100 * 2**20): "Over 100 MB",
    str(2**30): "Over 1 GB",
    str(10 * 2**30): "Over 10 GB",
}
_AGES = {"": "Any age", "7": "Last week", "30": "Last month", "365": "Last year", "1825": "Last 5 years"}
_CATEGORIES = {"": "All categories"} | {str(own.id): own.name for own in CATEGORIES.values() if own.parent is None}


@get("/", sync_to_thread=True)
def search_page(request: AnyRequest, library: TheLibrary, settings: TheSettings) -> Response[Any]:
    """Search by name with filters, all in the address: the same parameters as the API's."""
    sent = parameters(request)
    stop = _guard(request, library, settings, sent)
    if stop is not None:
        return stop
    try:
        asked = Parameters(sent.values | {"limit": str(_PAGE)})
        search = wanted(SEARCH, asked)
    except Refused as error:
        return failure(400, error.fault.description)
    found = Page(0, ()) if search is None else library.search(search)
    offset = 0 if search is None else search.offset
    return page(
        "search.html",
        heading=settings.server.title,
        known=True,
        sent=sent,
        found=found,
        offset=offset,
        now=datetime.now(UTC),
        categories=_choices(_CATEGORIES, sent.text("cat")),
        sizes=_choices(_SIZES, sent.text("minsize")),
        ages=_choices(_AGES, sent.text("maxage")),
        earlier=_address(sent, max(offset - _PAGE, 0)) if offset else "",
        later=_address(sent, offset + _PAGE) if offset + len(found.releases) < found.total and found.releases else "",
    )


@get("/details/{name:str}", sync_to_thread=True)
def details(request: AnyRequest, name: FromPath[str], library: TheLibrary, settings: TheSettings) -> Response[Any]:
    """All that is known of a release: where it was posted, how complete it is, and its files."""
    stop = _guard(request, library, settings, parameters(request))
    if stop is not None:
        return stop
    try:
        release = library.release(release_id(name))
    except Refused:
        return failure(404, "There is no such release.")
    try:
        lines, trouble = _lines(merge(library.content(release.id))), ""
    except Refused as error:
        lines, trouble = [], error.fault.description
    return page(
        "details.html",
        heading=settings.server.title,
        known=True,
        release=release,
        named=namings([release])[0].lines(),
        lines=lines[:_FILES_SHOWN],
        hidden=len(lines) - len(lines[:_FILES_SHOWN]),
        trouble=trouble,
        now=datetime.now(UTC),
    )


@get("/style.css", sync_to_thread=False)
def style() -> Response[bytes]:
    """The style sheet."""
    return Response(
        _STYLE.read_bytes(), media_type="text/css; charset=utf-8", headers={"Cache-Control": "public, max-age=300"}
    )


def _guard(request: AnyRequest, library: Library, settings: Settings, sent: Parameters) -> Response[Any] | None:
    """The login form for a stranger, null for a known browser.

    A valid key in the address is taken into the session, and the browser sent on without it, so that it does not stay in the
    history or go to other sites.
    """
    secret = sent_key(request, sent)
    if secret and library.key(secret) is not None:
        kept = urlencode([(name, value) for name, value in sent.values.items() if name not in KEY_NAMES])
        return logged_in(request, secret, request.url.path + (f"?{kept}" if kept else ""), settings.server)
    if library.key(session_key(request)) is None:
        query = request.scope["query_string"].decode("latin-1")
        return login_form(request.url.path + (f"?{query}" if query and not secret else ""), refused=bool(secret))
    return None


def _lines(contents: Contents) -> list[FileLine]:
    shown = contents.files.select("name", "subject", "bytes", "segments_found", "segments_expected")
    return [
        FileLine(name or subject, size, found, max(found, expected))
        for name, subject, size, found, expected in shown.iter_rows()
    ]


def _choices(labels: dict[str, str], chosen: str) -> list[Choice]:
    own = {} if chosen in labels else {chosen: chosen}
    return [Choice(value, label, value == chosen) for value, label in (labels | own).items()]


def _address(sent: Parameters, offset: int) -> str:
    kept = {name: value for name, value in sent.values.items() if name not in (*KEY_NAMES, "offset")}
    return "/?" + urlencode(kept | {"offset": str(offset)})
