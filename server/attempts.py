"""Logins that failed, by where they came from: a few are forgiven, more have to wait."""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Callable
from ipaddress import ip_address, ip_network
from threading import Lock

MOST = 10
SECONDS = 300
_REMEMBERED = 10_000


class Attempts:
    """Counts failures of the last five minutes by network, in this process; beyond 10,000 networks the oldest is forgotten."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._failures: dict[str, deque[float]] = {}
        self._clock = clock
        self._guard = Lock()

    def wait(self, address: str) -> int:
        """Seconds until another attempt is looked at; 0 when it may be now."""
        with self._guard:
            failures = self._failures.get(network(address), deque[float]())
            oldest = failures[0] if len(failures) == MOST else -math.inf
        return max(0, math.ceil(oldest + SECONDS - self._clock())) if oldest > -math.inf else 0

    def failed(self, address: str) -> None:
        """Remember a failure."""
        with self._guard:
            failures = self._failures.pop(network(address), deque[float](maxlen=MOST))
            failures.append(self._clock())
            self._failures[network(address)] = failures
            if len(self._failures) > _REMEMBERED:
                del self._failures[next(iter(self._failures))]

    def succeeded(self, address: str) -> None:
        """Forget the failures: the person has found the key."""
        with self._guard:
            self._failures.pop(network(address), None)


def network(address: str) -> str:
    """Whom failures are counted for: an IPv4 address, or the /64 that one customer has of IPv6."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if parsed.version == 6 and parsed.ipv4_mapped:
        return str(parsed.ipv4_mapped)
    return str(ip_network((parsed, 64), strict=False)) if parsed.version == 6 else address
