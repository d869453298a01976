"""Backfills era by era: a few launched ahead so that Dagster is never idle, the older ones first in its queue."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import groupby

from cli.dagster_client import DagsterClient, DagsterUnavailable
from store.catalog.connection import Catalog
from store.catalog.planning import Fate, fates

KEYS_A_BACKFILL = 10_000
"""Dagster rewrites the whole body of a backfill again and again, so a large era goes in several."""

AHEAD = 3
"""Backfills launched and not ended: Dagster looks at new ones only every 30 seconds, and its queue must stay short."""

POLL_SECONDS = 1.0
ENDED_EVERY_SECONDS = 10.0


@dataclass(slots=True)
class Part:
    """The ranges of one backfill. `before` holds the generations from before its launch; `finished` says done or why not."""

    keys: list[str]
    backfill: str
    launched_at: datetime
    before: dict[str, int]
    finished: dict[str, str | None] = field(default_factory=dict[str, "str | None"])
    asked_at: float = 0.0
    cancelled: bool = False

    @property
    def open_keys(self) -> list[str]:
        """Ranges whose fate is not known yet."""
        return [key for key in self.keys if key not in self.finished]


@dataclass(frozen=True, slots=True)
class Backfilled:
    """What came of it: ids of the backfills, and the ranges that failed with the sentence that says why."""

    backfills: list[str]
    failed: dict[str, str]


def eras(keys: list[str]) -> list[list[str]]:
    """Partition keys in backfills of one era each, oldest first."""
    ordered = sorted(keys)
    return [
        era[start : start + KEYS_A_BACKFILL]
        for era in (list(group) for _, group in groupby(ordered, key=lambda key: key[:6]))
        for start in range(0, len(era), KEYS_A_BACKFILL)
    ]


def priority_of(key: str) -> int:
    """Older eras first: months before the year 2100, so that what a person launches by hand can be given more."""
    return (2100 - int(key[:4])) * 12 - int(key[4:6])


def launch(catalog: Catalog, dagster: DagsterClient, keys: list[str], assets: tuple[str, ...]) -> Part:
    """Launch one backfill."""
    before = {key: fate.generation for key, fate in fates(catalog, keys).items()}
    launched_at = datetime.now(UTC)
    backfill = dagster.launch(keys, assets, title=f"backfill {keys[0][:6]}", priority=priority_of(keys[0]))
    return Part(keys, backfill, launched_at, before)


def backfill_eras(
    catalog: Catalog,
    dagster: DagsterClient,
    keys: list[str],
    assets: tuple[str, ...],
    progress: Callable[[int, str], None],
) -> Backfilled:
    """Backfill `keys`, oldest era first, and wait; `progress` gets the ranges finished and the era under way.

    When it is interrupted, what was launched is cancelled. When a person cancels an era, no later one is launched.
    """
    waiting, running, ended = deque(eras(keys)), list[Part](), list[Part]()
    unbegun: list[str] = []
    try:
        while waiting or running:
            while waiting and len(running) < AHEAD:
                running.append(launch(catalog, dagster, waiting.popleft(), assets))
            for part in running:
                look(catalog, dagster, part)
            if any(part.cancelled for part in running):
                unbegun += [key for era in waiting for key in era]
                waiting.clear()
            ended += [part for part in running if not part.open_keys]
            running = [part for part in running if part.open_keys]
            progress(sum(len(part.finished) for part in (*ended, *running)), running[0].keys[0][:6] if running else "")
            if running:
                time.sleep(POLL_SECONDS)
        # The last step of a range (its edges) comes after it counts as done.
        while any(dagster.busy(part.backfill) for part in ended):
            time.sleep(POLL_SECONDS)
    except BaseException:
        for part in running:
            with suppress(DagsterUnavailable):
                dagster.cancel(part.backfill)
        raise
    failed = {key: why for part in ended for key, why in part.finished.items() if why is not None}
    failed |= dict.fromkeys(unbegun, "not begun, since an older era was cancelled")
    return Backfilled([part.backfill for part in ended], failed)


def look(catalog: Catalog, dagster: DagsterClient, part: Part) -> None:
    """Note which ranges of `part` are finished: by the catalog, or because the backfill ended without them."""
    for key, fate in fates(catalog, part.open_keys).items():
        if _done(fate, part.before[key]):
            part.finished[key] = None
        elif fate.state == "failed" and fate.failed_at is not None and fate.failed_at >= part.launched_at:
            part.finished[key] = fate.error or "no reason was recorded"
    if time.monotonic() - part.asked_at >= ENDED_EVERY_SECONDS:
        part.asked_at = time.monotonic()
        state = dagster.state(part.backfill)
        part.cancelled = state.status in ("CANCELED", "CANCELING")
        if state.ended and not dagster.busy(part.backfill):
            for key, fate in fates(catalog, part.open_keys).items():
                part.finished[key] = (
                    None
                    if _done(fate, part.before[key])
                    else state.error or fate.error or f"backfill {part.backfill} ended as {state.status}"
                )


def _done(fate: Fate, generation_before: int) -> bool:
    return fate.state == "done" and fate.generation > generation_before
