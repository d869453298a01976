"""The NNTP server process in front of a history."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from simulator.history import History


@dataclass(frozen=True, slots=True)
class Listen:
    """One port and the wire form it speaks: `plain`, `A`, `B`, `C`, `D`, `D'` or `E` (nntp.md section 4). Port 0 takes a free one."""

    port: int = 0
    wire: str = "plain"


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of kind `kind`, at the given share of the 10,000-number blocks (the same blocks each time)."""

    kind: str
    probability: float = 1.0


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How the server listens, who may log in, and how it misbehaves."""

    host: str = "127.0.0.1"
    listen: tuple[Listen, ...] = (Listen(),)
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    username: str = ""
    password: str = ""
    connection_limit: int = 50
    latency_ms: float = 0.0
    faults: tuple[Fault, ...] = ()
    cache_dir: Path | None = None
    idle_seconds: float = 1800.0
    workers: int = 1


def serve(
    history: History, options: ServerOptions, when_listening: Callable[[tuple[int, ...]], None] = lambda _ports: None
) -> None:
    """Serve until SIGTERM or SIGINT; `when_listening` gets the ports, in the order of `options.listen`."""
    raise NotImplementedError(history, options, when_listening)
