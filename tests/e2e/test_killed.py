"""Killed in the middle of the work and started again, an index goes on: nothing is lost, nothing is left running."""

from __future__ import annotations

import os
import random
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from dagster_graphql import Run, launch_backfill, launch_run, partitions, run_status, runs, unfinished
from overlake import Overlake
from provider import RANGES, index_of, running_provider
from watching import assert_everything_done, index_folder, processes_of, wait_for

from store.postgres import EmbeddedPostgres

pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def provider() -> Iterator[int]:
    with tempfile.TemporaryDirectory(prefix="overlake-provider-") as folder, running_provider(Path(folder)) as port:
        yield port


@pytest.fixture(scope="module")
def index(provider: int) -> Iterator[Overlake]:
    """A planned index that is not up; every test starts it and leaves it done."""
    with index_folder() as folder:
        made = index_of(folder / "index", provider)
        made.run("plan")
        yield made
        # What a failed test killed and did not start again has left its processes behind.
        kill(processes_of(made))
        postgres_of(made).stop()


def postgres_of(index: Overlake) -> EmbeddedPostgres:
    return EmbeddedPostgres(index.folder / "data" / "postgres")


def kill(processes: set[int]) -> None:
    for pid in processes:
        os.kill(pid, signal.SIGKILL)


def answers(index: Overlake) -> bool:
    try:
        unfinished(index)
    except AssertionError:
        return False
    return True


def finish(index: Overlake) -> None:
    """What a user does: `overlake backfill`; then nothing is missing and nothing is at work."""
    assert index.json("backfill")["failed"] == 0
    wait_for(lambda: unfinished(index) == 0)
    assert_everything_done(index)


def test_up_is_killed_in_the_middle_of_a_backfill_that_began_with_the_oldest_era(index: Overlake) -> None:
    with index.up() as process:
        keys = partitions(index)
        # As the web page launches it: all at once, in whatever order they were chosen.
        backfill = launch_backfill(index, random.Random(1).sample(keys, len(keys)))

        def of_backfill() -> list[Run]:
            return runs(index, **{"dagster/backfill": backfill})

        wait_for(lambda: len(of_backfill()) == RANGES // 3 and of_backfill()[0].status == "SUCCESS")
        eras = [run.era for run in of_backfill()]
        process.kill()
        process.wait()
        left = processes_of(index)
    assert eras == sorted(eras)
    assert left
    with index.up():
        assert not left & processes_of(index)
        finish(index)
    assert not processes_of(index)
    assert postgres_of(index).pid is None


def test_postgres_is_killed_while_a_range_is_at_work(index: Overlake) -> None:
    with index.up():
        run = launch_run(index, partitions(index)[0])
        wait_for(lambda: run_status(index, run) == "STARTED")
        server = postgres_of(index).pid
        assert server is not None
        kill({server})
        # Any command starts it again; Dagster notices nothing.
        index.run("backfill")
        wait_for(lambda: answers(index))
        finish(index)
    assert not processes_of(index)


def test_everything_is_killed_at_once_as_in_a_power_cut(index: Overlake) -> None:
    with index.up() as process:
        run = launch_run(index, partitions(index)[0])
        wait_for(lambda: run_status(index, run) == "STARTED")
        server = postgres_of(index).pid
        assert server is not None
        kill(processes_of(index) | {server})
        process.wait()
    with index.up():
        assert run_status(index, run) == "FAILURE"
        finish(index)
    assert not processes_of(index)
