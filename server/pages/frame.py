"""What all pages share: who looks at them, their headers, and the pages that stand in for one that cannot be shown."""

from __future__ import annotations

from dataclasses import dataclass
from hmac import compare_digest
from typing import Annotated, Any, TypeAlias
from urllib.parse import urlencode

from litestar import Response
from litestar.di import NamedDependency
from litestar.enums import RequestEncodingType
from litestar.params import Body, SkipValidation
from litestar.response import Redirect, Template

from server.access import (
    KEY_NAMES,
    AnyRequest,
    TheLibrary,
    TheSettings,
    client_address,
    form_token,
    is_own_form,
    logged_in,
    parameters,
    session_key,
)
from server.attempts import Attempts
from store.catalog.keys import ApiKey

PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "private, no-store",
}

Form = Annotated[dict[str, Any], Body(media_type=RequestEncodingType.URL_ENCODED)]

_SENTENCES = {
    400: ("This cannot be read", "Something in the address or the form is not understood."),
    403: ("Not with this key", "This needs an admin key: overlake keys create NAME --admin makes one."),
    404: ("Nothing here", "There is no such page. The link may be old, or the release is gone."),
    405: ("Not like this", "This address does not take such a request."),
    429: ("Limit reached", "Too many of these for now."),
    500: ("Something broke", "The request cannot be answered. The server's log says why."),
    503: ("Not available right now", "Something this page needs does not answer."),
}


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who looks at a page.

    Attributes:
        key: the key the browser logged in with, null for a stranger where the index is public.
        secret: its secret, empty for a stranger.
        token: what this browser's forms carry.
        title: name of the index.
        here: path of the page.
    """

    key: ApiKey | None
    secret: str
    token: str
    title: str
    here: str

    @property
    def admin(self) -> bool:
        """Whether the key may see and change everything."""
        return self.key is not None and self.key.admin


TheVisitor: TypeAlias = NamedDependency[SkipValidation[Visitor]]
"""What handlers of pages get that ask for `visitor`; a stranger to a private index does not come so far."""


class ShownInstead(Exception):
    """Another answer is given in place of the page that was asked for."""

    def __init__(self, answer: Response[Any]) -> None:
        super().__init__("shown instead")
        self.answer = answer


def visitor(request: AnyRequest, library: TheLibrary, settings: TheSettings) -> Visitor:
    """Who asks for a page.

    A valid key in the address is taken into the session, and the browser sent on without it, so that it does not stay in the history or
    go to other sites.

    Raises:
        ShownInstead: the login for a stranger, or that redirect.
    """
    sent = parameters(request)
    secret = sent.text(*KEY_NAMES)
    kept = urlencode([(name, value) for name, value in sent.values.items() if name not in KEY_NAMES])
    here = request.url.path + (f"?{kept}" if kept else "")
    if secret:
        check_attempts(request, settings)
        if library.key(secret) is not None:
            raise ShownInstead(logged_in(request, secret, local(here), settings.server))
        attempts(request).failed(client_address(request, settings.server))
    secret = "" if secret else session_key(request)
    key = library.key(secret)
    found = Visitor(key, secret if key else "", form_token(request), settings.server.title, request.url.path)
    if key is None and not settings.server.public:
        raise ShownInstead(login_form(found, here, refused=bool(sent.text(*KEY_NAMES))))
    return found


def attempts(request: AnyRequest) -> Attempts:
    """The failed logins of the application."""
    return request.app.state.attempts


def check_attempts(request: AnyRequest, settings: TheSettings) -> None:
    """Let an attempt to log in pass.

    Raises:
        ShownInstead: there were too many from this address.
    """
    seconds = attempts(request).wait(client_address(request, settings.server))
    if seconds:
        sentence = f"Too many keys from your address were wrong. Try again in {-(-seconds // 60)} min."
        raise ShownInstead(failure(429, sentence, retry_after=seconds))


def check_form(request: AnyRequest, visitor: Visitor, settings: TheSettings, data: dict[str, Any]) -> None:
    """Let a form of this browser's own session pass.

    Raises:
        ShownInstead: it comes from another site, or from a session that has ended.
    """
    if not (
        visitor.key
        and is_own_form(request, settings.server)
        and compare_digest(text(data, "token").encode(), visitor.token.encode())
    ):
        raise ShownInstead(failure(403, "This form is not of your session. Go back, load the page again, and repeat."))


def text(data: dict[str, Any], name: str) -> str:
    """A field of a form as one line of ASCII or other text, stripped; empty when it is missing."""
    return str(data.get(name, "")).strip()


def need_key(visitor: Visitor) -> ApiKey:
    """The key of the visitor.

    Raises:
        ShownInstead: a stranger looks at a public index: the login.
    """
    if visitor.key is None:
        raise ShownInstead(login_form(visitor, visitor.here))
    return visitor.key


def need_admin(visitor: Visitor) -> ApiKey:
    """The admin key of the visitor.

    Raises:
        ShownInstead: it is another key, or none.
    """
    key = need_key(visitor)
    if not key.admin:
        raise ShownInstead(failure(403, "", visitor))
    return key


def page(template: str, visitor: Visitor | None, status: int = 200, **context: Any) -> Template:
    """A page with the headers that keep foreign content out of it."""
    return Template(
        template_name=template,
        context={"visitor": visitor, **context},
        status_code=status,
        headers=PAGE_HEADERS,
        media_type="text/html",
    )


def login_form(visitor: Visitor | None, following: str, refused: bool = False) -> Template:
    """The form that asks for the API key; `following` is the local address to go to afterwards."""
    return page("login.html", visitor, 401, following=local(following), refused=refused)


def failure(
    status: int, sentence: str = "", visitor: Visitor | None = None, retry_after: int | None = None
) -> Template:
    """A page about what went wrong: a heading by its status, and a sentence that says what to do."""
    heading, usual = _SENTENCES.get(status, _SENTENCES[500 if status >= 500 else 400])
    shown = page("failure.html", visitor, status, number=status, failure=heading, sentence=sentence or usual)
    if retry_after is not None:
        shown.headers["Retry-After"] = str(retry_after)
    return shown


def onward(address: str) -> Redirect:
    """To a page of this server after a form was taken, so that loading it again does not send the form again."""
    return Redirect(address, status_code=303)


def local(address: str) -> str:
    """`address` when it leads to a page of this server, else the search page: a login must not forward to another site."""
    safe = address.startswith("/") and not address.startswith("//") and "\\" not in address and address.isprintable()
    return address if safe else "/"
