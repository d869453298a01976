"""The handlers of `/api` and `/getnzb`: every answer is XML, errors included."""

from __future__ import annotations

import logging

from litestar import Response, route
from litestar.params import FromPath

from server.access import AnyRequest, TheLibrary, TheSettings, parameters, sent_key, session_key, site
from server.headers import nzb_headers
from server.library import Library, release_id
from server.newznab import errors
from server.newznab.caps import capabilities
from server.newznab.errors import Fault, Refused
from server.newznab.feed import NZB_TYPE, Site, feed
from server.newznab.functions import UNAVAILABLE, search_function, wanted
from server.newznab.parameters import Parameters
from server.nzb import merge, nzb
from store.catalog.connection import CatalogUnavailable
from store.catalog.search import Page
from store.configuration import Settings

PATHS = ("/api", "/api/v1/api")

_XML = "application/xml; charset=utf-8"
_RSS = "application/rss+xml; charset=utf-8"
_LOG = logging.getLogger(__name__)


def answer(body: bytes, media_type: str, status: int = 200, headers: dict[str, str] | None = None) -> Response[bytes]:
    """A response of known length."""
    return Response(body, media_type=media_type, status_code=status, headers=headers)


def refusal(fault: Fault) -> Response[bytes]:
    """An error as the client expects it."""
    headers = None if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    return answer(fault.body(), _XML, fault.status, headers)


def fault_of(error: Exception) -> Fault:
    """The Newznab error for what went wrong; what is not the client's doing is logged."""
    if isinstance(error, Refused):
        return error.fault
    if isinstance(error, CatalogUnavailable):
        _LOG.error("%s", error)
        return errors.UNAVAILABLE
    _LOG.error("a request failed", exc_info=error)
    return errors.UNKNOWN


@route("/api", http_method=["GET", "HEAD"], sync_to_thread=True)
def api(request: AnyRequest, library: TheLibrary, settings: TheSettings) -> Response[bytes]:
    """One call of the API, by its parameter `t`."""
    return _answered(request, library, settings)


@route("/api/v1/api", http_method=["GET", "HEAD"], sync_to_thread=True)
def api_v1(request: AnyRequest, library: TheLibrary, settings: TheSettings) -> Response[bytes]:
    """The same, where users of NNTmux look for it. One handler for both paths fails: Litestar 2.25 wraps it for threads twice."""
    return _answered(request, library, settings)


@route("/getnzb/{name:str}", http_method=["GET", "HEAD"], sync_to_thread=True)
def getnzb(request: AnyRequest, name: FromPath[str], library: TheLibrary, settings: TheSettings) -> Response[bytes]:
    """The NZB of the release `<id>.nzb`, for a key or a logged-in browser."""
    try:
        return _download(request, library, settings, parameters(request), name.removesuffix(".nzb"))
    except Exception as error:
        return refusal(fault_of(error).on_download())


def _answered(request: AnyRequest, library: Library, settings: Settings) -> Response[bytes]:
    try:
        return _called(request, library, settings)
    except Exception as error:
        return refusal(fault_of(error))


def _called(request: AnyRequest, library: Library, settings: Settings) -> Response[bytes]:
    sent = parameters(request)
    function = sent.text("t").lower()
    if function in ("caps", "c"):
        return answer(capabilities(settings.server.title, site(request, settings.server).url), _XML)
    if function in ("get", "g"):
        try:
            return _download(request, library, settings, sent, sent.text("id", "guid"))
        except Refused as error:
            return refusal(error.fault.on_download())
    if not function:
        raise Refused(errors.MISSING_PARAMETER.because("Missing parameter: t"))
    secret = sent_key(request, sent)
    key = library.key(secret)
    if key is None:
        raise Refused(errors.CREDENTIALS)
    library.count(key, "api")
    here = site(request, settings.server, secret)
    if function in ("details", "d"):
        return _details(library, here, sent)
    return _search(library, here, function, sent)


def _search(library: Library, here: Site, function: str, sent: Parameters) -> Response[bytes]:
    called = search_function(function)
    if called is None:
        raise Refused(errors.NOT_AVAILABLE if function in UNAVAILABLE else errors.NO_FUNCTION)
    search = wanted(called, sent)
    page = Page(0, ()) if search is None else library.search(search)
    return answer(feed(here, page, sent.number("offset") or 0), _RSS)


def _details(library: Library, here: Site, sent: Parameters) -> Response[bytes]:
    release = library.release(release_id(sent.text("id", "guid")))
    return answer(feed(here, Page(1, (release,)), 0), _RSS)


def _download(
    request: AnyRequest, library: Library, settings: Settings, sent: Parameters, name: str
) -> Response[bytes]:
    secret = sent_key(request, sent)
    key = library.key(secret or session_key(request))
    if key is None:
        raise Refused(errors.CREDENTIALS)
    release = library.release(release_id(name))
    body = nzb(release, merge(library.content(release.id)))
    library.count(key, "get")
    return answer(body, NZB_TYPE, headers=nzb_headers(site(request, settings.server), release))
