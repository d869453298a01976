"""API keys: shown once, stored hashed, counted per day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

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
    raise NotImplementedError


def verify(catalog: Catalog, secret: str) -> ApiKey | None:
    """The key with this secret; null when there is none or it is revoked."""
    raise NotImplementedError


def list_keys(catalog: Catalog) -> list[ApiKey]:
    """All keys, oldest first."""
    raise NotImplementedError


def revoke(catalog: Catalog, key_id: int) -> bool:
    """Refuse the key from now on; false when there is no such key."""
    raise NotImplementedError


def count_use(catalog: Catalog, key_id: int, kind: str) -> int:
    """Count one use; returns the uses of this kind today (UTC), this one included."""
    raise NotImplementedError


def usage(catalog: Catalog, key_id: int) -> list[Usage]:
    """Uses per day and kind, newest day first."""
    raise NotImplementedError
