"""`overlake simulate`: a provider from the command line, its truth as Parquet, and its blocks made ahead."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from simulator.blocks import warm
from simulator.history import History, demo_history, planned_history
from simulator.mix import PRESETS
from simulator.server import Listen, ServerOptions, serve
from simulator.wire import FORMS, WireForm


class BadPlan(ValueError):
    """The options do not make a history or a server; the message says which and why."""


@dataclass(frozen=True, slots=True)
class HistoryOptions:
    """What is simulated.

    Attributes:
        preset: `demo` for the four groups of the demo, else one of `default` and `clean` with the fields below.
        seed: the same seed gives the same articles.
        groups: names, or a number of groups to name `alt.binaries.simulated.1`, ...
        sizes: article numbers of each group; one size holds for all.
        eras: years of posting, oldest first.
        offset: lowest article number of each group (the demo adds it to its own); may lie above 2^32.
    """

    preset: str = "demo"
    seed: int = 1
    groups: tuple[str, ...] = ("3",)
    sizes: tuple[int, ...] = (2_000_000,)
    eras: tuple[int, ...] = (2009, 2013, 2017, 2021, 2025)
    offset: int = 0


def history_of(options: HistoryOptions) -> History:
    """The history that the options describe.

    Raises:
        BadPlan: an option does not fit.
    """
    if options.preset == "demo":
        return demo_history(options.seed, offset=options.offset)
    if options.preset not in PRESETS:
        raise BadPlan(f"mix {options.preset!r} is not known; use one of {', '.join(PRESETS)}")
    names = options.groups
    if len(names) == 1 and names[0].isdigit():
        names = tuple(f"alt.binaries.simulated.{at}" for at in range(1, int(names[0]) + 1))
    offset = options.offset or 2_000_000
    try:
        return planned_history(options.seed, names, options.sizes, options.eras, PRESETS[options.preset], offset)
    except ValueError as error:
        raise BadPlan(str(error)) from error


def parse_listen(text: str) -> Listen:
    """`PORT` or `PORT:FORM`, such as `11190:A`.

    Raises:
        BadPlan: the port is no number or the form is not known.
    """
    port, _, name = text.partition(":")
    forms: dict[str, WireForm] = {form.lower(): form for form in FORMS}
    if not port.isdigit() or (name or "plain").lower() not in forms:
        raise BadPlan(f"{text!r} is not PORT[:FORM] with a form of {', '.join(FORMS)}")
    return Listen(int(port), forms[(name or "plain").lower()])


def simulate(history_options: HistoryOptions, server_options: ServerOptions, ready_file: Path | None = None) -> None:
    """Serve until SIGTERM or SIGINT.

    Args:
        history_options: what is simulated.
        server_options: how it is served.
        ready_file: gets `{"host": ..., "ports": [{"port": ..., "wire": ...}], "groups": [...]}` when all ports listen.

    Raises:
        BadPlan: an option does not fit.
        OSError: a port is taken or a folder cannot be written.
    """
    history = history_of(history_options)

    def ready(ports: tuple[int, ...]) -> None:
        forms = [listen.wire for listen in server_options.listen]
        told = {
            "host": server_options.host,
            "ports": [{"port": port, "wire": form} for port, form in zip(ports, forms, strict=True)],
            "groups": list(history.names),
        }
        if ready_file is not None:
            written = ready_file.with_name(ready_file.name + ".new")
            written.write_text(json.dumps(told))
            written.replace(ready_file)
        sys.stdout.write(json.dumps(told) + "\n")
        sys.stdout.flush()

    serve(history, server_options, ready)


def write_truth(history: History, path: Path, step: int = 200_000) -> int:
    """Write what every row of the history is to a Parquet file; returns the rows."""
    pieces = [
        (name, at, min(at + step - 1, bounds.high))
        for name in history.names
        for bounds in [history.group(name)]
        for at in range(bounds.low, bounds.high + 1, step)
    ]
    rows = 0
    writer: pq.ParquetWriter | None = None
    with _progress("truth", len(pieces)) as advance:
        for name, first, last in pieces:
            table = history.truth(name, first, last).to_arrow(compat_level=pl.CompatLevel.oldest())
            writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
            writer.write_table(table)
            rows += table.num_rows
            advance(1)
    if writer is not None:
        writer.close()
    return rows


def make_ahead(history: History, cache: Path, processes: int = 2) -> int:
    """Make every block of the history into `cache`; returns the blocks."""
    shown = 0
    blocks = sum((history.group(name).high - history.group(name).low) // 10_000 + 1 for name in history.names)
    with _progress("blocks", blocks) as advance:
        for done, _ in warm(history, cache, processes):
            advance(done - shown)
            shown = done
    return shown


@contextmanager
def _progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(what, total=total)

        def advance(steps: int) -> None:
            progress.advance(task, steps)

        yield advance
