"""A tour of the cockpit: backfill oldest era first, pause and resume, the daemon killed, one range again; in Dagster's own interface."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psutil
import pytest
from browser import running_browser
from dagster_graphql import check_status, launch_backfill, launch_run, partitions, run_status, runs, unfinished
from overlake import Overlake
from provider import RANGES, index_of, running_provider
from screenshots import IMAGES, WINDOW, dagster_pages
from watching import assert_everything_done, generations, index_folder, processes_of, rows, wait_for

pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def index() -> Iterator[Overlake]:
    with (
        tempfile.TemporaryDirectory(prefix="overlake-provider-") as folder,
        running_provider(Path(folder)) as port,
        index_folder() as place,
    ):
        made = index_of(place / "index", port)
        made.run("plan")
        yield made


def daemon_of(index: Overlake) -> int:
    for pid in processes_of(index):
        with suppress(psutil.Error):
            if any("dagster-daemon" in part for part in psutil.Process(pid).cmdline()):
                return pid
    raise AssertionError("no daemon is at work")


def test_a_backfill_is_paused_survives_its_processes_and_keeps_its_order(index: Overlake) -> None:
    with index.up():
        index.json("pause")
        keys = partitions(index)
        backfill = launch_backfill(index, list(reversed(keys)))
        queued = ["QUEUED"] * (RANGES // 3)
        wait_for(lambda: [run.status for run in runs(index, **{"dagster/backfill": backfill})] == queued)
        os.kill(daemon_of(index), signal.SIGKILL)
    with index.up():
        # A pause outlives a restart of everything.
        assert [run.status for run in runs(index, **{"dagster/backfill": backfill})] == queued
        assert index.json("resume")["backfills"] == [backfill]
        wait_for(lambda: unfinished(index) == 0)
        started = runs(index, **{"dagster/backfill": backfill})
        assert {run.status for run in started} == {"SUCCESS"}
        assert [run.era for run in started] == sorted(run.era for run in started)
        assert_everything_done(index)
        assert (
            len(
                runs(
                    index,
                    **{
                        "overlake/group": "alt.binaries.simulated.1, alt.binaries.simulated.2, alt.binaries.simulated.3"
                    },
                )
            )
            > 0
        )
        for check in ("lines_accounted_for", "duplicates", "date_order", "chunks_readable"):
            assert check_status(index, check) == "SUCCEEDED", check
        _one_range_again(index, keys[4])
        _look(index)


def _one_range_again(index: Overlake, key: str) -> None:
    files = (
        'SELECT path FROM chunk_files JOIN ranges USING (source, "group", "range") '
        f"WHERE partition_key = '{key}' AND NOT is_edge AND retired_at IS NULL"
    )
    before, generation = rows(index, files), generations(index)[key]
    run = launch_run(index, key)
    wait_for(lambda: run_status(index, run) == "SUCCESS")
    after = rows(index, files)
    assert before
    assert after
    assert before != after, "its chunks are replaced"
    assert generations(index)[key] == generation + 1
    assert [run.id for run in runs(index, **{"overlake/range": key})] == [run]


def _look(index: Overlake) -> None:
    """The same pages a person sees; written into the documentation where OVERLAKE_WRITE_DOCS is set."""
    address = f"http://127.0.0.1:{index.dagster}"
    with running_browser() as browser:
        page = browser.new_page(viewport=WINDOW)
        page.set_default_timeout(60_000)
        page.goto(f"{address}/assets/release_chunks?view=checks")
        page.get_by_text("chunks_readable").first.wait_for(state="attached")
        if os.environ.get("OVERLAKE_WRITE_DOCS"):
            IMAGES.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=IMAGES / "dagster-checks.png")
            dagster_pages(page, address)
