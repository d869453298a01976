"""Who asks, and under which address: API keys, the session of the web pages, and links behind a reverse proxy."""

from __future__ import annotations

import re
from ipaddress import ip_address, ip_network
from typing import Any, TypeAlias

from litestar import Request
from litestar.datastructures import Cookie
from litestar.di import NamedDependency
from litestar.params import SkipValidation
from litestar.response import Redirect

from server.library import Library
from server.newznab.feed import Site
from server.newznab.parameters import Parameters
from server.sessions import COOKIE, SECONDS, Sessions
from store.catalog.keys import ApiKey
from store.configuration import Server, Settings

AnyRequest = Request[Any, Any, Any]

TheLibrary: TypeAlias = NamedDependency[SkipValidation[Library]]
TheSettings: TypeAlias = NamedDependency[SkipValidation[Settings]]
"""What `server.app` hands to the handlers that ask for `library` and `settings`."""

KEY_NAMES = ("apikey", "r", "key")
"""Names under which clients send the API key."""

_HOST = re.compile(r"[A-Za-z0-9.\-]{1,253}(:[0-9]{1,5})?|\[[0-9A-Fa-f:.]{2,45}\](:[0-9]{1,5})?")
_PREFIX = re.compile(r"(/[A-Za-z0-9._~-]+)*")


def parameters(request: AnyRequest) -> Parameters:
    """The parameters of the query string."""
    return Parameters.parse(request.scope["query_string"])


def sent_key(request: AnyRequest, sent: Parameters) -> str:
    """The API key in the query or in `X-Api-Key`, empty when there is none."""
    return sent.text(*KEY_NAMES) or request.headers.get("x-api-key", "").strip()


def sessions(request: AnyRequest) -> Sessions:
    """The open sessions of the application."""
    return request.app.state.sessions


def logged_in(request: AnyRequest, apikey: str, following: str, settings: Server) -> Redirect:
    """Begin a session with this key and send the browser on."""
    cookie = Cookie(
        COOKIE,
        value=sessions(request).open(apikey),
        max_age=SECONDS,
        httponly=True,
        samesite="lax",
        secure=settings.public_url.startswith("https:"),
    )
    return Redirect(following, status_code=303, cookies=[cookie])


def session_key(request: AnyRequest) -> str:
    """The API key this browser logged in with, empty when it did not."""
    return sessions(request).key(request.cookies.get(COOKIE, ""))


def caller(request: AnyRequest, library: Library, sent: Parameters) -> ApiKey | None:
    """The key of the request or of its session; null when neither is valid."""
    return library.key(sent_key(request, sent)) or library.key(session_key(request))


def is_proxy(address: str, trusted: tuple[str, ...]) -> bool:
    """Whether a peer is a reverse proxy whose `X-Forwarded-*` are believed."""
    try:
        peer = ip_address(address)
    except ValueError:
        return False
    return any(peer in ip_network(network) for network in trusted)


def client_address(request: AnyRequest, settings: Server) -> str:
    """The address of the client: the peer's, or what a trusted proxy says of it, which is the last address that is none of its kind."""
    peer = request.client.host if request.client else ""
    named = [part.strip() for part in request.headers.get("x-forwarded-for", "").split(",") if part.strip()]
    while named and is_proxy(peer, settings.trusted_proxies):
        peer = named.pop()
    return peer


def site(request: AnyRequest, settings: Server, apikey: str = "") -> Site:
    """Where links lead: the configured address, else the one the client used, as a trusted reverse proxy reports it.

    A Host header that is no host name is not repeated in any link.
    """
    if settings.public_url:
        return Site(settings.title, settings.public_url.rstrip("/"), apikey)
    trusted = request.client is not None and is_proxy(request.client.host, settings.trusted_proxies)
    headers = request.headers
    reported = headers if trusted else {}
    host = reported.get("x-forwarded-host", headers.get("host", "")).split(",")[0].strip()
    prefix = reported.get("x-forwarded-prefix", "").rstrip("/")
    forwarded = reported.get("x-forwarded-proto", "").split(",")[0].strip().lower()
    scheme = forwarded if forwarded in ("http", "https") else request.scope.get("scheme", "http")
    address = host if _HOST.fullmatch(host) else f"{settings.host}:{settings.port}"
    return Site(settings.title, f"{scheme}://{address}{prefix if _PREFIX.fullmatch(prefix) else ''}", apikey)
