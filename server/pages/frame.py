"""What all pages share: their headers, the login in place of a page, and the page that says what went wrong."""

from __future__ import annotations

from typing import Any

from litestar.response import Template

PAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "private, no-cache",
}


def page(template: str, status: int = 200, **context: Any) -> Template:
    """A page with the headers that keep foreign content out of it."""
    return Template(
        template_name=template,
        context=context,
        status_code=status,
        headers=PAGE_HEADERS,
        media_type="text/html; charset=utf-8",
    )


def login_form(following: str, refused: bool = False) -> Template:
    """The form that asks for the API key; `following` is the local address to go to afterwards."""
    return page("login.html", 401, following=following, refused=refused, known=False)


def failure(status: int, sentence: str) -> Template:
    """A page with one sentence about what went wrong."""
    return page("failure.html", status, number=status, sentence=sentence, known=False)


def local(address: str) -> str:
    """`address` when it leads to a page of this server, else the search page: a login must not forward to another site."""
    safe = address.startswith("/") and not address.startswith("//") and "\\" not in address and address.isprintable()
    return address if safe else "/"
