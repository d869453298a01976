"""All overview lines of one range, in order, over several connections.

Each connection is served by a thread that takes the lowest block not yet taken, at most so far ahead of the reader that memory
stays bounded, keeps two requests in flight, and gives its blocks back when the connection breaks.
"""

from __future__ import annotations

import heapq
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import stamina

from pipeline.nntp.connection import Compression, Connection, GroupReply, OverviewBlock, connect
from pipeline.nntp.errors import CorruptBlock, PassingFault, TooManyConnections

if TYPE_CHECKING:
    from pipeline.nntp.account import Account
    from pipeline.ranges import Range

IN_FLIGHT = 2
"""Requests sent ahead on one connection, so that the server works while an answer travels."""

ATTEMPTS = 6
FIRST_WAIT = 1.0
LONGEST_WAIT = 60.0
LIMIT_WAIT = 15.0
"""Seconds to wait at a connection limit: dead connections count at a provider until it notices them."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a range is: article numbers asked for and answered, bytes on the wire so far."""

    numbers_done: int
    numbers_total: int
    wire_bytes: int


def retrying() -> Iterator[stamina.Attempt]:
    """Attempts, with growing waits between them, at something that a `PassingFault` may stop; each is a context."""
    return iter(
        stamina.retry_context(
            on=_worth_retrying, attempts=ATTEMPTS, timeout=None, wait_initial=FIRST_WAIT, wait_max=LONGEST_WAIT
        )
    )


def _worth_retrying(error: Exception) -> bool | float:
    return LIMIT_WAIT if isinstance(error, TooManyConnections) else isinstance(error, PassingFault)


class _OneTooMany(Exception):
    """The account allows fewer connections than there are threads."""


