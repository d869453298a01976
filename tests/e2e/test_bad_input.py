"""Bad input and broken surroundings: one sentence that says what to do, nothing lost, and the next run completes the work."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg
import polars as pl
import pytest
from command import Ran
from index_lab import Lab, plan_all, running_provider, settings_for
from overlake import Overlake, free_port
from scripted_server import Server, Visit, overview_line, reader, scripted

import assets.failures
import pipeline.nntp.fetch
import store.catalog.connection
from assets.build import assets_of
from assets.partitions import register
from simulator.faults import Fault
from simulator.history import DEFAULT, History, planned_history
from simulator.server import Listen
from store.catalog.conservation import unbalanced
from store.catalog.planning import keys, range_by_key
from store.disk import LocalDisk
from store.lake import rejected_path
from store.stores import Stores

GROUP = "alt.binaries.test"
NOW = datetime.now(UTC)
SIZE = 100
ASSETS = ("overview", "release_chunks", "edge_chunks")


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Waits between attempts are for real servers."""
    monkeypatch.setattr(pipeline.nntp.fetch, "FIRST_WAIT", 0.01)
    monkeypatch.setattr(pipeline.nntp.fetch, "LONGEST_WAIT", 0.05)
    monkeypatch.setattr(assets.failures, "PAUSE_SECONDS", 0.01)
    monkeypatch.setattr(store.catalog.connection, "_WAIT_S", 0.3)


class Impatient(Overlake):
    """The command with shorter waits between attempts."""

    FIRST = "import pipeline.nntp.fetch as fetch; fetch.FIRST_WAIT = fetch.LONGEST_WAIT = 0.01"


def configured(folder: Path, lab: Lab, port: int, group: str = GROUP, account: str = "") -> Overlake:
    index = Impatient(folder)
    index.folder.mkdir()
    configure(index, lab.databases.new(), port, group, account)
    return index


def configure(index: Overlake, dsn: str, port: int, group: str = GROUP, account: str = "") -> None:
    index.configure(
        f'range_size = {SIZE}\n[catalog]\ndsn = "{dsn}"\n[groups]\nnames = ["{group}"]\n'
        f'[provider]\nhost = "127.0.0.1"\nport = {port}\ntls = false\n{account}'
    )


def refused(done: Ran, *said: str) -> None:
    """It ended with a status and one sentence."""
    assert done.returncode == 1
    assert "Traceback" not in done.stderr + done.stdout
    assert done.stderr.count("overlake:") == 1
    for words in said:
        assert words in done.stderr


def group_of(
    low: int, high: int, lines: Callable[[str], Iterable[bytes]] | bytes = b"423 none\r\n"
) -> dict[str, object]:
    """Answers of a server with one group of these marks."""
    return {
        "LIST ACTIVE": f"215 list\r\n{GROUP} {high} {low} y\r\n.\r\n".encode(),
        f"GROUP {GROUP}": f"211 {max(0, high - low + 1)} {low} {high} {GROUP}\r\n".encode(),
        "GROUP": b"411 no such group\r\n",
        "XOVER": lines,
    }


def overview(command: str) -> Iterable[bytes]:
    first, last = map(int, command.split()[1].split("-"))
    yield b"224 follows\r\n" + b"".join(map(overview_line, range(first, last + 1))) + b".\r\n"


def test_a_wrong_password_is_said_once_and_never_tried_again(lab: Lab, tmp_path: Path) -> None:
    tried: list[str] = []

    def password(command: str) -> Iterable[bytes]:
        tried.append(command)
        yield b"281 welcome\r\n" if command.endswith("right") else b"481 wrong\r\n"

    login = {"AUTHINFO USER": b"381 password\r\n", "AUTHINFO PASS": password}
    with scripted(reader({**login, **group_of(100, 399, overview)})) as server:
        index = configured(tmp_path / "index", lab, server.port, account='username = "u"\npassword = "wr0ng"\n')
        for command in ("check", "plan"):
            tried.clear()
            done = index.run(command, check=False)
            refused(done, "481", "check provider.username and provider.password")
            assert len(tried) == 1
            assert "wr0ng" not in done.stdout + done.stderr
        configure(index, dsn_of(index), server.port, account='username = "u"\npassword = "right"\n')
        assert index.json("plan")["range_plan"]["ranges"] == 3


