"""Date headers to UTC.

Almost all are in the two shapes that posting tools and servers write and are parsed as columns; each odd text that is left
is parsed once, with the standard library's lenient reader of RFC 5322 and RFC 850.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_tz

import polars as pl

from pipeline.schema import UTC_TIME

EARLIEST = datetime(2000, 1, 1, tzinfo=UTC)
"""Binaries before that are not kept by anyone; earlier dates are forged or broken."""

TOLERANCE = timedelta(days=2)
"""How far clocks of posters may be ahead."""

_CENTURY = datetime(100, 1, 1, tzinfo=UTC)
_LONGEST = 100
_NUMERIC = "%a, %d %b %Y %H:%M:%S %z"
_GREENWICH = "%a, %d %b %Y %H:%M:%S GMT"
_NO_DAY = "%d %b %Y %H:%M:%S %z"

# Names that Python's reader does not know; it takes an unknown name for UTC.
_HOURS = {
    "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "MET": 1, "MEZ": 1, "CEST": 2, "MEST": 2, "MESZ": 2, "EET": 2, "EEST": 3, "MSK": 3,
    "MSD": 4, "JST": 9, "KST": 9, "AEST": 10, "AEDT": 11, "NZST": 12, "NZDT": 13, "AKST": -9, "AKDT": -8, "HST": -10,
}  # fmt: skip
_YEAR_BEFORE_100 = re.compile(r"[A-Za-z]{3}[ -]00\d\d\b")
_NAMED_ZONE = re.compile(rf"\b({'|'.join(_HOURS)})\b(?![^(]*\))")


def parse_dates(dates: pl.Series, now: datetime) -> pl.Series:
    """Date headers as times.

    Args:
        dates: String; empty or null when there is none.
        now: aware; a later date is believed up to `TOLERANCE`.

    Returns:
        `schema.UTC_TIME`, whole seconds; null when unreadable or not in [`EARLIEST`, `now` + `TOLERANCE`].
    """
    frame = pl.DataFrame({"date": dates}).with_columns(_parsed(pl.col("date"), _NUMERIC).alias("time"))
    if frame["time"].has_nulls():
        frame = frame.with_columns(pl.coalesce("time", _parsed(pl.col("date"), _GREENWICH)))
    if frame["time"].has_nulls():
        frame = frame.with_columns(pl.coalesce("time", _second_look(frame.filter(pl.col("time").is_null()), frame)))
    return believable(frame["time"], now).alias(dates.name)


def believable(times: pl.Series, now: datetime) -> pl.Series:
    """Times, null where they are not in [`EARLIEST`, `now` + `TOLERANCE`]."""
    return times.set(~times.is_between(EARLIEST, now + TOLERANCE), None)


def _second_look(odd: pl.DataFrame, frame: pl.DataFrame) -> pl.Series:
    """Times of the `odd` dates, in the rows of `frame`."""
    unique = odd.select(pl.col("date").unique()).filter(pl.col("date") != "")
    plain = pl.col("date").str.replace(r"^[A-Za-z]{3,9},?\s+", "").str.replace(r"\s*\([^)]*\)\s*$", "")
    unique = unique.with_columns(_parsed(plain.str.replace(r"\s(GMT|UTC|UT|Z)$", " +0000"), _NO_DAY).alias("time"))
    strange = unique.filter(pl.col("time").is_null())["date"].to_list()
    read = pl.DataFrame(
        {"date": strange, "read": [_read(text) for text in strange]}, schema={"date": pl.String, "read": UTC_TIME}
    )
    unique = unique.join(read, on="date", how="left").select("date", pl.coalesce("time", "read").alias("second"))
    return frame.select("date").join(unique, on="date", how="left", maintain_order="left")["second"]


def _parsed(text: pl.Expr, shape: str) -> pl.Expr:
    """Times of the texts of one shape; a year of two digits, which is read as such, is left to the lenient reader."""
    time = text.str.strptime(UTC_TIME, shape, strict=False)
    return pl.when(time >= _CENTURY).then(time)


def _read(text: str) -> datetime | None:
    """Any RFC 5322, RFC 850 or similar date; UTC when it names no zone."""
    text = _NAMED_ZONE.sub(lambda match: f"{_HOURS[match[1]]:+03d}00", text[:_LONGEST])
    try:
        parts = parsedate_tz(text)
        # Python reads years below 100 as short ones, also where four digits are written.
        if parts is None or _YEAR_BEFORE_100.search(text):
            return None
        zone = timezone(timedelta(seconds=parts[9] or 0))
        return datetime(*parts[:6], tzinfo=zone).astimezone(UTC)
    except (ValueError, IndexError, TypeError, OverflowError):
        return None
