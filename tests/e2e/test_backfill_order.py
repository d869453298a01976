"""Backfills as users start them: oldest era first, whoever starts them."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields
from pathlib import Path

import httpx
import psutil
import pytest
from dagster_graphql import (
    check_status,
    launch_run,
    metadata,
    partitions,
    run_status,
    runs,
)
from overlake import Overlake
from provider import RANGE_SIZE, RANGES, index_of, running_provider

from pipeline.batch import Counters
from store.catalog.connection import Catalog
from store.catalog.conservation import Conservation, unbalanced
from store.configuration import load

pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def provider() -> Iterator[int]:
    with tempfile.TemporaryDirectory(prefix="overlake-provider-") as folder, running_provider(Path(folder)) as port:
        yield port


@pytest.fixture(scope="module")
def index(provider: int) -> Iterator[Overlake]:
    """An index that is up, planned, and filled by `overlake backfill`."""
    with _folder() as folder:
        made = index_of(folder / "index", provider)
        with made.up():
            assert made.json("plan")["range_plan"] == {"ranges": RANGES, "new": RANGES, "empty": 0}
            assert made.json("backfill")["failed"] == 0
            yield made
        assert not processes_of(made), "SIGTERM left processes behind"


def _folder() -> tempfile.TemporaryDirectory[str]:
    # Not pytest's own folder: each start of pytest closes it to other users, so also to the one Postgres runs as.
    return _Folder(prefix="overlake-e2e-")


class _Folder(tempfile.TemporaryDirectory):
    def __enter__(self) -> Path:
        return Path(super().__enter__())


def processes_of(index: Overlake) -> set[int]:
    """Processes that work for an index, all of them in its folder; without its Postgres, which outlives who started it."""
    found = set[int]()
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            inside = Path(process.cwd()).is_relative_to(index.folder)
            if inside and process.status() != psutil.STATUS_ZOMBIE and not process.name().startswith("postgres"):
                found.add(process.pid)
    return found


def conservation(index: Overlake) -> Conservation:
    with Catalog.open(load(index.folder / "overlake.toml")) as catalog:
        return unbalanced(catalog)


def rows(index: Overlake, sql: str) -> list[dict[str, object]]:
    return json.loads(index.run("shell", "-e", sql, "--json").stdout)


def generations(index: Overlake) -> dict[str, int]:
    shown = rows(index, "SELECT partition_key, generation FROM ranges ORDER BY ALL")
    return {str(row["partition_key"]): int(str(row["generation"])) for row in shown}


def assert_everything_done(index: Overlake) -> None:
    status = index.json("status")
    assert sum(row["done"] for row in status) == RANGES
    assert sum(row["planned"] + row["running"] + row["failed"] for row in status) == 0
    assert conservation(index).ranges == RANGES
    assert conservation(index).places == ()


def wait_for(holds: Callable[[], bool], seconds: float = 120) -> None:
    limit = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < limit, "waited in vain"
        time.sleep(0.3)


def test_partitions_are_registered_oldest_era_first(index: Overlake) -> None:
    keys = partitions(index)
    assert len(keys) == RANGES
    assert keys == sorted(keys)
    assert len({key[:4] for key in keys}) == 3
    assert len({key.split("~")[1] for key in keys}) == 3


def test_backfill_starts_runs_oldest_era_first_over_all_groups(index: Overlake) -> None:
    started = [run for run in runs(index) if "~" in run.first]
    assert len(started) == RANGES // 3
    assert [run.era for run in started] == sorted(run.era for run in started)
    assert {run.status for run in started} == {"SUCCESS"}
    # Of the oldest era, three ranges that share a run: the first of each group.
    oldest = started[0]
    assert (oldest.first.split("~")[1], oldest.last.split("~")[1]) == ("a.b.simulated.1", "a.b.simulated.3")


def test_a_materialization_shows_its_figures_and_the_check_passes(index: Overlake) -> None:
    key = partitions(index)[0]
    fetched, derived = metadata(index, "overview", key), metadata(index, "release_chunks", key)
    assert {"lines", "wire_bytes", "lines_per_second"} <= set(fetched)
    assert 0 < int(fetched["wire_bytes"]) < 100 * int(fetched["lines"])
    assert {field.name for field in fields(Counters)} | {"completeness", "lines_per_second"} <= set(derived)
    counters = Counters(**{field.name: int(derived[field.name]) for field in fields(Counters)})
    assert counters.balance == 0
    assert counters.lines == fetched["lines"] > 0.9 * RANGE_SIZE
    assert 0 < float(derived["completeness"]) <= 1
    assert check_status(index, "lines_accounted_for") == "SUCCEEDED"


def test_one_range_again_is_a_new_generation_of_it_alone(index: Overlake) -> None:
    releases = rows(index, "SELECT release_id, name, bytes FROM releases ORDER BY ALL")
    before, key = generations(index), partitions(index)[4]
    run = launch_run(index, key)
    wait_for(lambda: run_status(index, run) == "SUCCESS")
    assert generations(index) == before | {key: before[key] + 1}
    assert rows(index, "SELECT release_id, name, bytes FROM releases ORDER BY ALL") == releases


def test_commands_work_beside_it(index: Overlake) -> None:
    assert_everything_done(index)
    (counted,) = rows(index, "select count(*) as lines from overview")
    assert 0.9 * RANGES * RANGE_SIZE < counted["lines"] <= 1.01 * RANGES * RANGE_SIZE
    assert index.json("reconcile") == {"partitions_added": 0, "materializations_reported": 0}
    assert set(index.json("upkeep")) == {"settled_releases", "collected_chunks"}
    key = index.json("keys", "create", "test")["key"]
    assert [row["name"] for row in index.json("keys", "list")] == ["test"]
    assert index.api(t="caps").status_code == 200
    assert index.api(t="search", q="debian", apikey=key).status_code == 200
    subject = '[01/12] - "debian-12.7.0-amd64.part01.rar" yEnc (3/66)\n'
    explained = json.loads(index.run("explain", "--json", stdin=subject).stdout)
    assert (explained["segment"], explained["segments"]) == (3, 66)


def test_a_second_up_is_refused_in_one_sentence(index: Overlake) -> None:
    refused = index.run("up", check=False)
    assert refused.returncode == 1
    assert "this index is up already" in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1
    assert httpx.get(f"http://127.0.0.1:{index.server}/health").is_success
