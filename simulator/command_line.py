"""The options of `overlake simulate` and `python -m simulator`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter
from rich.console import Console

from simulator.command import HistoryOptions, history_of, make_ahead, parse_listen, write_truth
from simulator.command import simulate as serve
from simulator.faults import parse_fault
from simulator.server import ServerOptions

err = Console(stderr=True)


def simulate(
    *,
    mix: Annotated[
        str, Parameter(help="`demo` for the four groups of the demo, or `default` or `clean` with the options below.")
    ] = "demo",
    seed: Annotated[int, Parameter(help="The same seed gives the same articles.")] = 1,
    groups: Annotated[
        tuple[str, ...], Parameter(help="Group names, or how many groups.", negative="", consume_multiple=True)
    ] = ("3",),
    sizes: Annotated[
        tuple[int, ...],
        Parameter(help="Article numbers of each group; one size holds for all.", negative="", consume_multiple=True),
    ] = (2_000_000,),
    eras: Annotated[
        tuple[int, ...], Parameter(help="Years of posting, oldest first.", negative="", consume_multiple=True)
    ] = (
        2009,
        2013,
        2017,
        2021,
        2025,
    ),
    offset: Annotated[int, Parameter(help="Lowest article number of each group; may lie above 2^32.")] = 0,
    host: Annotated[str, Parameter(help="Address to listen on.")] = "127.0.0.1",
    listen: Annotated[
        tuple[str, ...],
        Parameter(
            help="PORT[:FORM], several for several ports; forms: plain A B C D D' E; port 0 takes a free one.",
            negative="",
            consume_multiple=True,
        ),
    ] = ("0",),
    user: Annotated[str, Parameter(help="User name to ask for; none when empty.")] = "",
    password: Annotated[str, Parameter(help="Password to ask for.")] = "",
    tls_certificate: Annotated[Path | None, Parameter(help="Certificate (PEM); the ports speak TLS.")] = None,
    tls_key: Annotated[Path | None, Parameter(help="Its key (PEM).")] = None,
    connections: Annotated[int, Parameter(help="Connections allowed at a time.")] = 50,
    latency_ms: Annotated[float, Parameter(help="Round trip to a client: each command arrives so much later.")] = 0.0,
    idle_seconds: Annotated[float, Parameter(help="An idle connection is closed after this.")] = 1800.0,
    fault: Annotated[
        tuple[str, ...],
        Parameter(help="KIND[:PROBABILITY[:TIMES]], e.g. drop:0.1, corrupt:0.01.", negative="", consume_multiple=True),
    ] = (),
    cache: Annotated[
        Path | None, Parameter(help="Folder for the blocks that were made; the next start finds them.")
    ] = None,
    ready_file: Annotated[Path | None, Parameter(help="Gets host and ports as JSON once all ports listen.")] = None,
    truth: Annotated[
        Path | None, Parameter(help="Write what every article is (release, file, segment, class) as Parquet, and end.")
    ] = None,
    warm: Annotated[int, Parameter(help="Make all blocks into --cache with so many processes, and end.")] = 0,
) -> None:
    """Run a synthetic Usenet provider: a real NNTP server with a deterministic, labelled history."""
    plan = HistoryOptions(mix, seed, groups, sizes, eras, offset)
    if truth is not None:
        rows = write_truth(history_of(plan), truth)
        err.print(f"{rows:,} rows in {truth}", highlight=False)
    if warm:
        made = make_ahead(history_of(plan), cache or Path("simulator-cache"), warm)
        err.print(f"{made:,} blocks made", highlight=False)
    if truth is not None or warm:
        return
    options = ServerOptions(
        host=host,
        listen=tuple(map(parse_listen, listen)),
        tls_certificate=tls_certificate,
        tls_key=tls_key,
        username=user,
        password=password,
        connection_limit=connections,
        latency_ms=latency_ms,
        faults=tuple(map(parse_fault, fault)),
        cache_dir=cache,
        idle_seconds=idle_seconds,
    )
    serve(plan, options, ready_file)
