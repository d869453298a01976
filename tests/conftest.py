"""What all tests share: a database server, and what becomes of a test whose program is not installed.

Such a test is skipped with the reason on one's own machine, and fails where `CI` is set.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

# Processes that tests start keep what Python compiles, wherever that is turned off: else each compiles everything anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

from databases import Databases, running_databases
from missing import MissingProgram

LONGEST = (
    "e2e/test_killed.py",
    "store/test_faults.py",
    "e2e/test_damage.py",
    "e2e/test_backfill_order.py",
    "e2e/test_rematerialize.py",
    "e2e/test_many_machines.py",
    "e2e/test_cockpit_tour.py",
    "e2e/test_inn_to_nzbget.py",
    "e2e/test_browser.py",
    "e2e/test_conservation.py",
    "e2e/test_bad_input.py",
    "e2e/test_object_storage.py",
    "pipeline/test_lessons.py",
    "store/test_catalog_edges.py",
    "pipeline/test_invariance.py",
    "benchmarks/test_soak.py",
    "server/test_hostile.py",
    "store/test_backup.py",
)
"""Minutes each, most of them waits for other processes, or many seconds of work."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The longest files first: one that begins at the end keeps a single core busy."""
    place = {Path(__file__).parent / name: nth for nth, name in enumerate(LONGEST)}
    items.sort(key=lambda item: place.get(item.path, len(LONGEST)))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[pytest.TestReport]:
    report = yield
    if call.excinfo is not None and isinstance(call.excinfo.value, MissingProgram) and not os.environ.get("CI"):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), item.location[1] or 0, f"Skipped: {call.excinfo.value}")
    return report


@pytest.fixture(scope="session")
def databases() -> Iterator[Databases]:
    """One server for all tests of this process, started by the first that needs one."""
    with running_databases() as running:
        yield running
