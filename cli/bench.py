"""Figures, as ratios inside one run."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter, validators
from rich.table import Table

from cli.console import err, fail, out, print_json
from cli.options import Json


def _not_negative(_: object, value: object) -> None:
    if isinstance(value, int | float) and value < 0:
        raise ValueError("Must not be negative.")


app = App(
    name="bench",
    help="Measure: ratios inside one run, since machines are shared and noisy.",
    default_parameter=Parameter(validator=_not_negative),
)

_SOME = validators.Number(gte=1)
_MANY = validators.Number(gte=1_000)

Folder = Annotated[Path | None, Parameter(help="Where to keep what the run makes; a temporary folder otherwise.")]


@app.command
def ingest(
    *,
    lines: Annotated[int, Parameter(help="Overview lines to ingest, in whole ranges, at least three.")] = 1_500_000,
    range_size: Annotated[int, Parameter(help="Article numbers of a range.", validator=_MANY)] = 500_000,
    mix: Annotated[str, Parameter(help="Mix of the simulated history.")] = "default",
    wire: Annotated[str, Parameter(help="Wire form the provider speaks: plain, A, B, C, D or E.")] = "B",
    eras: Annotated[
        tuple[int, ...], Parameter(help="Years of posting, oldest first.", negative="", consume_multiple=True)
    ] = (2009, 2013, 2017, 2021, 2025),
    releases: Annotated[int, Parameter(help="Made-up releases that the catalog holds before.")] = 0,
    folder: Folder = None,
    profile: Annotated[Path | None, Parameter(help="Write where the time went to this HTML file.")] = None,
    json: Json = False,
) -> None:
    """From compressed wire bytes to committed catalog, beside the floor of inflating, splitting and writing the same Parquet."""
    from benchmarks.ingest import Simulated, run

    with _kept_in(folder) as place, err.status("Ingesting"):
        result = run(place, lines, range_size, Simulated(mix, wire, eras), releases, profile)
    _show(result, json)


@app.command
def workers(
    *,
    workers: Annotated[int, Parameter(help="Workers, each a process with a core of its own.", validator=_SOME)] = 2,
    ranges: Annotated[int, Parameter(help="Ranges of each.", validator=_SOME)] = 3,
    range_size: Annotated[int, Parameter(help="Article numbers of a range.", validator=_MANY)] = 1_000_000,
    latency_ms: Annotated[float, Parameter(help="Round trip to the provider.")] = 0.0,
    connections: Annotated[int, Parameter(help="Connections of all workers together.")] = 8,
    folder: Folder = None,
    json: Json = False,
) -> None:
    """What workers that share a catalog add up to, beside one of them."""
    from benchmarks.workers import run

    with _kept_in(folder) as place, err.status("Ingesting"):
        result = run(place, workers, ranges, range_size, latency_ms, connections)
    _show(result, json)


@app.command
def orchestration(
    *,
    ranges: Annotated[int, Parameter(help="Ranges to backfill.", validator=_SOME)] = 8,
    range_size: Annotated[int, Parameter(help="Article numbers of a range.", validator=_MANY)] = 250_000,
    folder: Folder = None,
    json: Json = False,
) -> None:
    """Dagster's share of the CPU of a backfill."""
    from benchmarks.orchestration import run

    with _kept_in(folder) as place, err.status("Backfilling"):
        result = run(place, ranges, range_size)
    _show(result, json)


@app.command
def plan(
    *,
    ranges: Annotated[int, Parameter(help="Ranges to plan and to register in Dagster.", validator=_SOME)] = 264_000,
    groups: Annotated[
        int, Parameter(help="Groups to ask a simulated provider for, 100 ranges each.", validator=_SOME)
    ] = 100,
    folder: Folder = None,
    json: Json = False,
) -> None:
    """Planning: groups asked for their ranges; very many ranges in the catalog, in Dagster, and on its pages."""
    from benchmarks.planning import run

    with _kept_in(folder) as place, err.status("Planning"):
        result = run(place, ranges, groups)
    _show(result, json)


@app.command
def chunks(
    *,
    segments: Annotated[
        int, Parameter(help="Segments of each posting tool and of the mix.", validator=_MANY)
    ] = 100_000,
    json: Json = False,
) -> None:
    """The chunk codec by posting tool: bytes a segment, message-ids against their entropy, and against zstd and Parquet."""
    from benchmarks.chunks import run

    with err.status("Encoding"):
        result = run(segments)
    _show(result, json)


@app.command
def catalog(
    *,
    releases: Annotated[
        int, Parameter(help="Releases in the catalog; a tenth of them is measured first.", validator=_MANY)
    ] = 1_000_000,
    folder: Folder = None,
    json: Json = False,
) -> None:
    """The catalog at scale: bytes a release, searches, commits, probe queue and vacuum; 10,000,000 releases take 12 GB of disk."""
    from benchmarks.catalog import run

    with _kept_in(folder) as place, err.status("Filling") as status:
        result = run(place, releases, status.update)
    _show(result, json)


