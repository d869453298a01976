"""What a connection to a provider needs to know."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Account:
    """One NNTP account.

    Attributes:
        host: host name; the TLS certificate must be for it.
        port: TCP port; 563 is implicit TLS, 119 plain.
        tls: implicit TLS, verified.
        ca_file: certificates to trust instead of the system's.
        username: empty when the server asks for none.
        password: never shown.
        timeout: seconds without a byte before a connection counts as dead.
        numbers_per_request: article numbers one XOVER asks for.
        connections: sockets open at a time, at most.
    """

    host: str
    port: int = 563
    tls: bool = True
    ca_file: Path | None = None
    username: str = ""
    password: str = field(default="", repr=False)
    timeout: float = 60.0
    numbers_per_request: int = 10_000
    connections: int = 8
