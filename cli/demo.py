"""The demo: a synthetic provider, indexed through Dagster, with web pages and a Newznab endpoint at the end."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import httpx
from cyclopts import Parameter
from lxml import etree  # pyright: ignore[reportAttributeAccessIssue] - lxml has no types

from cli.console import err, out
from cli.running import everything, free_port
from cli.services import Service, own_command, running, stop_on_sigterm, wait_until_interrupted
from cli.work import backfill, plan, upkeep
from store.catalog import keys
from store.catalog.conservation import unbalanced
from store.catalog.coverage import coverage
from store.catalog.planning import source_number
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


@dataclass(frozen=True, slots=True)
class Shown:
    """What the demo saw of its own index: releases that match the search, and the NZB of the first."""

    total: int
    nzb: bytes


class DemoFailed(RuntimeError):
    """What the demo shows did not come out right."""


def demo(
    *,
    once: Annotated[
        bool, Parameter(negative="", help="Check what came out and end, instead of leaving everything running.")
    ] = False,
    folder: Annotated[Path, Parameter(help="Where the demo keeps its data; emptied first.")] = Path("demo-data"),
) -> None:
    """Index a synthetic provider (4 groups, over 4,000,000 lines, several eras) and leave it running to look at."""
    stop_on_sigterm()
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    ports = [free_port(preferred) for preferred in (11190, 8080, 3000)]
    config = folder / FILE_NAME
    config.write_text(
        CONFIGURATION.format(range_size=RANGE_SIZE, provider_port=ports[0], server_port=ports[1], dagster_port=ports[2])
    )
    settings = load(config)
    with (
        running([_provider(folder, ports[0])], {}),
        err.status("Starting Postgres, Dagster and the web server") as waiting,
        everything(config, settings) as processes,
    ):
        waiting.stop()
        plan(config=config)
        backfill(config=config)
        upkeep(config=config)
        secret = _new_key(settings)
        shown = _show(settings, secret)
        if once:
            _check(settings, shown)
            out.print("The demo came out right.", style="green")
            return
        out.print("\nStop with Ctrl-C. The data stays in", str(folder))
        wait_until_interrupted(processes)


def _provider(folder: Path, port: int) -> Service:
    arguments = (
        "--mix",
        "demo",
        "--listen",
        f"{port}:B",
        "--user",
        "demo",
        "--password",
        "demo",
        "--cache",
        str(folder / "provider"),
    )
    return Service("provider", own_command("simulate", *arguments), folder / "provider.log")


def _new_key(settings: Settings) -> str:
    with open_stores(settings) as stores:
        return keys.create(stores.catalog, "demo", admin=True)


def _show(settings: Settings, secret: str) -> Shown:
    """Say what to open, and show one search and one NZB as any client would see them."""
    server = f"http://{settings.server.host}:{settings.server.port}"
    feed = etree.fromstring(_get(f"{server}/api", t="search", q=SEARCH, apikey=secret))
    items = feed.findall("./channel/item")
    total = int(feed.find("./channel/{*}response").get("total", "0"))  # pyright: ignore[reportOptionalMemberAccess]
    out.print(f"\nDagster    http://{settings.dagster.host}:{settings.dagster.port}")
    out.print(f"Search     {server}/?apikey={secret}")
    out.print(f"Newznab    {server}/api?t=search&q={SEARCH}&apikey={secret}")
    out.print(f"\n{total} releases match “{SEARCH}”:")
    for item in items[:5]:
        out.print(f"  {item.findtext('title')}")
    if not items:
        return Shown(0, b"")
    nzb = _get(str(items[0].find("enclosure").get("url")))  # pyright: ignore[reportOptionalMemberAccess]
    out.print("\nThe first one's NZB begins:")
    for line in nzb.decode().splitlines()[:8]:
        out.print(f"  {line[:110]}")
    return Shown(total, nzb)


def _get(url: str, **parameters: str) -> bytes:
    response = httpx.get(url, params=parameters or None, timeout=30.0)
    if not response.is_success:
        raise DemoFailed(f"{url.split('?', maxsplit=1)[0]} answered {response.status_code}")
    return response.content


def _check(settings: Settings, shown: Shown) -> None:
    """Every line accounted for, enough of them, a search with results and an NZB with segments; else DemoFailed."""
    with open_stores(settings) as stores:
        conservation = unbalanced(stores.catalog)
        rows = coverage(stores.catalog, source_number(stores.catalog, settings.provider.source))
    lines, eras, groups = (
        sum(row.lines for row in rows),
        len({row.era // 100 for row in rows if row.era is not None}),
        len({row.group for row in rows}),
    )
    segments = etree.fromstring(shown.nzb).findall(".//{*}segment") if shown.nzb else []
    complaints = [
        complaint
        for complaint, holds in (
            (f"only {lines:,} lines were indexed", lines >= LINES_AT_LEAST),
            (f"only {groups} groups and {eras} eras", groups >= 4 and eras >= 3),
            ("lines are not accounted for: " + ", ".join(conservation.places[:5]), not conservation.places),
            (
                "some ranges are not done",
                not any(row.open for row in rows),
            ),
            (f"no release matches {SEARCH}", shown.total > 0),
            ("the NZB has no segment", bool(segments)),
        )
        if not holds
    ]
    if complaints:
        raise DemoFailed("the demo did not come out right: " + "; ".join(complaints))
    out.print(
        f"\n{lines:,} lines of {groups} groups in {eras} years, every one accounted for in {conservation.ranges} ranges and {conservation.edges} edges.",
        highlight=False,
    )