@app.command
def serve(
    *,
    releases: Annotated[int, Parameter(help="Releases in the catalog.", validator=_MANY)] = 1_000_000,
    seconds: Annotated[float, Parameter(help="Seconds of each load.")] = 3.0,
    folder: Folder = None,
    json: Json = False,
) -> None:
    """The server under load: searches, feeds and downloads at 1, 16 and 64 clients, NZBs of 10,000 and 100,000 segments, and memory."""
    from benchmarks.serve import run

    with _kept_in(folder) as place, err.status("Serving"):
        try:
            result = run(place, releases, seconds)
        except ValueError as error:
            fail(str(error))
    _show(result, json)


@app.command
def questions(
    *,
    lines: Annotated[
        int, Parameter(help="Overview lines; 100,000,000 take 6 GB of disk.", validator=_MANY)
    ] = 10_000_000,
    folder: Folder = None,
    json: Json = False,
) -> None:
    """The twenty questions of docs/analysts.md over so many lines of Parquet, beside a hundredth of them in Postgres."""
    from benchmarks.questions import run

    with _kept_in(folder) as place, err.status("Starting") as status:
        result = run(place, lines, status.update)
    _show(result, json)


@app.command
def layouts(
    *,
    lines: Annotated[int, Parameter(help="Overview lines, a fifth of each of five eras.")] = 1_000_000,
    folder: Folder = None,
    json: Json = False,
) -> None:
    """Overview files in other encodings, orders and levels, beside the compressed bytes of the provider."""
    from benchmarks.layouts import run

    with _kept_in(folder) as place, err.status("Writing"):
        result = run(place, lines)
    _show(result, json)


@app.command
def grouping(
    *,
    lines: Annotated[int, Parameter(help="Overview lines of the simulated history, over all its eras.")] = 2_100_000,
    range_size: Annotated[int, Parameter(help="Article numbers of a range.", validator=_MANY)] = 200_000,
    seed: Annotated[int, Parameter(help="Seed of the simulated history.")] = 1,
    mix: Annotated[str, Parameter(help="Mix of the simulated history.")] = "default",
    json: Json = False,
) -> None:
    """How well releases are found: beside what a simulated history truly holds, by obfuscation level and posting tool."""
    from benchmarks.grouping import run

    with err.status("Grouping"):
        result = run(lines, range_size, seed, mix)
    _show(result, json)


@app.command
def names(
    *,
    unique: Annotated[int, Parameter(help="Names to time.", validator=_MANY)] = 500_000,
    json: Json = False,
) -> None:
    """Random names told from readable ones: precision and recall over labelled names, and names per second."""
    from benchmarks.names import run

    with err.status("Judging names"):
        result = run(unique)
    _show(result, json)


@app.command
def peers(
    *,
    seed: Annotated[int, Parameter(help="Seed of the labelled corpus.")] = 1,
    json: Json = False,
) -> None:
    """Header rules beside those of other indexers over one labelled corpus: counters read wrong, releases split and merged."""
    from benchmarks.side_by_side import run

    with err.status("Comparing"):
        result = run(seed)
    _show(result, json)


@app.command
def signatures(
    *,
    lines: Annotated[int, Parameter(help="Overview lines of the simulated history, over all its eras.")] = 900_000,
    range_size: Annotated[int, Parameter(help="Article numbers of a range.", validator=_MANY)] = 100_000,
    seed: Annotated[int, Parameter(help="Seed of the simulated history.")] = 1,
    json: Json = False,
) -> None:
    """Proposed garbage signatures, accepted as they come, beside what a simulated history truly holds."""
    from benchmarks.signatures import run

    with err.status("Proposing"):
        result = run(lines, range_size, seed)
    _show(result, json)


@app.command
def estimate(
    *,
    lines: Annotated[int, Parameter(help="Article numbers of the simulated history.")] = 160_000_000,
    share: Annotated[float, Parameter(help="Share of its ranges in a sample.")] = 0.02,
    seeds: Annotated[int, Parameter(help="Samples to draw.", validator=_SOME)] = 400,
    made: Annotated[int, Parameter(help="Ranges to make, to compare the plan with.")] = 6,
    json: Json = False,
) -> None:
    """Estimates from small samples of a simulated history, beside its totals: errors, and how often the intervals hold them."""
    from benchmarks.estimate import run

    with err.status("Estimating"):
        result = run(lines, share, seeds, made)
    _show(result, json)


@app.command
def soak(
    *,
    minutes: Annotated[float, Parameter(help="How long; at least two passes over all ranges.")] = 120.0,
    folder: Folder = None,
    json: Json = False,
) -> None:
    """Make ranges again and again while provider, Postgres and disk fail: nothing is lost, nobody has to act, nothing grows."""
    from benchmarks.soak import run

    with _kept_in(folder) as place, err.status("Soaking"):
        result = run(place, minutes)
    _show(result, json)
    if result.manual_steps or result.out_of_balance or result.lines_changed:
        fail("a range needed a hand, lost lines, or came out otherwise than before; see the figures")


@contextmanager
def _kept_in(folder: Path | None) -> Iterator[Path]:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
        return
    with tempfile.TemporaryDirectory(prefix="overlake-bench-", ignore_cleanup_errors=True) as temporary:
        yield Path(temporary)


def _show(result: object, json: bool) -> None:
    if json:
        print_json(result)
        return
    table = Table("figure", "value")
    for name, value in asdict(result).items():  # pyright: ignore[reportArgumentType] - every benchmark returns a dataclass
        table.add_row(name, str(value))
    out.print(table)