def dsn_of(index: Overlake) -> str:
    return (index.folder / "overlake.toml").read_text().split('dsn = "')[1].split('"')[0]


def test_an_unknown_group_is_named_with_the_nearest_one(lab: Lab, tmp_path: Path) -> None:
    with scripted(reader(group_of(100, 399, overview))) as server:
        index = configured(tmp_path / "index", lab, server.port, group="alt.binaries.tset")
        refused(index.run("check", check=False), "alt.binaries.tset", f"did you mean {GROUP}?")
        refused(index.run("plan", check=False), "alt.binaries.tset", f"did you mean {GROUP}?")


@pytest.mark.parametrize(("low", "high"), [(0, 0), (500, 90)])
def test_a_group_without_articles_is_said_to_have_none(lab: Lab, tmp_path: Path, low: int, high: int) -> None:
    with scripted(reader(group_of(low, high))) as server:
        index = configured(tmp_path / "index", lab, server.port)
        refused(index.run("plan", check=False), f"in {GROUP}", "plan_open_ranges")
        refused(index.run("check", check=False), "no articles", GROUP)


def test_a_server_that_speaks_something_else_is_named(lab: Lab, tmp_path: Path) -> None:
    def web(visit: Visit) -> None:
        visit.send(b"\x80HTTP/1.1 400 Bad Request\r\n\r\n" * 3)

    with scripted(web) as server:
        index = configured(tmp_path / "index", lab, server.port)
        refused(index.run("check", check=False), "instead of a reply", "is provider.host a news server?")


@pytest.mark.parametrize("command", [["status"], ["plan"], ["backfill"]])
def test_a_postgres_that_is_down_is_named(tmp_path: Path, command: list[str]) -> None:
    index = Overlake(tmp_path / "index")
    configure(index, f"postgresql://overlake:s3cret@127.0.0.1:{free_port()}/overlake", 1)
    done = index.run(*command, check=False)
    refused(done, "Postgres", "does not answer", "catalog.dsn")
    assert "s3cret" not in done.stderr


@pytest.fixture
def instance() -> Iterator[dg.DagsterInstance]:
    with dg.DagsterInstance.ephemeral() as one:
        yield one


def run(stores: Stores, instance: dg.DagsterInstance) -> dg.ExecuteInProcessResult:
    """One Dagster run over every range of the index."""
    planned = keys(stores.catalog, 1)
    register(instance, planned)
    return dg.materialize(
        assets_of(stores.settings),
        selection=list(ASSETS),
        instance=instance,
        resources={"stores": stores},
        tags={"dagster/asset_partition_range_start": planned[0], "dagster/asset_partition_range_end": planned[-1]},
        raise_on_error=False,
    )


def failure(result: dg.ExecuteInProcessResult) -> str:
    """What Dagster shows of the failed run: one line."""
    (event,) = [event for event in result.all_events if event.event_type_value == "STEP_FAILURE"]
    text = event.step_failure_data.user_failure_data.description
    assert "Traceback" not in text
    assert "\n" not in text
    return text


def materialized(instance: dg.DagsterInstance, asset: str) -> set[str]:
    return set(instance.get_materialized_partitions(dg.AssetKey(asset)))


def complete(stores: Stores, instance: dg.DagsterInstance) -> None:
    """A run completes everything that is planned."""
    assert run(stores, instance).success
    planned = keys(stores.catalog, 1)
    for asset in ASSETS:
        assert materialized(instance, asset) == set(planned)
    for key in planned:
        assert range_by_key(stores.catalog, key).state == "done"
    found = unbalanced(stores.catalog)
    assert (found.places, found.ranges) == ((), len(planned))


