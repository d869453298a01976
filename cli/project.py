"""Starting an index: its configuration, and whether the provider answers."""

from __future__ import annotations

import shlex
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

from cli.console import err, fail, out, print_json
from cli.options import DEFAULT_CONFIG, Config, Json
from pipeline.nntp.connection import ActiveGroup
from pipeline.ranges import Range
from store.configuration import FILE_NAME, load

TEMPLATE = """\
# Overlake. Every key can also be set by the environment, e.g. OVERLAKE_PROVIDER__PASSWORD.

# Where the lake, the chunks and the embedded Postgres live, relative to this file.
data = "data"

# Article numbers in a range; fixed once ranges are planned. Small installations may take 200000.
range_size = 2000000

[provider]
# A name for this provider's article numbers: choose another one when you change the provider.
source = "main"
host = ""
port = 563
tls = true
username = ""
# The password from OVERLAKE_PROVIDER__PASSWORD, or from a file that only you can read (mode 0600):
# password_file = "password"
connections = 20
connections_per_range = 8
# Further accounts with the same article numbers; what they leave out is that of [provider]:
# [provider.accounts.block]
# username = ""
# password_file = "password-block"
# connections = 10

[groups]
# Name the groups in order of preference, here or in a file (a group a line), or let the largest be taken by pattern.
names = []
# file = "groups.txt"
include = ["alt.binaries.*"]
exclude = []
limit = 10

[storage]
# The lake and the chunk files elsewhere than in `data`: folders, or S3-compatible object storage, whose credentials come from the
# environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY):
# lake = "s3://bucket/lake"
# chunks = "s3://bucket/chunks"
# endpoint = "https://s3.example.org"

[catalog]
# An own Postgres instead of the embedded one:
# dsn = "postgresql://overlake@db.example.org/overlake"

[server]
host = "127.0.0.1"
port = 8080
# What clients call it behind a reverse proxy, e.g. "https://index.example.org".
public_url = ""

[dagster]
host = "127.0.0.1"
port = 3000
# Ranges share the start of a run, each with its own fate; runs at once: one for each core.
ranges_per_run = 16
concurrent_runs = 2
# The broker of several machines with `overlake worker`:
# broker = "redis://broker.example.org:6379/0"

[retention]
# Overview files are kept for ever, unless months (after fetching) are named here; a share of the ranges may be kept all the same.
# overview_months = 12
# overview_sample = 0.05
"""


def init(folder: Path = Path()) -> None:
    """Write a commented `overlake.toml` into FOLDER. An existing one is left alone."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / FILE_NAME
    try:
        with path.open("x") as file:
            file.write(TEMPLATE)
    except FileExistsError:
        fail(f"{path} is there already; edit it, or remove it first")
    out.print(f"Wrote {path}. Next: name your news server in it, then run: overlake check")


@dataclass(frozen=True, slots=True)
class ProviderCheck:
    """What `overlake check` found out about the provider."""

    host: str
    login: bool
    groups: int
    group: str
    low: int
    high: int
    compression: str
    lines: int
    wire_bytes: int
    seconds: float
    lines_per_second: float


def check(
    *,
    config: Config = DEFAULT_CONFIG,
    json: Json = False,
    group: Annotated[str, Parameter(help="Measure in this group instead of the largest one chosen.")] = "",
    lines: Annotated[
        int, Parameter(help="Overview lines to fetch for the measurement.", validator=validators.Number(gte=1))
    ] = 100_000,
) -> None:
    """Log in to the provider, say which compression it speaks, and measure overview lines a second."""
    from assets.provider import account_of
    from pipeline.nntp.connection import connect
    from pipeline.nntp.fetch import fetch_range
    from pipeline.nntp.probe import list_groups
    from pipeline.overview import parse
    from pipeline.planning import choose_groups

    settings = load(config)
    account = account_of(settings.provider)
    with err.status(f"Asking {account.host} for its groups"):
        # Somebody is waiting: a host that is not there is said at once, not after the pauses of a backfill.
        with connect(account):
            pass
        active = list_groups(account)
    wanted = settings.groups
    chosen = (
        group
        or choose_groups(active, wanted.named(), wanted.include, wanted.exclude, wanted.limit, wanted.min_articles)[0]
    )
    found = next((item for item in active if item.name == chosen), None)
    if found is None:
        fail(f"{account.host} does not list {chosen}; see groups.names and groups.include in {config}")
    if found.high < max(found.low, 1):
        fail(f"{account.host} has no articles in {chosen} (it says {found.low} to {found.high}); name another group")
    range_ = _newest(found, lines)
    began, count = time.monotonic(), 0
    with err.status(f"Fetching {range_.size:,} overview lines of {chosen}"), fetch_range(account, range_) as blocks:
        for block in blocks:
            count += parse(block.text, block.first, block.last, datetime.now(UTC)).lines
        form, wire = blocks.form, blocks.wire_bytes
    seconds = time.monotonic() - began
    result = ProviderCheck(
        account.host,
        bool(account.username),
        len(active),
        chosen,
        found.low,
        found.high,
        form or "none",
        count,
        wire,
        seconds,
        count / seconds,
    )
    if json:
        print_json(result)
        return
    out.print(
        f"Connected to {result.host}{', logged in' if result.login else ''}: {result.groups:,} groups",
        highlight=False,
    )
    out.print(f"{chosen}: articles {found.low:,} to {found.high:,}")
    out.print(
        f"Compression {result.compression}: {wire / max(1, count):.0f} bytes a line, {result.lines_per_second:,.0f} lines/s over {account.connections} connections",
        highlight=False,
    )


def _newest(group: ActiveGroup, lines: int) -> Range:
    """The newest range of at most `lines` numbers that the group has wholly: old articles may be gone."""
    size = min(lines, max(1, (group.high - max(group.low, 1) + 2) // 2))
    return Range(1, group.name, (group.high + 1) // size - 1, size)


def env(*, config: Config = DEFAULT_CONFIG) -> None:
    """Print shell lines that let plain `dagster` commands find this index: eval "$(overlake env)"."""
    from cli.environment import dagster_environment
    from store.catalog.connection import Catalog

    settings = load(config)
    with Catalog.open(settings) as catalog:
        for name, value in dagster_environment(config, settings, catalog).items():
            out.print(f"export {name}={shlex.quote(value)}", soft_wrap=True)
