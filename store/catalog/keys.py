"""API keys: shown once, stored hashed, counted per day."""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from datetime import date, datetime

from psycopg.rows import class_row

from catalog_sql import query
from store.catalog.connection import Catalog


@dataclass(frozen=True, slots=True)
class ApiKey:
    """An API key without its secret."""

    id: int
    name: str
    admin: bool
    created_at: datetime
    revoked_at: datetime | None


@dataclass(frozen=True, slots=True)
class Usage:
    """How often a key was used on one day, per kind (`api`, `get`)."""

    day: date
    kind: str
    count: int


def create(catalog: Catalog, name: str, admin: bool = False) -> str:
    """Make a key; returns its secret (32 hexadecimal digits), which is stored only as a hash."""
    secret = secrets.token_hex(16)
    with catalog.transaction() as connection:
        connection.execute(query("add_key"), {"name": name, "hash": _hash(secret), "admin": admin})
    return secret


def verify(catalog: Catalog, secret: str) -> ApiKey | None:
    """The key with this secret; null when there is none or it is revoked."""
    with catalog.transaction() as connection, connection.cursor(row_factory=class_row(ApiKey)) as cursor:
        return cursor.execute(query("key_by_hash"), {"hash": _hash(secret)}).fetchone()


def list_keys(catalog: Catalog) -> list[ApiKey]:
    """All keys, oldest first."""
    with catalog.transaction() as connection, connection.cursor(row_factory=class_row(ApiKey)) as cursor:
        return cursor.execute(query("list_keys")).fetchall()


def revoke(catalog: Catalog, key_id: int) -> bool:
    """Refuse the key from now on; false when there is no such key."""
    with catalog.transaction() as connection:
        return connection.execute(query("revoke_key"), {"id": key_id}).rowcount == 1


def count_use(catalog: Catalog, key_id: int, kind: str) -> int:
    """Count one use; returns the uses of this kind today (UTC), this one included."""
    with catalog.transaction() as connection:
        ((uses,),) = connection.execute(query("count_use"), {"id": key_id, "kind": kind})
        return int(uses)


def usage(catalog: Catalog, key_id: int) -> list[Usage]:
    """Uses per day and kind, newest day first."""
    with catalog.transaction() as connection, connection.cursor(row_factory=class_row(Usage)) as cursor:
        return cursor.execute(query("usage"), {"id": key_id}).fetchall()


def _hash(secret: str) -> bytes:
    """SHA-256 is enough here: a secret of 128 random bits cannot be guessed, so a slow hash would protect nothing."""
    return hashlib.sha256(secret.encode(errors="replace")).digest()