@pytest.mark.usefixtures("impatient")
def test_a_range_that_fails_leaves_its_run_mates_alone(lab: Lab, tmp_path: Path, instance: dg.DagsterInstance) -> None:
    broken = True

    def answers(command: str) -> Iterable[bytes]:
        if broken and command.startswith("XOVER 2") and int(command.split("-")[1]) == 299:
            return [b"502 not for you\r\n"]
        return overview(command)

    with scripted(reader(group_of(100, 399, answers))) as server, lab.index(_settings(tmp_path, server)) as stores:
        broken = False
        plan_all(stores, [GROUP], NOW)
        broken = True
        first, bad, last = keys(stores.catalog, 1)
        result = run(stores, instance)
        assert not result.success
        assert "1 of 3 ranges failed" in failure(result)
        assert f"{bad}: XOVER 200-299: the server answered 502 not for you" in failure(result)
        for asset in ASSETS:
            assert materialized(instance, asset) == {first, last}
        row = range_by_key(stores.catalog, bad)
        assert row.state == "failed"
        assert row.error is not None
        assert "502 not for you" in row.error
        broken = False
        complete(stores, instance)


def _settings(folder: Path, server: Server):
    return settings_for(folder / "index", server.port, SIZE, numbers_per_request=SIZE, connections_per_range=1)


@pytest.mark.usefixtures("impatient")
def test_a_line_without_tabs_is_counted_and_kept_aside(lab: Lab, tmp_path: Path, instance: dg.DagsterInstance) -> None:
    def answers(command: str) -> Iterable[bytes]:
        (whole,) = overview(command)
        return [whole.replace(overview_line(150), b"150 no tabs at all\r\n")]

    with scripted(reader(group_of(100, 199, answers))) as server, lab.index(_settings(tmp_path, server)) as stores:
        (range_,) = plan_all(stores, [GROUP], NOW)
        complete(stores, instance)
        facts = range_by_key(stores.catalog, keys(stores.catalog, 1)[0]).overview
        assert facts is not None
        assert (facts.lines, facts.malformed) == (100, 1)
        rejected = pl.read_parquet(stores.disk.location(rejected_path(stores.lake.overview_path("main", range_))))
        assert rejected["raw"].to_list() == [b"150 no tabs at all"]


