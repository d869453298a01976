"""API keys: shown once, stored hashed, counted and limited per day."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import date, datetime

from psycopg import errors
from psycopg.rows import class_row

from catalog_sql import query
from store.catalog.connection import Catalog

LEAST_API_LIMIT = 15
"""Calls a day that a key must at least allow: a client that is added calls eleven times within seconds (NZBHydra2)."""

_LONGEST_NAME = 100


class BadKey(ValueError):
    """A key cannot be as it is asked for; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Uses of a key that a UTC day allows, null for any number: calls of the API and feeds, and downloads."""

    api: int | None = None
    get: int | None = None


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key without its secret; `api_limit` and `get_limit` are its `Limits`."""

    id: int
    name: str
    admin: bool
    created_at: datetime
    revoked_at: datetime | None
    api_limit: int | None = None
    get_limit: int | None = None


@dataclass(frozen=True, slots=True)
class Use:
    """What became of the use of a key.

    Attributes:
        key: the key.
        allowed: whether it was counted; false where the limit of the day is reached.
        api: calls of this UTC day, this one included where it was counted.
        get: downloads of this day, the same.
    """

    key: ApiKey
    allowed: bool
    api: int
    get: int


@dataclass(frozen=True, slots=True)
class Usage:
    """How often a key was used on one day, per kind (`api`, `get`)."""

    day: date
    kind: str
    count: int


def create(catalog: Catalog, name: str, admin: bool = False, limits: Limits = Limits()) -> str:
    """Make a key; returns its secret (32 hexadecimal digits), which is stored only as a hash.

    Raises:
        BadKey: no name, one that another key has, or a limit that no client can live with.
    """
    shown = " ".join(name.split())
    if not shown or len(shown) > _LONGEST_NAME or not shown.isprintable():
        raise BadKey(f"a key needs a name of 1 to {_LONGEST_NAME} printable characters that says who uses it")
    secret = secrets.token_hex(16)
    values = {"name": shown, "hash": _hash(secret), "admin": admin}
    try:
        with catalog.transaction() as connection:
            connection.execute(query("add_key"), values | _limits(limits))
    except errors.UniqueViolation as error:
        raise BadKey(
            f"there is a key called {shown} already; choose another name, rotate that one, or revoke it"
        ) from error
    return secret


def verify(catalog: Catalog, secret: str) -> ApiKey | None:
    """The key with this secret; null when there is none or it is revoked."""
    with catalog.transaction() as connection, connection.cursor(row_factory=class_row(ApiKey)) as cursor:
        return cursor.execute(query("key_by_hash"), {"hash": _hash(secret)}).fetchone()


def use(catalog: Catalog, secret: str, kind: str, times: int = 1) -> Use | None:
    """Verify a key and count uses of one kind, all of them or none; null when there is no such key or it is revoked."""
    with catalog.transaction() as connection:
        # A crash may forget the uses of its last moments; to wait for the disk at each call would make the callers of a key queue up.
        connection.execute("SET LOCAL synchronous_commit = off")
        row = connection.execute(query("use_key"), {"hash": _hash(secret), "kind": kind, "times": times}).fetchone()
    return None if row is None else Use(ApiKey(*row[:7]), *row[7:])


def list_keys(catalog: Catalog) -> list[ApiKey]:
    """All keys, oldest first."""
    with catalog.transaction() as connection, connection.cursor(row_factory=class_row(ApiKey)) as cursor:
        return cursor.execute(query("list_keys")).fetchall()


def rotate(catalog: Catalog, key_id: int) -> str | None:
    """Give the key a new secret, which is returned, and refuse the old one from now on; null when there is no such key or it is revoked."""
    secret = secrets.token_hex(16)
    with catalog.transaction() as connection:
        changed = connection.execute(query("rotate_key"), {"id": key_id, "hash": _hash(secret)}).rowcount
    return secret if changed else None


def limit(catalog: Catalog, key_id: int, limits: Limits) -> bool:
    """Set what the key may do a day; false when there is no such key or it is revoked.

    Raises:
        BadKey: a limit that no client can live with.
    """
    with catalog.transaction() as connection:
        return connection.execute(query("limit_key"), {"id": key_id} | _limits(limits)).rowcount == 1


def revoke(catalog: Catalog, key_id: int) -> bool:
    """Refuse the key from now on; false when there is no such key."""
    with catalog.transaction() as connection:
        return connection.execute(query("revoke_key"), {"id": key_id}).rowcount == 1


def usage(catalog: Catalog, key_id: int) -> list[Usage]:
    """Uses per day and kind, newest day first."""
    with catalog.transaction() as connection, connection.cursor(row_factory=class_row(Usage)) as cursor:
        return cursor.execute(query("usage"), {"id": key_id}).fetchall()


def _limits(limits: Limits) -> dict[str, int | None]:
    if limits.api is not None and not LEAST_API_LIMIT <= limits.api < 2**31:
        raise BadKey(
            f"a limit of API calls must be {LEAST_API_LIMIT} or more a day: adding a client takes as many at once"
        )
    if limits.get is not None and not 1 <= limits.get < 2**31:
        raise BadKey("a limit of downloads must be 1 or more a day; to allow none, revoke the key")
    return {"api_limit": limits.api, "get_limit": limits.get}


def _hash(secret: str) -> bytes:
    """SHA-256 is enough here: a secret of 128 random bits cannot be guessed, so a slow hash would protect nothing."""
    return hashlib.sha256(secret.encode(errors="replace")).digest()
