"""API keys: make, rotate and revoke them, and the settings of each client to copy.

An admin key sees all keys and makes new ones; any other sees itself, and can rotate or revoke itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from litestar import Response, get, post

from server.access import AnyRequest, TheLibrary, TheSettings, logged_in, session_cookie, sessions, site
from server.library import Library
from server.pages.frame import (
    Form,
    ShownInstead,
    TheVisitor,
    Visitor,
    check_form,
    failure,
    need_admin,
    need_key,
    onward,
    page,
    text,
)
from server.pages.settings import clients
from server.sessions import COOKIE
from store.catalog import keys
from store.catalog.keys import ApiKey, BadKey, Limits

_NEW = "overlake_new"
"""Cookie that brings a new secret over to the page that shows it, once."""
_NEW_SECONDS = 60


@dataclass(frozen=True, slots=True)
class KeyLine:
    """A key as the page shows it, with its uses of today (UTC)."""

    key: ApiKey
    own: bool
    api: int
    get: int


@get("/keys", sync_to_thread=True, include_in_schema=False)
def keys_page(request: AnyRequest, visitor: TheVisitor, library: TheLibrary, settings: TheSettings) -> Response[Any]:
    """The keys the visitor may manage, the secret of one just made, and settings to copy."""
    need_key(visitor)
    new = sessions(request).open(request.cookies.get(_NEW, ""), _NEW_SECONDS)
    name, _, secret = new.rpartition(" ")
    shown = page(
        "keys.html",
        visitor,
        lines=_lines(visitor, library),
        new_name=name,
        new_secret=secret,
        clients=clients(site(request, settings.server).url, settings.server.title, secret or visitor.secret),
        now=datetime.now(UTC),
    )
    if new:
        shown.delete_cookie(_NEW)
    return shown


@post("/keys/change", sync_to_thread=True, include_in_schema=False)
def change_keys(
    request: AnyRequest, data: Form, visitor: TheVisitor, library: TheLibrary, settings: TheSettings
) -> Response[Any]:
    """Make, rotate or revoke a key, as the button says that was pressed."""
    check_form(request, visitor, settings, data)
    own = need_key(visitor)
    match text(data, "do"):
        case "create":
            return _create(request, data, visitor, library, settings)
        case "rotate":
            key = _chosen(data, visitor, library)
            secret = keys.rotate(library.catalog, key.id)
            if secret is None:
                raise ShownInstead(failure(404, "This key was revoked meanwhile.", visitor))
            answer = logged_in(request, secret, "/keys", settings.server) if key.id == own.id else onward("/keys")
            return _with_secret(request, answer, key.name, secret, settings)
        case "revoke":
            key = _chosen(data, visitor, library)
            keys.revoke(library.catalog, key.id)
            answer = onward("/" if key.id == own.id else "/keys")
            if key.id == own.id:
                answer.delete_cookie(COOKIE)
            return answer
        case _:
            return failure(400, "The form names nothing to do.", visitor)


def _create(
    request: AnyRequest, data: dict[str, Any], visitor: Visitor, library: Library, settings: TheSettings
) -> Response[Any]:
    need_admin(visitor)
    name = " ".join(text(data, "name").split())
    try:
        limits = Limits(_limit(data, "api_limit"), _limit(data, "get_limit"))
        secret = keys.create(library.catalog, name, text(data, "admin") == "yes", limits)
    except BadKey as error:
        return failure(400, f"{str(error)[:1].upper()}{str(error)[1:]}.", visitor)
    return _with_secret(request, onward("/keys"), name, secret, settings)


def _with_secret(
    request: AnyRequest, answer: Response[Any], name: str, secret: str, settings: TheSettings
) -> Response[Any]:
    answer.set_cookie(session_cookie(request, _NEW, f"{name} {secret}", _NEW_SECONDS, settings.server))
    return answer


def _limit(data: dict[str, Any], name: str) -> int | None:
    """A limit of the form, null where the field is left empty.

    Raises:
        BadKey: it is no number.
    """
    value = text(data, name)
    if not value:
        return None
    if not (value.isascii() and value.isdigit() and len(value) < 12):
        raise BadKey("a limit is a whole number a day, or empty for none")
    return int(value)


def _chosen(data: dict[str, Any], visitor: Visitor, library: Library) -> ApiKey:
    """The key the form names.

    Raises:
        ShownInstead: there is none that this visitor may change.
    """
    for line in _lines(visitor, library):
        if str(line.key.id) == text(data, "key") and line.key.revoked_at is None:
            return line.key
    raise ShownInstead(failure(404, "There is no such key that you may change.", visitor))


def _lines(visitor: Visitor, library: Library) -> list[KeyLine]:
    """All keys for an admin, those in force first; else the visitor's own."""
    own, today = need_key(visitor), datetime.now(UTC).date()
    listed = keys.list_keys(library.catalog) if own.admin else [own]
    lines = list[KeyLine]()
    for key in sorted(listed, key=lambda key: (key.revoked_at is not None, key.id)):
        uses = {use.kind: use.count for use in keys.usage(library.catalog, key.id) if use.day == today}
        lines.append(KeyLine(key, key.id == own.id, uses.get("api", 0), uses.get("get", 0)))
    return lines
