"""Long-running processes as one group: started together, logged to files, stopped together."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

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
            _stop_leftover(service)
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
            _pid_file(service).write_text(f"{process.pid} {psutil.Process(process.pid).create_time()}")
            started.append(Running(service, process))
        yield tuple(started)
    finally:
        with _undisturbed():
            for item in reversed(started):
                _stop(item.process.pid)
                item.process.wait()
                _pid_file(item.service).unlink(missing_ok=True)


@contextmanager
def only_one(lock: Path) -> Iterator[None]:
    """Hold `lock` for the length of the block; the lock of a killed process is free again.

    Raises:
        ServiceFailed: another process holds it.
    """
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.seek(0)
            raise ServiceFailed(
                f"this index is up already (process {file.read().strip()}); stop that one first"
            ) from error
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield


@contextmanager
def _undisturbed() -> Iterator[None]:
    """No second Ctrl-C or SIGTERM interrupts the block: what was started would be left behind."""
    before = {number: signal.signal(number, signal.SIG_IGN) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _pid_file(service: Service) -> Path:
    return service.log.with_suffix(".pid")


def _stop_leftover(service: Service) -> None:
    """Stop what a killed predecessor left running under this name."""
    try:
        pid, created = _pid_file(service).read_text().split()
        if psutil.Process(int(pid)).create_time() == float(created):
            _stop(int(pid))
    except (OSError, ValueError, psutil.NoSuchProcess):
        return


def _stop(leader: int) -> None:
    """End a process and all it started: first asked, so that a run can report its end, then killed."""
    _signal_group(leader, signal.SIGTERM)
    deadline = time.monotonic() + STOP_SECONDS
    while _group_lives(leader) and time.monotonic() < deadline:
        time.sleep(0.1)
    _signal_group(leader, signal.SIGKILL)


def _group_lives(leader: int) -> bool:
    return any(_in_group(process, leader) for process in psutil.process_iter())


def _in_group(process: psutil.Process, leader: int) -> bool:
    try:
        return os.getpgid(process.pid) == leader and process.status() != psutil.STATUS_ZOMBIE
    except (OSError, psutil.NoSuchProcess):
        return False


def _signal_group(leader: int, number: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(leader, number)


def stop_on_sigterm() -> None:
    """Let SIGTERM unwind like Ctrl-C, so that `running` stops its processes.

    Both get the handler: Dagster, used in process, gives SIGTERM that of SIGINT, which a shell's `&` has set to be ignored.
    """

    def _interrupt(_number: int, _frame: object) -> None:
        raise KeyboardInterrupt

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _interrupt)


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
