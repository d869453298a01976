"""Shares of something scarce (a provider's connections), each held by one process at a time over all machines.

A lease is an advisory lock of a database session that its holder keeps awake. A holder that is killed loses it at once; one that is
stopped or cut off loses it when the server, not having heard of it, ends the session. Poolers between this and Postgres must keep
sessions apart (`pool_mode = session`).
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import psycopg
from psycopg import Connection, sql

from store.catalog.connection import Catalog, CatalogUnavailable, Row

SILENCE_S = 60.0
"""After so long without a word from its holder, a lease is free again."""

_BEATS = 4
_CLASS = 7
"""First key of the advisory locks; the second is a hash of the share's name."""
_POLL_S = 0.5


class LeaseLost(CatalogUnavailable):
    """The session that held a lease ended: another process may hold it now."""


class Lease:
    """A share that is held.

    Attributes:
        place: which of the shares that were asked for it is.
    """

    def __init__(self, place: int, share: str) -> None:
        self.place = place
        self._share = share
        self._lost = threading.Event()
        self._released = threading.Event()

    def check(self) -> None:
        """Do nothing while the lease is held.

        Raises:
            LeaseLost: it is not held any more.
        """
        if self._lost.is_set():
            raise LeaseLost(
                f"the database session that held {self._share} ended, so that another worker may use it; run again"
            )

    def keep(self, connection: Connection[Row], pause: float) -> None:
        """Keep the session awake until the lease is released or the session has ended."""
        while not self._released.wait(pause):
            try:
                connection.execute("SELECT 1")
            except psycopg.Error:
                self._lost.set()
                return

    def release(self) -> None:
        """Let `keep` return."""
        self._released.set()


@contextmanager
def leased(catalog: Catalog, shares: Sequence[str], silence: float = SILENCE_S) -> Iterator[Lease]:
    """Hold the first of `shares` that is free, for the length of the block; waits while all are held.

    Args:
        catalog: whose database the shares belong to.
        shares: their names, in order of preference.
        silence: seconds after which the lease of a holder that does not answer is free.

    Raises:
        CatalogUnavailable: the server cannot be reached.
    """
    with catalog.session() as connection:
        try:
            lease = _first_free(connection, shares, silence)
        except psycopg.OperationalError as error:
            raise CatalogUnavailable(f"the catalog's Postgres went away ({error}); run again") from error
        keeper = threading.Thread(
            target=lease.keep, args=(connection, silence / _BEATS), name=shares[lease.place], daemon=True
        )
        keeper.start()
        try:
            yield lease
        finally:
            lease.release()
            keeper.join()


def _first_free(connection: Connection[Row], shares: Sequence[str], silence: float) -> Lease:
    limit = sql.Literal(f"{round(silence * 1000)}ms")
    connection.execute(sql.SQL("SET idle_session_timeout = {}").format(limit))
    while True:
        for place, share in enumerate(shares):
            taken = connection.execute("SELECT pg_try_advisory_lock(%s, hashtext(%s))", [_CLASS, share]).fetchone()
            if taken == (True,):
                return Lease(place, share)
        time.sleep(_POLL_S * random.uniform(0.5, 1.5))  # noqa: S311 - so that many do not ask at once