class SmallDisk(LocalDisk):
    """A disk that is full while `full`, once the file under way has begun."""

    full = True

    def create(self, path: str, data: bytes | Iterable[bytes]) -> int:
        return super().create(path, self._until_full([data] if isinstance(data, bytes) else data))

    def _until_full(self, data: Iterable[bytes]) -> Iterator[bytes]:
        for piece in data:
            yield piece[: len(piece) // 2]
            if self.full:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            yield piece[len(piece) // 2 :]


@pytest.fixture(scope="module")
def history() -> History:
    return planned_history(3, (GROUP,), (4_000,), (2013,), DEFAULT, 20_000)


@pytest.mark.usefixtures("impatient")
def test_a_full_disk_loses_nothing(lab: Lab, tmp_path: Path, instance: dg.DagsterInstance, history: History) -> None:
    disk = SmallDisk(tmp_path / "index")
    with (
        running_provider(history, tmp_path / "blocks") as (port,),
        lab.index(settings_for(disk.root, port, 2_000), disk) as stores,
    ):
        plan_all(stores, [GROUP], NOW)
        result = run(stores, instance)
        assert not result.success
        assert "the disk is full while writing chunks/" in failure(result)
        assert "free some space" in failure(result)
        assert list(disk.list("chunks")) == []
        disk.full = False
        complete(stores, instance)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("kind", ["stall", "truncate", "drop", "400", "garbage_status"])
def test_a_fault_that_passes_is_survived_and_one_that_stays_is_said(
    lab: Lab, tmp_path: Path, instance: dg.DagsterInstance, history: History, kind: str
) -> None:
    cache, listen = tmp_path / "blocks", (Listen(0, "A"),)
    always, once = (Fault(kind, 1.0, times=0),), (Fault(kind, 1.0, times=1),)
    with (
        running_provider(history, cache, listen=listen) as (good,),
        running_provider(history, cache, listen=listen, faults=always) as (bad,),
        running_provider(history, cache, listen=listen, faults=once) as (passing,),
        lab.index(settings_for(tmp_path / "index", good, 2_000, timeout=0.4)) as stores,
    ):
        plan_all(stores, [GROUP], NOW)
        result = run(with_port(stores, bad), instance)
        assert not result.success
        assert "2 of 2 ranges failed" in failure(result)
        assert materialized(instance, "overview") == set()
        complete(with_port(stores, passing), instance)


@pytest.mark.usefixtures("impatient")
def test_a_stream_that_does_not_inflate_is_asked_for_as_plain_text(
    lab: Lab, tmp_path: Path, instance: dg.DagsterInstance, history: History
) -> None:
    """Plain text has no checksum: what is damaged there is an odd line like any other, counted."""
    listen, always = (Listen(0, "A"),), (Fault("corrupt", times=0),)
    with (
        running_provider(history, tmp_path / "blocks", listen=listen) as (good,),
        running_provider(history, tmp_path / "blocks", listen=listen, faults=always) as (bad,),
        lab.index(settings_for(tmp_path / "index", good, 2_000)) as stores,
    ):
        plan_all(stores, [GROUP], NOW)
        complete(with_port(stores, bad), instance)


@pytest.mark.usefixtures("impatient")
def test_a_stream_that_is_damaged_once_loses_nothing(
    lab: Lab, tmp_path: Path, instance: dg.DagsterInstance, history: History
) -> None:
    listen = (Listen(0, "A"),)
    with (
        running_provider(history, tmp_path / "blocks", listen=listen) as (good,),
        running_provider(history, tmp_path / "blocks", listen=listen, faults=(Fault("corrupt"),)) as (bad,),
        lab.index(settings_for(tmp_path / "index", good, 2_000)) as stores,
    ):
        ranges = plan_all(stores, [GROUP], NOW)
        complete(stores, instance)
        before = [stores.lake.read("main", range_)[0] for range_ in ranges]
        complete(with_port(stores, bad), instance)
        after = [stores.lake.read("main", range_)[0] for range_ in ranges]
        assert all(map(pl.DataFrame.equals, before, after))


def with_port(stores: Stores, port: int) -> Stores:
    provider = stores.settings.provider.model_copy(update={"port": port})
    return replace(stores, settings=stores.settings.model_copy(update={"provider": provider}))


@pytest.mark.usefixtures("impatient")
def test_a_postgres_that_stops_during_a_run_is_said_and_the_next_run_completes(
    lab: Lab, tmp_path: Path, instance: dg.DagsterInstance, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop = False

    def answers(command: str) -> Iterable[bytes]:
        if stop:
            lab.databases.postgres.stop()
        return overview(command)

    with scripted(reader(group_of(100, 199, answers))) as server, lab.index(_settings(tmp_path, server)) as stores:
        plan_all(stores, [GROUP], NOW)
        planned = keys(stores.catalog, 1)
        stop = True
        result = run(stores, instance)
        stop = False
        lab.databases.postgres.start()
        # Long enough for the pool, which tries again after growing pauses.
        monkeypatch.setattr(store.catalog.connection, "_WAIT_S", 15.0)
        assert not result.success
        assert "the catalog's Postgres" in failure(result)
        assert "does not answer" in failure(result)
        assert keys(stores.catalog, 1) == planned
        complete(stores, instance)
