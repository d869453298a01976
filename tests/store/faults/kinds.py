"""Kinds of failure: what each does at the step it meets, and at which kinds of step it can happen."""

from __future__ import annotations

import errno
import os
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import psycopg
from faults import scenarios, states
from faults.points import Journal, Step

from store.catalog.commit import Superseded
from store.catalog.connection import Catalog
from store.catalog.publication import ChunkCollected
from store.disk import LocalDisk
from store.postgres import EmbeddedPostgres


@dataclass
class Place:
    """Where a run happens: its database, its folder, and what works there beside it.

    Attributes:
        beside: those who work beside it.
        failures: the errors they ended with.
        looks: what a reader saw while both were at work.
    """

    server: Path
    database: str
    folder: Path
    scenario: str
    journal: Journal
    beside: list[threading.Thread] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    looks: list[str] = field(default_factory=list)

    @property
    def postgres(self) -> EmbeddedPostgres:
        return EmbeddedPostgres(self.server)

    @property
    def dsn(self) -> str:
        return self.postgres.dsn(self.database)

    @property
    def disk(self) -> LocalDisk:
        return LocalDisk(self.folder)

    def catalog(self) -> Catalog:
        return Catalog(self.dsn, "", self.postgres)

    def finish(self) -> None:
        for thread in self.beside:
            thread.join()


def _die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("a killed process goes on")


def killed(step: Step, place: Place) -> None:
    """SIGKILL before the step; of a write, half is done. That of a COMMIT comes when it is sent and not answered."""
    if step.connection is not None and step.kind == "commit":
        step.connection.pgconn.send_query(b"COMMIT")
        while step.connection.pgconn.flush():
            pass
        _die()
    if len(step.data) > 1:
        step.data, step.after = step.data[: len(step.data) // 2], _die
    else:
        _die()


def power_cut(step: Step, place: Place) -> None:
    """The machine goes off: what was not synced is gone, what was not whole is cut short."""

    def off() -> None:
        place.journal.cut()
        _die()

    if len(step.data) > 1:
        step.data, step.after = step.data[: len(step.data) // 2], off
    else:
        off()


def cut_short(step: Step, place: Place) -> None:
    """The kernel takes only half of a write, as it may."""
    step.data = step.data[: max(1, len(step.data) // 2)]


def _refused(number: int) -> Callable[[Step, Place], None]:
    def refuse(step: Step, place: Place) -> None:
        def fail() -> None:
            raise OSError(number, os.strerror(number))

        if len(step.data) > 1:
            step.data, step.after = step.data[: len(step.data) // 2], fail
        else:
            fail()

    return refuse


disk_full, disk_error = _refused(errno.ENOSPC), _refused(errno.EIO)


def _server_says(state: str) -> Callable[[Step, Place], None]:
    """The server answers with that error in place of doing the statement, and the transaction is broken."""

    def say(step: Step, place: Place) -> None:
        assert step.connection is not None
        step.connection.execute(f"DO $$BEGIN RAISE EXCEPTION 'injected' USING ERRCODE = '{state}'; END$$".encode())

    return say


server_full, server_error = _server_says("53100"), _server_says("58030")


def connection_ended(step: Step, place: Place) -> None:
    """The server ends the connection; of a COMMIT it has done what was asked and the answer is lost."""
    assert step.connection is not None
    if step.kind == "commit":
        step.connection.pgconn.exec_(b"COMMIT")
        step.connection.pgconn.finish()
        return
    with psycopg.connect(place.dsn, autocommit=True) as control:
        control.execute("SELECT pg_terminate_backend(%s, 5000)", [step.connection.info.backend_pid])


def server_killed(step: Step, place: Place) -> None:
    """SIGKILL of the Postgres server; it is started again."""
    pid = place.postgres.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    place.postgres.start()


def _beside(work: Callable[[Catalog, LocalDisk, str], None]) -> Callable[[Step, Place], None]:
    """Someone else works meanwhile: until it is done, or waits for a lock that the one at the step holds."""

    def run(step: Step, place: Place) -> None:
        def other() -> None:
            try:
                with place.catalog() as catalog:
                    work(catalog, place.disk, place.scenario)
            except (Superseded, ChunkCollected):
                pass  # it is told to run again, or not to; the one it met has published
            except BaseException as error:
                place.failures.append(f"{type(error).__name__}: {error}")

        thread = threading.Thread(target=other)
        place.beside.append(thread)
        thread.start()
        with psycopg.connect(place.dsn, autocommit=True) as control:
            while thread.is_alive():
                waiting = control.execute(
                    "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
                )
                if waiting.fetchone() is not None:
                    break
                thread.join(0.002)
        place.looks.append(repr(states.published(states.seen(place.dsn, place.folder))))

    return run


@dataclass(frozen=True)
class Kind:
    """A kind of failure.

    Attributes:
        name: as the table of the matrix heads it.
        at: the kinds of step where it can happen.
        make: does it.
        alone: whether nobody else materializes: else what was begun is done by another when this run gives up.
        neighbours: whether it needs neighbours that are there already, since it makes them again.
    """

    name: str
    at: frozenset[str]
    make: Callable[[Step, Place], Any]
    alone: bool = True
    neighbours: bool = False


_DISK, _SQL = frozenset({"disk", "write"}), frozenset({"statement", "commit"})
_ALL = _DISK | _SQL | {"copying"}

KINDS = {
    kind.name: kind
    for kind in (
        Kind("process killed", _ALL, killed),
        Kind("power cut", _ALL, power_cut),
        Kind("write cut short", frozenset({"write"}), cut_short),
        Kind("no space (ENOSPC)", _DISK, disk_full),
        Kind("I/O error (EIO)", _DISK, disk_error),
        Kind("Postgres: disk full", _SQL, server_full),
        Kind("Postgres: I/O error", _SQL, server_error),
        Kind("connection lost", _SQL | {"copying"}, connection_ended),
        Kind("Postgres killed", _SQL | {"copying"}, server_killed),
        Kind("same range beside", _DISK | _SQL, _beside(scenarios.same_range), alone=False),
        Kind("neighbour beside", _DISK | _SQL, _beside(scenarios.neighbour), alone=False, neighbours=True),
        Kind("collector beside", _DISK | _SQL, _beside(scenarios.collector)),
    )
}
