"""CPU seconds and memory of this process and of others."""

from __future__ import annotations

import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psutil


class Stages:
    """CPU and wall seconds by stage of the work, all threads of this process together."""

    def __init__(self) -> None:
        self.cpu: dict[str, float] = {}
        self.wall: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Count what happens inside under `name`."""
        cpu, wall = time.process_time(), time.monotonic()
        try:
            yield
        finally:
            self.cpu[name] = self.cpu.get(name, 0.0) + time.process_time() - cpu
            self.wall[name] = self.wall.get(name, 0.0) + time.monotonic() - wall


def peak_rss_mb() -> float:
    """Peak resident memory of this process so far, MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def tree_cpu_s(pid: int | None) -> float:
    """CPU seconds of a process, of what it started, and of what of that has ended already; 0 of none."""
    if pid is None:
        return 0.0
    total = 0.0
    for process in (root := psutil.Process(pid), *root.children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        total += times.user + times.system + times.children_user + times.children_system
    return total
