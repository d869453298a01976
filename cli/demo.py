"""The demo: a synthetic provider, indexed through Dagster, with web pages and a Newznab endpoint at the end."""

from __future__ import annotations

import shutil
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import httpx
from cyclopts import Parameter
from lxml import etree

from cli.console import err, fail, out
from cli.running import everything
from cli.services import Service, own_command, running, stop_on_sigterm, wait_until_interrupted
from cli.work import backfill, plan, upkeep
from store.catalog import keys
from store.catalog.conservation import unbalanced
from store.configuration import FILE_NAME, Settings, load
from store.stores import open_stores

RANGE_SIZE = 250_000
LINES_AT_LEAST = 4_000_000
SEARCH = "debian"

CONFIGURATION = """\
# Written by the demo: a synthetic provider on this machine.
data = "data"
range_size = {range_size}

[provider]
host = "127.0.0.1"
port = {provider_port}
tls = false
username = "demo"
password = "demo"
connections = 8
connections_per_range = 4

[server]
port = {server_port}

[dagster]
port = {dagster_port}
ranges_per_run = 4
concurrent_runs = 2

[settle]
quiet_hours = 0
"""


class DemoFailed(RuntimeError):
    """What the demo shows did not come out right."""


def demo(
    *,
    once: Annotated[bool, Parameter(negative="", help="Check what came out and end, instead of leaving everything running.")] = False,
    folder: Annotated[Path, Parameter(help="Where the demo keeps its data; emptied first.")] = Path("demo-data"),
) -> None:
    """Index a synthetic provider (4 groups, over 4,000,000 lines, several eras) and leave it running to look at."""
    stop_on_sigterm()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    ports = _free_ports(3)
    config = folder / FILE_NAME
    config.write_text(CONFIGURATION.format(range_size=RANGE_SIZE, provider_port=ports[0], server_port=ports[1], dagster_port=ports[2]))
    settings = load(config)
    with running([_provider(folder, ports[0])], {}), err.status("Starting Postgres, Dagster and the web server") as waiting, everything(config, settings) as processes:
        waiting.stop()
        plan(config=config)
        backfill(config=config)
        upkeep(config=config)
        secret = _show(settings, once=once)
        if once:
            _check(settings, secret)
            return
        out.print("\nStop with Ctrl-C. The data stays in", str(folder), highlight=False)
        wait_until_interrupted(processes)
