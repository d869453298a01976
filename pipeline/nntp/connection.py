"""One connection to a news server: TLS, login, compression, and the commands an indexer needs."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Compression(enum.StrEnum):
    """How replies are asked to be compressed, in order of preference."""

    DEFLATE = "COMPRESS DEFLATE"
    TERMINATOR = "XFEATURE COMPRESS GZIP TERMINATOR"
    GZIP = "XFEATURE COMPRESS GZIP"
    XZVER = "XZVER"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class GroupReply:
    """What GROUP said. `high < low` means empty. `count` is an estimate; `text` is the reply as sent."""

    count: int
    low: int
    high: int
    text: str


@dataclass(frozen=True, slots=True)
class ActiveGroup:
    """One line of LIST ACTIVE. `high < low` means empty."""

    name: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class OverviewBlock:
    """The answer to one XOVER: lines `first..last` as sent (inflated, no terminator), its size on the wire and wire form."""

    first: int
    last: int
    text: bytes
    wire_bytes: int
    form: str
