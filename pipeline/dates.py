"""Date headers to UTC."""

from __future__ import annotations

from datetime import datetime

import polars as pl


def parse_dates(dates: pl.Series, now: datetime) -> pl.Series:
    """Date headers (String) to `schema.UTC_TIME`; null when unreadable or not in [2000-01-01, `now` + 2 days]."""
    raise NotImplementedError
