"""An index seen from outside: its processes, its tables, and whether all of it is done."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
from overlake import Overlake
from provider import RANGES

from store.catalog.connection import Catalog
from store.catalog.conservation import unbalanced
from store.configuration import load


@contextmanager
def index_folder() -> Iterator[Path]:
    """A folder for an index. Not in pytest's own: each start of pytest closes that to the user whom Postgres runs as."""
    with tempfile.TemporaryDirectory(prefix="overlake-e2e-") as folder:
        yield Path(folder)


def processes_of(index: Overlake) -> set[int]:
    """Processes that work for an index, all of them in its folder; without its Postgres, which outlives who started it."""
    found = set[int]()
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            inside = Path(process.cwd()).is_relative_to(index.folder)
            if inside and process.status() != psutil.STATUS_ZOMBIE and not process.name().startswith("postgres"):
                found.add(process.pid)
    return found


def rows(index: Overlake, sql: str) -> list[dict[str, object]]:
    return json.loads(index.run("shell", "-e", sql, "--json").stdout)


def generations(index: Overlake) -> dict[str, int]:
    shown = rows(index, "SELECT partition_key, generation FROM ranges ORDER BY ALL")
    return {str(row["partition_key"]): int(str(row["generation"])) for row in shown}


def assert_everything_done(index: Overlake) -> None:
    status = index.json("status")
    assert sum(row["done"] for row in status) == RANGES
    assert sum(row["planned"] + row["running"] + row["failed"] for row in status) == 0
    with Catalog.open(load(index.folder / "overlake.toml")) as catalog:
        conservation = unbalanced(catalog)
    assert (conservation.ranges, conservation.places) == (RANGES, ())


def wait_for(holds: Callable[[], bool], seconds: float = 120) -> None:
    limit = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < limit, "waited in vain"
        time.sleep(0.3)
