"""What to do about a failure: passing ones are tried again after a pause, the others end the range with a sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import stamina

from pipeline.nntp.errors import PassingFault
from store.catalog.connection import CatalogUnavailable

T = TypeVar("T")

ATTEMPTS = 3
PAUSE_SECONDS = 5.0


def _passing(error: Exception) -> bool:
    return isinstance(error, PassingFault | CatalogUnavailable)


def retried(step: Callable[[], T]) -> T:
    """The result of `step`, tried up to 3 times when its failure may pass; a refused login is never tried again."""
    for attempt in stamina.retry_context(
        on=_passing, attempts=ATTEMPTS, timeout=None, wait_initial=PAUSE_SECONDS, wait_max=60.0
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
