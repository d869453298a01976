"""Groups and posting dates, read from the server for planning."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from pipeline.nntp.connection import connect
from pipeline.nntp.fetch import retrying
from pipeline.overview import parse
from pipeline.planning import Window, plan, ranges_of

if TYPE_CHECKING:
    from pipeline.nntp.account import Account
    from pipeline.nntp.connection import ActiveGroup, Connection
    from pipeline.planning import PlannedRange
    from pipeline.ranges import Range

SPANS = (100, 1_000, 10_000, 50_000)
"""Article numbers asked for at the start of a range; when there is no article, so many more each time, then the last again.

Holes of millions of numbers occur in big groups; half a window of 100 dates may be forged.
"""

IN_FLIGHT = 64
"""Ranges whose first windows are asked for together."""


def list_groups(account: Account, wildmat: str = "*") -> list[ActiveGroup]:
    """LIST ACTIVE of the provider, with passing faults retried.

    Raises:
        NntpError: the list could not be had.
    """
    for attempt in retrying():
        with attempt, connect(account) as connection:
            return connection.list_active(wildmat)
    raise AssertionError("stamina raises when attempts are used up")


def plan_group(
    account: Account,
    source: int,
    group: str,
    *,
    size: int,
    now: datetime,
    include_open: bool = False,
    first_index: int = 0,
) -> list[PlannedRange]:
    """The ranges of a group with their eras, ascending, from GROUP and small XOVER windows at each range's start.

    Args:
        account: the provider.
        source: number of the provider's numbering.
        group: group name.
        size: article numbers of a range.
        now: aware; dates later than `now` + 2 days are not believed.
        include_open: also the range that still grows.
        first_index: ranges below are already planned.

    Raises:
        NoSuchGroup: the provider does not carry the group.
        NntpError: the server could not be asked.
    """
    windows: list[Window] = []
    for attempt in retrying():
        with attempt, connect(account) as connection:
            reply = connection.group(group)
            ranges = ranges_of(source, group, reply.low, reply.high, size, include_open=include_open)
            ranges = [range_ for range_ in ranges if range_.index >= first_index]
            _read_windows(connection, ranges, windows, reply.low, reply.high, now)
            return plan(ranges, windows[: len(ranges)], now)
    raise AssertionError("stamina raises when attempts are used up")


def plan_groups(
    account: Account, source: int, groups: Sequence[str], *, size: int, now: datetime, include_open: bool = False
) -> Iterator[list[PlannedRange]]:
    """`plan_group` of each group in turn, over as many connections as the account has.

    Raises:
        NoSuchGroup: the provider does not carry one of the groups.
        NntpError: the server could not be asked.
    """
    planned = partial(plan_group, account, source, size=size, now=now, include_open=include_open)
    with ThreadPoolExecutor(account.connections) as pool:
        yield from pool.map(planned, groups)


def _read_windows(
    connection: Connection, ranges: Sequence[Range], windows: list[Window], low: int, high: int, now: datetime
) -> None:
    """Append the windows of the ranges that have none yet; what is appended stays when the connection breaks."""
    spans = [(max(range_.first, low, 1), min(range_.last, high)) for range_ in ranges]
    while len(windows) < len(spans):
        batch = spans[len(windows) : len(windows) + IN_FLIGHT]
        asked = [(start, min(start + SPANS[0] - 1, end)) for start, end in batch]
        for span in asked:
            connection.send_over(*span)
        text = b"".join(connection.read_over(*span).text for span in asked)
        for window, (start, end) in zip(_seen(text, asked, now), batch, strict=True):
            windows.append(window if window.articles else _beyond_hole(connection, start + SPANS[0], end, now))


def _beyond_hole(connection: Connection, start: int, end: int, now: datetime) -> Window:
    """The first articles of `start..end`, asked for in growing steps."""
    steps = deque(SPANS[1:])
    while start <= end:
        stop = min(start + steps[0] - 1, end)
        (window,) = _seen(connection.over(start, stop).text, [(start, stop)], now)
        if window.articles:
            return window
        start = stop + 1
        if len(steps) > 1:
            steps.popleft()
    return Window(0, ())


def _seen(text: bytes, spans: Sequence[tuple[int, int]], now: datetime) -> list[Window]:
    """What came for each of `spans`, which ascend: parsed at once, since a call costs more than its lines."""
    overview = parse(text, spans[0][0], spans[-1][1], now).overview
    numbers, dates = overview["number"].to_numpy(), overview["posted_at"]
    starts = np.searchsorted(numbers, [low for low, _ in spans])
    counts = np.searchsorted(numbers, [high for _, high in spans], side="right") - starts
    return [
        Window(count, tuple(dates.slice(start, count).drop_nulls().to_list()))
        for start, count in zip(starts.tolist(), counts.clip(max=SPANS[0]).tolist(), strict=True)
    ]
