"""Long-running processes as one group: started together, logged to files, stopped together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

STOP_SECONDS = 20.0
"""How long a process may take to stop before it is killed."""


class ServiceFailed(RuntimeError):
    """A process ended by itself; the message holds the end of its log."""


@dataclass(frozen=True, slots=True)
class Service:
    """A process to run: a short name, its command line, and the file its output goes to."""

    name: str
    command: Sequence[str]
    log: Path


@dataclass(frozen=True, slots=True)
class Running:
    """A started service."""

    service: Service
    process: subprocess.Popen[bytes]

    def check(self) -> None:
        """Raise ServiceFailed when the process is no longer running."""
        status = self.process.poll()
        if status is not None:
            tail = self.service.log.read_text(errors="replace").splitlines()[-8:]
            raise ServiceFailed(
                f"{self.service.name} ended with status {status}; its log {self.service.log} ends:\n" + "\n".join(tail)
            )


@contextmanager
def running(services: Sequence[Service], environment: dict[str, str]) -> Iterator[tuple[Running, ...]]:
    """Run `services` with `environment` added to this process's, and stop them all on leaving, last first."""
    started: list[Running] = []
    try:
        for service in services:
            service.log.parent.mkdir(parents=True, exist_ok=True)
            with service.log.open("ab") as log:
                process = subprocess.Popen(  # noqa: S603 - the command lines are our own
                    list(service.command),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    env={**os.environ, **environment},
                    # Its own group: Ctrl-C reaches this process only, which stops the others in order.
                    start_new_session=True,
                )
            started.append(Running(service, process))
        yield tuple(started)
    finally:
        for item in reversed(started):
            _stop(item.process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    """End a process and all it started: first asked, so that a run can report its end, then killed."""
    _signal_group(process, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while _group_lives(process) and time.monotonic() < deadline:
        time.sleep(0.1)
    _signal_group(process, signal.SIGKILL)
    process.wait()


def _group_lives(process: subprocess.Popen[bytes]) -> bool:
    process.poll()
    try:
        os.killpg(process.pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _signal_group(process: subprocess.Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def stop_on_sigterm() -> None:
    """Let SIGTERM unwind like Ctrl-C, so that `running` stops its processes."""

    def _interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, _interrupt)


def wait_until_interrupted(processes: Sequence[Running]) -> None:
    """Return at Ctrl-C or SIGTERM.

    Raises:
        ServiceFailed: one of `processes` ended by itself.
    """
    try:
        while True:
            for item in processes:
                item.check()
            time.sleep(0.5)
    except KeyboardInterrupt:
        return


def own_command(*arguments: str) -> tuple[str, ...]:
    """The command line that runs `overlake` with `arguments` in this same Python."""
    return (sys.executable, "-m", "cli", *arguments)
