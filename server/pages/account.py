"""Log in with an API key, log out."""

from __future__ import annotations

from typing import Any

from litestar import Response, get, post

from server.access import AnyRequest, TheLibrary, TheSettings, client_address, is_own_form, logged_in, parameters
from server.pages.frame import (
    Form,
    ShownInstead,
    TheVisitor,
    attempts,
    check_attempts,
    check_form,
    failure,
    local,
    login_form,
    onward,
    text,
)
from server.sessions import COOKIE


@get("/login", sync_to_thread=False, include_in_schema=False)
def login_page(request: AnyRequest) -> Response[Any]:
    """The login, for who follows a link to it on a public index."""
    shown = login_form(None, parameters(request).text("following") or "/")
    shown.status_code = 200
    return shown


@post("/login", sync_to_thread=True, include_in_schema=False)
def login(request: AnyRequest, data: Form, library: TheLibrary, settings: TheSettings) -> Response[Any]:
    """Take the key of the form into the session and go on to the page that was asked for."""
    if not is_own_form(request, settings.server):
        raise ShownInstead(failure(403, "This login was sent from another site. Open this one and log in here."))
    check_attempts(request, settings)
    secret, following = text(data, "apikey"), local(text(data, "following"))
    address = client_address(request, settings.server)
    if library.key(secret) is None:
        attempts(request).failed(address)
        return login_form(None, following, refused=True)
    attempts(request).succeeded(address)
    return logged_in(request, secret, following, settings.server)


@post("/logout", sync_to_thread=False, include_in_schema=False)
def logout(request: AnyRequest, data: Form, visitor: TheVisitor, settings: TheSettings) -> Response[Any]:
    """End the session."""
    check_form(request, visitor, settings, data)
    answer = onward("/")
    answer.delete_cookie(COOKIE)
    return answer
