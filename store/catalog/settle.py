"""Settling: when no more segments of a release are expected, it is final and its completeness is known."""

from __future__ import annotations

from datetime import datetime, timedelta

from catalog_sql import query
from store.catalog.connection import Catalog


def settle(catalog: Catalog, now: datetime, quiet: timedelta, margin: timedelta) -> int:
    """Settle every release that no range or edge can still add to; returns how many.

    A release settles when no record came for `quiet`, and in each of its groups every range whose dates overlap its posting span
    (widened by `margin`) is done or known empty. A re-run that touches it opens it again.
    """
    with catalog.transaction() as connection:
        ((count,),) = connection.execute(query("settle"), {"now": now, "quiet": quiet, "margin": margin})
        return int(count)
