"""Runs faults: a server of its own, a database cloned for each, a run that fails, and one after it that must not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
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


@dataclass(frozen=True)
class Undisturbed:
    """A run without a fault.

    Attributes:
        steps: phase, label and kind of each step.
        views: what readers see before, and after each phase; a phase may change nothing.
        watched: the different views of a reader who looked before and after every step, in order.
        state: all that lasts, at the end.
    """

    steps: Steps
    views: list[str]
    watched: list[str]
    state: dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What came of one fault.

    Attributes:
        scenario: what was materialized.
        phase: the call it hit.
        step: the step in it.
        kind: the kind of failure.
        seen: `old` or `new`: what readers saw after it, the state before or after the call it hit.
        raised: the error the run ended with, empty where it went on.
        wrong: what was lost or mixed; empty when nothing was.
    """

    scenario: str
    phase: str
    step: str
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
        views: list[str] = []
        with self._clone(scenario) as (database, root):
            dsn = self.postgres.dsn(database)

            def look(_: str) -> None:
                views.append(repr(states.seen(dsn, root)))

            with Catalog(dsn, "") as catalog:
                scenarios.operate(catalog, LocalDisk(root), scenario, look)
            look("")
            assert repr(states.whole(dsn, root)) == repr(state)
        return Undisturbed([(*step,) for step in told["steps"]], views, told["views"], state)

    def fault(self, scenario: str, straight: Undisturbed, at: int, kind: str) -> Outcome:
        """Put one fault at step `at`, look, run again, cut the power, and compare."""
        phase, step, _ = straight.steps[at]
        with self._clone(scenario) as (database, root):
            dsn = self.postgres.dsn(database)
            told = self._run(scenario, database, root, kind, at)
            wrong = list(told.get("beside", []))
            seen = "?"
            try:
                view = repr(states.seen(dsn, root))
                allowed = straight.views[PHASES.index(phase) :][:2]
                if not KINDS[kind].alone:
                    seen = "either"
                elif view in allowed:
                    seen = "old" if view == allowed[0] != allowed[1] else "same" if allowed[0] == allowed[1] else "new"
                elif not told["raised"] and not told["signal"] and view == straight.views[-1]:
                    seen = "new"
                else:
                    wrong.append("a reader sees neither the state before nor the one after")
                again = self._run(scenario, database, root, "", cut=True)
                if again["raised"]:
                    wrong.append(f"the run after it: {again['raised']}")
                wrong += _differences(states.whole(dsn, root), straight.state)
            except AssertionError as error:
                wrong.append(f"{type(error).__name__}: {error}")
            raised = "killed" if told["signal"] else told["raised"]
            return Outcome(scenario, phase, step, kind, seen, raised, "; ".join(wrong))

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
