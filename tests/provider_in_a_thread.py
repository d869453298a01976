"""The simulator in a thread of the test's own process."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from simulator.history import History
from simulator.server import Provider, ServerOptions


@contextmanager
def running_provider(history: History, cache: Path, **options: Any) -> Iterator[tuple[int, ...]]:
    """A synthetic provider in a thread; gives its ports in the order of `listen`."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, daemon=True).start()
    provider = Provider(history, ServerOptions(**options), cache)
    ports = asyncio.run_coroutine_threadsafe(provider.start(), loop).result(30)
    try:
        yield ports
    finally:
        asyncio.run_coroutine_threadsafe(provider.stop(), loop).result(30)
        loop.call_soon_threadsafe(loop.stop)
