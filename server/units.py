"""Sizes, ages and shares as people read them."""

from __future__ import annotations

from datetime import datetime, timedelta

_UNITS = ("B", "KB", "MB", "GB", "TB", "PB")


def readable_bytes(size: int) -> str:
    """`1.4 GB`; a unit is 1024 of the one before, as the clients count."""
    value = float(size)
    for unit in _UNITS[:-1]:
        if value < 1024:
            return f"{value:.0f} {unit}" if unit in ("B", "KB") else f"{value:.1f} {unit}"
        value /= 1024
    return f"{value:.1f} {_UNITS[-1]}"


def age(then: datetime, now: datetime) -> str:
    """`5 min`, `3 h`, `12 d`, `4.2 y`."""
    hours = max((now - then).total_seconds(), 0) / 3600
    if hours < 1:
        return f"{hours * 60:.0f} min"
    if hours < 48:
        return f"{hours:.0f} h"
    days = hours / 24
    return f"{days:.0f} d" if days < 365 else f"{days / 365.25:.1f} y"


def span(time: timedelta) -> str:
    """`40 min`, `7 h`, `12 d`: how long something takes."""
    minutes = time.total_seconds() / 60
    if minutes < 90:
        return f"{max(minutes, 1):.0f} min"
    return f"{minutes / 60:.0f} h" if minutes < 48 * 60 else f"{minutes / 1440:.0f} d"


def percent(found: int, expected: int) -> str:
    """`100 %` only when nothing is missing, `99.9 %` just below."""
    if found >= expected:
        return "100 %"
    return f"{min(int(1000 * found / expected) / 10, 99.9):.1f} %"


def short_group(name: str) -> str:
    """`a.b.linux` for `alt.binaries.linux`, as people write it."""
    return f"a.b.{name.removeprefix('alt.binaries.')}" if name.startswith("alt.binaries.") else name