class RangeFetch(Iterator[OverviewBlock]):
    """Iterator over the blocks of a range, in order; a context manager that closes its connections.

    Attributes:
        reply: the GROUP reply the fetch started from.
        form: wire form of the blocks seen so far, empty before the first.
        wire_bytes: bytes of the blocks seen so far, as they came over the wire.
    """

    def __init__(
        self,
        account: Account,
        group: str,
        reply: GroupReply,
        first: int,
        last: int,
        connection: Connection,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        """Start the threads; `connection` has `group` selected and becomes the first of them."""
        step = account.numbers_per_request
        self.reply = reply
        self.form = ""
        self.wire_bytes = 0
        self._account = account
        self._group = group
        self._progress = progress
        self._numbers = max(0, last - first + 1)
        self._spans = [(start, min(start + step - 1, last)) for start in range(first, last + 1, step)]
        self._compression = connection.compression
        self._changed = threading.Condition()
        self._todo = list(range(len(self._spans)))
        self._fetched: dict[int, OverviewBlock] = {}
        self._delivered = self._received = 0
        self._corrupt = False
        self._open: set[Connection] = set()
        self._error: Exception | None = None
        self._stopped = False
        self._workers = max(1, min(account.connections, len(self._spans)))
        self._ahead = (IN_FLIGHT + 1) * self._workers
        for spare in (connection, *[None] * (self._workers - 1)):
            threading.Thread(target=self._work, args=(spare,), name=f"fetch {group}", daemon=True).start()

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> OverviewBlock:
        """The next block.

        Raises:
            NntpError: it could not be had; the range has failed.
        """
        if self._delivered == len(self._spans):
            self.close()
            raise StopIteration
        with self._changed:
            self._changed.wait_for(lambda: self._delivered in self._fetched or self._stopped)
            block = None if self._stopped else self._fetched.pop(self._delivered)
            self._delivered += block is not None
            self._changed.notify_all()
        if block is None:
            self.close()
            raise self._error or StopIteration
        self.form = block.form or self.form
        self.wire_bytes += block.wire_bytes
        if self._progress is not None:
            done = block.last - self._spans[0][0] + 1
            self._progress(Progress(done, self._numbers, self.wire_bytes))
        return block

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections; the threads end on their own."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()
            still_open = list(self._open)
        for connection in still_open:
            connection.close()

    def _work(self, connection: Connection | None) -> None:
        """A thread: serve connections until nothing is left, this one is one too many, or the range has failed."""
        try:
            while self._wanted():
                self._work_once(connection)
                connection = None
        except _OneTooMany:
            pass
        except Exception as error:  # raised again in the reader's thread
            with self._changed:
                self._error = self._error or error
                self._stopped = True
                self._changed.notify_all()
        finally:
            if connection is not None:
                connection.close()

    def _work_once(self, connection: Connection | None) -> None:
        """Serve one connection that delivers something; those that break before count as failed attempts."""
        for attempt in retrying():
            with attempt:
                try:
                    if connection is not None or self._wanted():
                        self._serve(connection)
                except TooManyConnections:
                    self._leave_to_others()
                    raise
                finally:
                    connection = None

    def _serve(self, connection: Connection | None) -> None:
        """Fetch blocks on one connection until none are left or it breaks.

        Raises:
            PassingFault: it broke before it had delivered a block.
        """
        asked: deque[int] = deque()
        delivered = False
        try:
            with self._connection(connection) as usable:
                while True:
                    while len(asked) < IN_FLIGHT and (index := self._take(wait=not asked)) is not None:
                        asked.append(index)
                        usable.send_over(*self._spans[index])
                    if not asked:
                        return
                    block = usable.read_over(*self._spans[asked[0]])
                    self._put(asked.popleft(), block)
                    delivered = True
        except PassingFault as error:
            if not delivered and self._wanted():
                if isinstance(error, CorruptBlock):
                    self._distrust_compression()
                raise
        finally:
            self._give_back(asked)

    @contextmanager
    def _connection(self, connection: Connection | None) -> Generator[Connection]:
        """`connection`, or a new one with the group selected; closed at the end, and by `close`."""
        usable = connection or connect(self._account, self._compression)
        with usable:
            with self._changed:
                self._open.add(usable)
                if self._stopped:
                    usable.close()
            try:
                if connection is None:
                    usable.group(self._group)
                yield usable
            finally:
                with self._changed:
                    self._open.discard(usable)

    def _wanted(self) -> bool:
        with self._changed:
            return not self._stopped and self._received < len(self._spans)

    def _take(self, *, wait: bool) -> int | None:
        """The lowest block not yet taken; None when there is none now (or, with `wait`, when there will be none)."""
        with self._changed:
            if wait:
                self._changed.wait_for(lambda: self._stopped or self._received == len(self._spans) or self._may_take())
            return heapq.heappop(self._todo) if not self._stopped and self._may_take() else None

    def _may_take(self) -> bool:
        return bool(self._todo) and self._todo[0] < self._delivered + self._ahead

    def _put(self, index: int, block: OverviewBlock) -> None:
        with self._changed:
            self._fetched[index] = block
            self._received += 1
            self._changed.notify_all()

    def _give_back(self, indices: deque[int]) -> None:
        with self._changed:
            for index in indices:
                heapq.heappush(self._todo, index)
            self._changed.notify_all()

    def _distrust_compression(self) -> None:
        """After two connections whose first reply does not inflate, the rest of the range is asked for as plain text."""
        with self._changed:
            if self._corrupt:
                self._compression = Compression.PLAIN
            self._corrupt = True

    def _leave_to_others(self) -> None:
        """End this thread when others are there to fetch its share."""
        with self._changed:
            if self._workers > 1:
                self._workers -= 1
                raise _OneTooMany from None


def fetch_range(
    account: Account,
    range_: Range,
    *,
    low: int | None = None,
    high: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> RangeFetch:
    """Fetch every overview line of a range, as blocks in order; close it, or use it as a context.

    Only numbers the group has are asked for: those of the GROUP reply, widened by `low` and `high` when the caller knows
    of others (hosts behind one provider name can differ).

    Raises:
        NntpError: a block could not be had after retries; then the whole range has failed.
    """
    connection, reply = open_group(account, range_.group)
    first = max(range_.first, 1, min(number for number in (reply.low, low) if number is not None))
    last = min(range_.last, max(number for number in (reply.high, high) if number is not None))
    return RangeFetch(account, range_.group, reply, first, last, connection, progress)


def open_group(account: Account, group: str) -> tuple[Connection, GroupReply]:
    """A connection with `group` selected, after retries.

    Raises:
        NntpError: it could not be had.
    """
    for attempt in retrying():
        with attempt:
            connection = connect(account)
            try:
                return connection, connection.group(group)
            except BaseException:
                connection.close()
                raise
    raise AssertionError("stamina raises when attempts are used up")
