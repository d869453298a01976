"""Backfills as users start them: oldest era first, whoever starts them."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import httpx
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
from watching import assert_everything_done, generations, index_folder, processes_of, rows, wait_for

from pipeline.batch import Counters

pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def provider() -> Iterator[int]:
    with tempfile.TemporaryDirectory(prefix="overlake-provider-") as folder, running_provider(Path(folder)) as port:
        yield port


@pytest.fixture(scope="module")
def index(provider: int) -> Iterator[Overlake]:
    """An index that is up, planned, and filled by `overlake backfill`."""
    with index_folder() as folder:
        made = index_of(folder / "index", provider)
        with made.up():
            assert made.json("plan")["range_plan"] == {"ranges": RANGES, "new": RANGES, "empty": 0}
            assert made.json("backfill")["failed"] == 0
            yield made
        assert not processes_of(made), "SIGTERM left processes behind"


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
    assert set(index.json("upkeep")) == {"settled_releases", "collected_chunks", "expired_overviews"}
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
