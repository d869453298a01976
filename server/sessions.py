"""Who is logged in: random ids in cookies, the keys behind them in this process's memory.

Litestar's session middleware stores a session for every request, also of clients that never log in, and takes over an id that the client
made up; here only a login makes one, always under a fresh id.
"""

from __future__ import annotations

import secrets
from threading import Lock

COOKIE = "overlake"
SECONDS = 30 * 24 * 3600
_MOST = 10_000


class Sessions:
    """The open sessions; beyond 10,000 the oldest ends."""

    def __init__(self) -> None:
        self._keys: dict[str, str] = {}
        self._lock = Lock()

    def open(self, apikey: str) -> str:
        """Begin a session with this key; returns its id."""
        session = secrets.token_urlsafe(32)
        with self._lock:
            if len(self._keys) >= _MOST:
                del self._keys[next(iter(self._keys))]
            self._keys[session] = apikey
        return session

    def key(self, session: str) -> str:
        """The key of a session, empty when there is no such session."""
        return self._keys.get(session, "")

    def close(self, session: str) -> None:
        """End a session."""
        with self._lock:
            self._keys.pop(session, None)
