"""Runs faults: a server of its own, a database cloned for each, a run that fails, and one after it that must not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
from faults import scenarios, states
from faults.kinds import KINDS

from store.catalog.connection import Catalog, migrate
from store.disk import LocalDisk
from store.postgres import EmbeddedPostgres

Steps = list[tuple[str, str, str]]
PHASES = ("commit_range", "merge_edges", "settle", "collect")
PUBLISHING = "COMMIT of the new state"


@dataclass(frozen=True)
class Undisturbed:
    """A run without a fault.

    Attributes:
        steps: phase, label and kind of each step.
        views: what readers see before, and after each phase; a phase may change nothing.
        published: the same of what was published alone.
        watched: the different views of a reader who looked before and after every step, in order.
        state: all that lasts, at the end.
    """

    steps: Steps
    views: list[str]
    published: list[str]
    watched: list[str]
    state: dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What came of one fault.

    Attributes:
        scenario: what was materialized.
        phase: the call it hit.
        step: the step in it, and what kind of step it is.
        kind: the kind of failure.
        seen: `old` or `new`: what readers saw after it, the state before or after the call it hit; `same` where the two are one.
        raised: the error the run ended with, empty where it went on.
        wrong: what was lost or mixed; empty when nothing was.
    """

    scenario: str
    phase: str
    step: str
    step_kind: str
    kind: str
    seen: str
    raised: str
    wrong: str


class Lane:
    """One server with a worker beside it. Lanes run side by side and share nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.postgres = EmbeddedPostgres(folder / "postgres")
        self._numbers = count(1)

    def start(self) -> None:
        """Make the server and one database a scenario to clone."""
        self.postgres.start()
        # The faults end processes, not the machine under the server.
        self._control("ALTER SYSTEM SET fsync = off", "SELECT pg_reload_conf()")
        for name, scenario in scenarios.SCENARIOS.items():
            self.postgres.create_database(f"base_{name}")
            migrate(self.postgres.dsn(f"base_{name}"))
            with Catalog(self.postgres.dsn(f"base_{name}"), "") as catalog:
                scenario.prepare(catalog, LocalDisk(self.folder / f"base_{name}"))
        scenarios.save(self.folder / "batches")
        self._worker = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("worker.py")), str(self.folder / "batches")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"OPENBLAS_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1"},
        )

    def stop(self) -> None:
        assert self._worker.stdin is not None
        self._worker.stdin.close()
        self._worker.wait()
        self.postgres.stop()

    def undisturbed(self, scenario: str) -> Undisturbed:
        """Run it with a reader who looks at every step, and once more, phase by phase."""
        with self._clone(scenario) as (database, root):
            told = self._run(scenario, database, root, "watch")
            assert not told["raised"], told["raised"]
            state = states.whole(self.postgres.dsn(database), root)
        views: list[dict[str, Any]] = []
        with self._clone(scenario) as (database, root):
            dsn = self.postgres.dsn(database)

            def look(_: str) -> None:
                views.append(states.seen(dsn, root))

            with Catalog(dsn, "") as catalog:
                scenarios.operate(catalog, LocalDisk(root), scenario, look)
            look("")
            assert repr(states.whole(dsn, root)) == repr(state)
        steps = _named([(*step,) for step in told["steps"]])
        published = [repr(states.published(view)) for view in views]
        return Undisturbed(steps, [repr(view) for view in views], published, told["views"], state)

    def fault(self, scenario: str, straight: Undisturbed, at: int, kind: str) -> Outcome:
        """Put one fault at step `at`, look, run again, cut the power, and compare."""
        phase, step, step_kind = straight.steps[at]
        with self._clone(scenario) as (database, root):
            dsn = self.postgres.dsn(database)
            told = self._run(scenario, database, root, kind, at)
            self._settled(database)
            raised = "killed" if told["signal"] else told["raised"]
            wrong = list(told.get("beside", []))
            seen = "nothing"
            try:
                view = states.seen(dsn, root)
                if not KINDS[kind].alone:
                    seen = "new" if repr(states.published(view)) == straight.published[-1] else "a mix"
                else:
                    seen = _seen(straight, phase, repr(view), went_on=not raised)
                if seen == "a mix" or not set(told.get("looks", [])) <= set(straight.published):
                    wrong.append("a reader sees neither the state before nor the one after")
                again = self._run(scenario, database, root, "", cut=True)
                if again["raised"]:
                    wrong.append(f"the run after it: {again['raised']}")
                wrong += _differences(states.whole(dsn, root), straight.state)
            except AssertionError as error:
                wrong.append(f"{type(error).__name__}: {error}")
            return Outcome(scenario, phase, step, step_kind, kind, seen, raised, "; ".join(wrong))

    def _settled(self, database: str) -> None:
        """Wait until the server has seen that the process is gone: a COMMIT that was sent is done by then."""
        with psycopg.connect(self.postgres.dsn(), autocommit=True) as connection:
            at_work = "SELECT pid FROM pg_stat_activity WHERE datname = %s"
            while connection.execute(at_work, [database]).fetchone() is not None:
                time.sleep(0.002)

    def _run(
        self, scenario: str, database: str, root: Path, kind: str, at: int = -1, *, cut: bool = False
    ) -> dict[str, Any]:
        job = {"server": str(self.postgres.folder), "database": database, "folder": str(root), "scenario": scenario}
        assert self._worker.stdin is not None
        assert self._worker.stdout is not None
        self._worker.stdin.write(json.dumps(job | {"kind": kind, "at": at, "cut": cut}) + "\n")
        self._worker.stdin.flush()
        return json.loads(self._worker.stdout.readline())

    @contextmanager
    def _clone(self, scenario: str) -> Iterator[tuple[str, Path]]:
        database = f"run_{next(self._numbers)}"
        root = self.folder / database
        base = self.folder / f"base_{scenario}"
        if base.exists():
            shutil.copytree(base, root)
        self._control(f"CREATE DATABASE {database} TEMPLATE base_{scenario} STRATEGY file_copy")
        yield database, root
        self._control(f"DROP DATABASE {database} WITH (FORCE)")
        shutil.rmtree(root, ignore_errors=True)

    def _control(self, *statements: str) -> None:
        with psycopg.connect(self.postgres.dsn(), autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())


def _differences(found: dict[str, Any], wanted: dict[str, Any]) -> Iterable[str]:
    return [f"{name} differ" for name in wanted if repr(found[name]) != repr(wanted[name])]


def _named(steps: Steps) -> Steps:
    """The last COMMIT of a call is the one that publishes; what is collected was published before."""
    last = {phase: nth for nth, (phase, _, kind) in enumerate(steps) if kind == "commit" and phase != "collect"}
    return [
        (phase, PUBLISHING if last.get(phase) == nth else label, kind) for nth, (phase, label, kind) in enumerate(steps)
    ]


def _seen(straight: Undisturbed, phase: str, view: str, *, went_on: bool) -> str:
    """Whether that is the state before the call or the one after it; a run that went on got to the end."""
    before, after = straight.views[PHASES.index(phase) :][:2]
    if went_on:
        return "new" if view == straight.views[-1] else "a mix"
    if before == after == view:
        return "same"
    return "old" if view == before else "new" if view == after else "a mix"
