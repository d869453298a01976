"""Log in with an API key, log out.

The session cookie holds a random id only; the key stays in the server's memory and is verified at every request, so that a revoked
key ends its sessions at once. SameSite=Lax keeps other sites from posting with it.
"""

from __future__ import annotations

from typing import Annotated, Any

from litestar import Response, post
from litestar.enums import RequestEncodingType
from litestar.params import Body
from litestar.response import Redirect

from server.access import AnyRequest, TheLibrary, TheSettings, logged_in, sessions
from server.pages.frame import local, login_form
from server.sessions import COOKIE

Form = Annotated[dict[str, Any], Body(media_type=RequestEncodingType.URL_ENCODED)]


@post("/login", sync_to_thread=True)
def login(request: AnyRequest, data: Form, library: TheLibrary, settings: TheSettings) -> Response[Any]:
    """Take the key of the form into the session and go on to the page that was asked for."""
    secret, following = str(data.get("apikey", "")).strip(), local(str(data.get("following", "/")))
    if library.key(secret) is None:
        return login_form(following, refused=True)
    return logged_in(request, secret, following, settings.server)


@post("/logout", sync_to_thread=False)
def logout(request: AnyRequest) -> Response[Any]:
    """End the session."""
    sessions(request).close(request.cookies.get(COOKIE, ""))
    return Redirect("/", status_code=303)
