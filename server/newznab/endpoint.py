"""The handlers of `/api` and `/rss`: every answer is XML, or JSON where it is asked for, errors included."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from litestar import Response, route
from litestar.params import FromPath

from server.access import AnyRequest, TheLibrary, TheSettings, parameters, sent_key, site
from server.library import Library, release_id
from server.newznab import errors
from server.newznab.answers import RSS, XML, answer, refusal
from server.newznab.caps import capabilities
from server.newznab.description import OfApi, OfDownload, OfDownloads, OfFeed
from server.newznab.downloads import download
from server.newznab.errors import Fault, Refused
from server.newznab.feed import feed
from server.newznab.functions import UNAVAILABLE, feed_parameters, search_function, wanted
from server.newznab.naming import namings
from server.newznab.parameters import Parameters, wants_more
from server.newznab.samples import with_samples
from store.catalog.connection import CatalogUnavailable
from store.catalog.search import Page
from store.configuration import Settings

PATHS = ("/api", "/rss", "/getnzb")
"""Beginnings of the paths that clients ask: no answer there is a page."""

_LOG = logging.getLogger(__name__)


def fault_of(error: Exception) -> Fault:
    """The Newznab error for what went wrong; what is not the client's doing is logged."""
    if isinstance(error, Refused):
        return error.fault
    if isinstance(error, CatalogUnavailable):
        _LOG.error("%s", error)
        return errors.UNAVAILABLE
    _LOG.error("a request failed", exc_info=error)
    return errors.UNKNOWN


@route("/api", http_method=["GET", "HEAD"], sync_to_thread=True, exclude_from_compression=True, operation_class=OfApi)
def api(request: AnyRequest, library: TheLibrary, settings: TheSettings) -> Response[Any]:
    """One call of the API, by its parameter `t`."""
    return _answered(request, library, settings, lambda sent: sent)


@route(
    "/api/v1/api",
    http_method=["GET", "HEAD"],
    sync_to_thread=True,
    exclude_from_compression=True,
    operation_class=OfApi,
)
def api_v1(request: AnyRequest, library: TheLibrary, settings: TheSettings) -> Response[Any]:
    """The same, where users of NNTmux look for it. One handler for both paths fails: Litestar 2.25 wraps it for threads twice."""
    return _answered(request, library, settings, lambda sent: sent)


@route("/rss", http_method=["GET", "HEAD"], sync_to_thread=True, exclude_from_compression=True, operation_class=OfFeed)
def rss(request: AnyRequest, library: TheLibrary, settings: TheSettings) -> Response[Any]:
    """The newest releases for feed readers and download clients: `t` names categories, all filters of a search narrow it."""
    return _answered(request, library, settings, feed_parameters)


@route(
    "/getnzb/{name:str}",
    http_method=["GET", "HEAD"],
    sync_to_thread=True,
    exclude_from_compression=True,
    operation_class=OfDownload,
)
def getnzb(request: AnyRequest, name: FromPath[str], library: TheLibrary, settings: TheSettings) -> Response[Any]:
    """The NZB of the release `<id>.nzb`, for a key or a logged-in browser."""
    return _downloaded(request, library, settings, name.removesuffix(".nzb"))


@route(
    "/getnzb",
    http_method=["GET", "HEAD"],
    sync_to_thread=True,
    exclude_from_compression=True,
    operation_class=OfDownloads,
)
def getnzbs(request: AnyRequest, library: TheLibrary, settings: TheSettings) -> Response[Any]:
    """The NZBs of the releases `id`, with commas between them, as a zip; of one alone the NZB."""
    return _downloaded(request, library, settings, parameters(request).text("id", "guid"))


def _downloaded(request: AnyRequest, library: Library, settings: Settings, ids: str) -> Response[Any]:
    try:
        return download(request, library, settings, ids)
    except Exception as error:
        return refusal(request, fault_of(error).on_download())


def _answered(
    request: AnyRequest, library: Library, settings: Settings, read: Callable[[Parameters], Parameters]
) -> Response[Any]:
    try:
        return _called(request, library, settings, read(parameters(request)))
    except Exception as error:
        return refusal(request, fault_of(error))


def _called(request: AnyRequest, library: Library, settings: Settings, sent: Parameters) -> Response[Any]:
    function = sent.text("t").lower()
    if function in ("caps", "c"):
        return answer(request, capabilities(settings.server.title, site(request, settings.server).url), XML)
    if function in ("get", "g"):
        try:
            return download(request, library, settings, sent.text("id", "guid"))
        except Refused as error:
            return refusal(request, error.fault.on_download())
    if not function:
        raise Refused(errors.MISSING_PARAMETER.because("Missing parameter: t"))
    secret = sent_key(request, sent)
    use = library.use(secret, "api")
    if use is None:
        raise Refused(errors.CREDENTIALS)
    if not use.allowed:
        raise Refused(errors.REQUESTS_USED_UP.until_tomorrow())
    page, offset = (
        (_details(library, sent), 0) if function in ("details", "d") else _search(library, settings, function, sent)
    )
    named = namings(page.releases) if wants_more(sent) or function in ("details", "d") else ()
    return answer(request, feed(site(request, settings.server, secret), page, offset, use, named), RSS)


def _search(library: Library, settings: Settings, function: str, sent: Parameters) -> tuple[Page, int]:
    """The page that is asked for, and the releases before it."""
    called = search_function(function)
    if called is None:
        raise Refused(errors.NOT_AVAILABLE if function in UNAVAILABLE else errors.NO_FUNCTION)
    search = wanted(called, sent)
    if search is None:
        return Page(0, ()), sent.number("offset") or 0
    page = library.search(search)
    return with_samples(search, page) if settings.server.sample_items else page, search.offset


def _details(library: Library, sent: Parameters) -> Page:
    return Page(1, (library.release(release_id(sent.text("id", "guid"))),))
