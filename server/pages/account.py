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

from server.access import SESSION_KEY, AnyRequest, TheLibrary
from server.pages.frame import local, login_form

Form = Annotated[dict[str, Any], Body(media_type=RequestEncodingType.URL_ENCODED)]


@post("/login", sync_to_thread=True)
def login(request: AnyRequest, data: Form, library: TheLibrary) -> Response[Any]:
    """Take the key of the form into the session and go on to the page that was asked for."""
    secret, following = str(data.get("apikey", "")).strip(), local(str(data.get("following", "/")))
    if library.key(secret) is None:
        return login_form(following, refused=True)
    request.set_session({SESSION_KEY: secret})
    return Redirect(following, status_code=303)


@post("/logout", sync_to_thread=False)
def logout(request: AnyRequest) -> Response[Any]:
    """End the session."""
    request.clear_session()
    return Redirect("/", status_code=303)
