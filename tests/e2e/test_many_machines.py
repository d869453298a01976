"""A broker, a Postgres, a bucket and three workers: one is killed, one is cut off, and the releases are those of one machine."""

from __future__ import annotations

import signal
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import psutil
import pytest
from catalog_picture import Picture, picture
from dagster_graphql import partitions, unfinished
from databases import Databases
from index_lab import Lab, materialize_range, plan_all, settings_for
from machines import ACCOUNT, SHARED, Connections, Machine, at_work, is_in_the_middle
from object_service import SECRET, running_service
from overlake import free_port
from provider import RANGE_SIZE, RANGES, running_provider
from redis_server import running_redis
from watching import wait_for

from cli.dagster_client import DagsterClient
from store.catalog.connection import Catalog
from store.catalog.conservation import unbalanced
from store.catalog.versions import current_group_list
from store.configuration import Settings

CONNECTIONS = 4
PASSWORD = "s3cret-of-the-account"


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="overlake-machines-") as name:
        yield Path(name)


def releases_of(catalog: Catalog) -> Picture:
    """The picture without ids, and without what upkeep says about a release, which the hour may bring."""
    found = picture(catalog).without_ids()
    return replace(found, releases=[(*row[:-3], row[-1]) for row in found.releases])


def listener(port: int) -> psutil.Process:
    """The process that listens on a port."""
    pids = {
        one.pid for one in psutil.net_connections("tcp") if one.laddr.port == port and one.status == psutil.CONN_LISTEN
    }
    (pid,) = pids
    return psutil.Process(pid)


def one_machine(folder: Path, provider: int) -> Settings:
    alone = settings_for(folder, provider, RANGE_SIZE, username="reader", password=PASSWORD)
    return alone.model_copy(update={"plan_open_ranges": True})


def finished(dagster: DagsterClient, backfill: str) -> Callable[[], bool]:
    return lambda: dagster.state(backfill).ended and not dagster.busy(backfill)


def number(catalog: Catalog, statement: str) -> int:
    with catalog.transaction() as connection:
        row = connection.execute(statement.encode()).fetchone()
    assert row is not None
    return row[0]


def fetched(catalog: Catalog) -> int:
    return number(catalog, "SELECT count(*) FROM ranges WHERE fetched_at IS NOT NULL")


def done(catalog: Catalog) -> int:
    return number(catalog, "SELECT count(*) FROM ranges WHERE state = 'done' AND partition_key IS NOT NULL")


def test_a_killed_and_a_cut_off_worker_change_nothing(databases: Databases, folder: Path) -> None:
    with ExitStack() as stack:
        login = ("--user", "reader", "--password", PASSWORD, "--connections", "8", "--latency-ms", "150")
        provider = stack.enter_context(running_provider(folder, *login))
        service = stack.enter_context(running_service())
        broker = stack.enter_context(running_redis(folder, free_port()))
        catalog = stack.enter_context(databases.catalog())
        shared = SHARED.format(
            range_size=RANGE_SIZE,
            dsn=catalog.dsn,
            bucket=service.bucket(),
            endpoint=service.endpoint,
            broker=broker,
            dagster=(port := free_port()),
        )
        account = ACCOUNT.format(provider=provider, connections=CONNECTIONS)
        head, first, second, third = (Machine(folder / name, dagster=port) for name in ("head", "a", "b", "c"))
        for machine in (head, first, second, third):
            machine.folder.mkdir()
            # The third has no account: it can only derive.
            (machine.folder / "overlake.toml").write_text(shared + (account if machine is not third else ""))
            if machine is not third:
                (machine.folder / "password").touch(0o600)
                (machine.folder / "password").write_text(PASSWORD)
        head.run("plan")
        workers = first.worker("fetch"), second.worker("fetch", "transform"), third.worker("transform")
        for worker in workers:
            stack.callback(worker.process.wait)
            stack.callback(worker.send, signal.SIGKILL)
        connections = Connections(listener(provider), provider)
        stack.enter_context(connections.watched())
        stack.enter_context(head.dagster_alone())
        wait_for(lambda: all(worker.is_ready() for worker in workers))
        keys, dagster = partitions(head), DagsterClient(f"http://127.0.0.1:{port}")
        assert len(keys) == RANGES

        # Those with an account fetch; one of them is killed at it.
        fetching = dagster.launch(keys, ("overview",))
        wait_for(lambda: is_in_the_middle(head, broker, workers[0]))
        workers[0].send(signal.SIGKILL)
        wait_for(finished(dagster, fetching))
        wait_for(lambda: unfinished(head) == 0)
        assert fetched(catalog) == RANGES

        # Then all that are left derive; one is stopped at it, and goes on when its ranges have been done by the other.
        deriving = dagster.launch(keys, ("release_chunks", "edge_chunks"))
        wait_for(lambda: is_in_the_middle(head, broker, workers[1]))
        workers[1].send(signal.SIGSTOP)
        wait_for(
            lambda: unfinished(head) == 0 and finished(dagster, deriving)() and done(catalog) == RANGES, seconds=240
        )
        found = releases_of(catalog)
        assert at_work(broker, workers[2]) == []
        workers[1].send(signal.SIGCONT)
        wait_for(lambda: workers[1].is_ready() and not at_work(broker, workers[1]))

        assert 1 <= connections.most <= CONNECTIONS
        conservation = unbalanced(catalog)
        assert (conservation.ranges, conservation.places) == (RANGES, ())
        assert len(found.releases) > 50
        with Lab(databases).index(one_machine(folder / "alone", provider)) as alone:
            names = current_group_list(catalog).names
            for range_ in plan_all(alone, names, datetime.now(UTC)):
                materialize_range(alone, range_)
            assert found == releases_of(alone.catalog)
        assert releases_of(catalog) == found
        for log in folder.rglob("*.log"):
            assert PASSWORD not in log.read_text(errors="replace")
            assert SECRET not in log.read_text(errors="replace")
