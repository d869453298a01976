"""What to do about a failure: a catalog that went away is waited for, anything else ends the range with a sentence.

The provider's passing faults are the NNTP client's to retry; what comes out of it has been retried already.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import stamina

from store.catalog.connection import CatalogUnavailable

T = TypeVar("T")

ATTEMPTS = 3
PAUSE_SECONDS = 5.0


def retried(step: Callable[[], T]) -> T:
    """The result of `step`, tried up to 3 times while the catalog is unavailable."""
    for attempt in stamina.retry_context(
        on=CatalogUnavailable, attempts=ATTEMPTS, timeout=None, wait_initial=PAUSE_SECONDS, wait_max=60.0
    ):
        with attempt:
            return step()
    raise AssertionError("retry_context ends by returning or raising")


def sentence(error: BaseException) -> str:
    """One line that says what failed, for the catalog, Dagster and stderr."""
    text = " ".join(str(error).split())
    return (
        text
        if text and type(error).__module__.split(".")[0] in {"pipeline", "store"}
        else f"{type(error).__name__}: {text}"
    )
