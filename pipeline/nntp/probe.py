"""Posting dates at the starts of ranges, read from the server for planning."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipeline.nntp.account import Account
    from pipeline.nntp.connection import ActiveGroup
    from pipeline.planning import PlannedRange


def list_groups(account: Account, wildmat: str = "*") -> list[ActiveGroup]:
    """LIST ACTIVE of the provider, with passing faults retried."""
    raise NotImplementedError


def plan_group(
    account: Account, source: int, group: str, *, size: int, now: datetime, include_open: bool = False
) -> list[PlannedRange]:
    """The ranges of a group with their eras, by index, from GROUP and small XOVER windows at each range's start."""
    raise NotImplementedError
