"""A client that is far away: what it sends arrives later, in the order in which it was sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from typing import SupportsIndex


class FarReader(asyncio.StreamReader):
    """Reads what a client sent `seconds` ago. Commands sent together arrive together: a pipeline pays the distance once."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._seconds = seconds
        self._clock = asyncio.get_running_loop()

    def feed_data(self, data: Iterable[SupportsIndex]) -> None:
        """Take what the transport received."""
        self._clock.call_later(self._seconds, super().feed_data, bytes(data))

    def feed_eof(self) -> None:
        """Take the end of it."""
        self._clock.call_later(self._seconds, super().feed_eof)


def streams(
    connected: Callable[[asyncio.StreamReader, asyncio.StreamWriter], None], seconds: float
) -> Callable[[], asyncio.StreamReaderProtocol]:
    """A protocol for each connection of a server whose clients are `seconds` away, there and back."""
    return lambda: asyncio.StreamReaderProtocol(FarReader(seconds) if seconds else asyncio.StreamReader(), connected)
