"""All overview lines of one range, in order, over several connections."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from pipeline.nntp.connection import GroupReply, OverviewBlock

if TYPE_CHECKING:
    from pipeline.nntp.account import Account
    from pipeline.ranges import Range


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a range is: article numbers asked for and answered, bytes on the wire so far."""

    numbers_done: int
    numbers_total: int
    wire_bytes: int


class RangeFetch(Iterator[OverviewBlock]):
    """Iterator over the blocks of a range, in order; a context manager that closes its connections.

    Attributes:
        reply: the GROUP reply the fetch started from.
        form: wire form of the blocks seen so far, empty before the first.
        wire_bytes: bytes of the blocks seen so far, as they came over the wire.
    """

    reply: GroupReply
    form: str
    wire_bytes: int

    def __next__(self) -> OverviewBlock:
        raise StopIteration

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close all connections."""


def fetch_range(
    account: Account,
    range_: Range,
    *,
    low: int | None = None,
    high: int | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> RangeFetch:
    """Fetch every overview line of a range: `with fetch_range(account, range_) as blocks: for block in blocks: ...`.

    Only numbers the group has are asked for: those of the GROUP reply, widened by `low` and `high` when the caller knows
    of others (hosts behind one provider name can differ).

    Raises:
        NntpError: a block could not be had after retries; then the whole range has failed.
    """
    raise NotImplementedError
