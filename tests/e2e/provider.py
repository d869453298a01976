"""The simulator as a user runs it: `overlake simulate` in a process of its own, a small history of three groups and three eras."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from overlake import Overlake

RANGE_SIZE = 10_000
ERAS = ("2009", "2015", "2024")
RANGES = 12

CONFIGURATION = """\
range_size = {range_size}
plan_open_ranges = true
[provider]
host = "127.0.0.1"
port = {provider}
tls = false
connections = 4
connections_per_range = 2
[settle]
quiet_hours = 0
[server]
port = {server}
[dagster]
port = {dagster}
ranges_per_run = 3
concurrent_runs = 2
"""


@contextmanager
def running_provider(folder: Path, *options: str) -> Iterator[int]:
    """The port of a provider with 12 ranges of 10,000 articles in three groups, each of three eras."""
    ready = folder / "ready.json"
    arguments = ("--mix", "default", "--groups", "3", "--sizes", "40000", "--listen", "0:B", "--cache", str(folder))
    years = [part for era in ERAS for part in ("--eras", era)]
    command = [sys.executable, "-m", "cli", "simulate", *arguments, *years, *options, "--ready-file", str(ready)]
    with (folder / "provider.log").open("wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        limit = time.monotonic() + 60
        while not ready.exists():
            if process.poll() is not None or time.monotonic() > limit:
                raise AssertionError(f"the provider did not come up: {(folder / 'provider.log').read_text()}")
            time.sleep(0.1)
        yield json.loads(ready.read_text())["ports"][0]["port"]
    finally:
        process.terminate()
        process.wait(30)


def index_of(folder: Path, provider: int) -> Overlake:
    """A new index of that provider, configured."""
    index = Overlake(folder)
    folder.mkdir()
    text = CONFIGURATION.format(range_size=RANGE_SIZE, provider=provider, server=index.server, dagster=index.dagster)
    (folder / "overlake.toml").write_text(text)
    return index
