"""The garbage signature table: what it drops, and which ranges another one would change."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import polars as pl
from cyclopts import App, Parameter
from rich.prompt import Prompt
from rich.table import Table

from cli import signature_files
from cli.console import err, fail, out, print_json
from cli.options import DEFAULT_CONFIG, Config, Json
from pipeline.batch import Signature, SignatureTable
from pipeline.signatures import DEFAULT_TABLE, DROP, KEEP
from store.catalog import signature_review
from store.catalog.connection import Catalog
from store.catalog.signature_review import OPEN, STATES, Proposal, list_proposals
from store.catalog.signatures import Dropped, changed_by, dropped_by_line, saved_by
from store.catalog.versions import current_signatures, record_signatures
from store.configuration import load

app = App(
    name="signatures",
    help="Show and change the garbage signature table, and list the ranges a table would change.",
    help_epilogue=(
        "A table is a TOML file of [[signature]] entries with signature, verdict (drop or keep) and reason, or a CSV file with these "
        "columns; the first line that fits decides. A signature is template|poster|subject, with * for any part, or tool:Name. "
        "`overlake signatures show --toml` writes one."
    ),
)

File = Annotated[
    Path, Parameter(help="A TOML file of [[signature]] entries, or a CSV file of signature,verdict,reason.")
]


@app.command
def show(
    *,
    toml: Annotated[bool, Parameter(negative="", help="Print it as the TOML file that `use` takes.")] = False,
    config: Config = DEFAULT_CONFIG,
    json: Json = False,
) -> None:
    """Show the table in force, and what each of its lines dropped so far."""
    with Catalog.open(load(config)) as catalog:
        table, dropped = _in_force(catalog), dropped_by_line(catalog)
    if toml:
        sys.stdout.write(signature_files.toml(table.signatures))
        return
    in_table = {line.signature for line in table.signatures}
    earlier = [counts for signature, counts in sorted(dropped.items()) if signature not in in_table]
    if json:
        lines = [{**asdict(line), "dropped": dropped.get(line.signature)} for line in table.signatures]
        print_json({"version": table.version, "signatures": lines, "dropped_by_earlier_tables": earlier})
        return
    shown = Table(
        "signature",
        "verdict",
        "reason",
        "ranges",
        "edges",
        "files",
        "segments",
        "MB",
        title=f"Signature table {table.version}",
    )
    for line in table.signatures:
        shown.add_row(line.signature, line.verdict, line.reason, *_cells(dropped.get(line.signature)))
    for counts in earlier:
        shown.add_row(counts.signature, "", "line of an earlier table", *_cells(counts))
    out.print(shown)


@app.command
def changes(file: File | None = None, *, config: Config = DEFAULT_CONFIG, json: Json = False) -> None:
    """List the ranges and edges that FILE, or without it the table in force, would change if they were made again."""
    signatures = None if file is None else signature_files.read(file)
    with Catalog.open(load(config)) as catalog:
        found = changed_by(catalog, _in_force(catalog) if signatures is None else SignatureTable(0, signatures))
    if json:
        print_json(found.to_dicts())
    else:
        _show_changes(found)


@app.command
def use(file: File, *, config: Config = DEFAULT_CONFIG, json: Json = False) -> None:
    """Put the table in FILE in force for all later runs, and list the ranges it changes."""
    _record(signature_files.read(file), config, json)


@app.command
def shipped(*, config: Config = DEFAULT_CONFIG, json: Json = False) -> None:
    """Put the table that this software ships with in force, and list the ranges it changes."""
    _record(DEFAULT_TABLE.signatures, config, json)


@app.command
def propose(*, config: Config = DEFAULT_CONFIG, json: Json = False) -> None:
    """Measure the signatures of releases with random names, and propose what the table should drop or keep."""
    from cli.work import materialize_here

    with err.status("Measuring signatures"):
        result = materialize_here(config, ["garbage_signatures"])["garbage_signatures"]
    if json:
        print_json(result)
    else:
        out.print(f"{result['signatures']} signatures with random names, {result['proposed']} proposals")
        _show_proposals(_proposals(config, (OPEN,)))


@app.command
def proposals(
    *,
    every: Annotated[bool, Parameter(name="--all", negative="", help="Decided ones too.")] = False,
    config: Config = DEFAULT_CONFIG,
    json: Json = False,
) -> None:
    """List the proposals with their evidence and the cost of being wrong."""
    found = _proposals(config, STATES if every else (OPEN,))
    if json:
        print_json(found)
    else:
        _show_proposals(found)


@app.command
def review(
    *,
    accept: Annotated[tuple[int, ...], Parameter(help="Accept these proposals.", negative="")] = (),
    reject: Annotated[
        tuple[int, ...], Parameter(help="Reject these proposals; they are not made again.", negative="")
    ] = (),
    accept_all: Annotated[
        bool, Parameter(negative="", help="Accept every open proposal that is not rejected.")
    ] = False,
    config: Config = DEFAULT_CONFIG,
    json: Json = False,
) -> None:
    """Decide about proposals: the numbered ones, or without any, one after the other by asking.

    Accepted lines become a new version of the table that goes with every later run. When asked, `e` edits a line before it is accepted.
    """
    with Catalog.open(load(config)) as catalog:
        accepted, rejected = list(accept), list(reject)
        if both := sorted({*accepted} & {*rejected}):
            fail(f"proposal {both[0]} cannot be both accepted and rejected")
        if accept_all:
            accepted = [one.proposal_id for one in list_proposals(catalog) if one.proposal_id not in rejected]
        elif not accepted and not rejected:
            accepted, rejected = _asked(catalog)
        if rejected:
            signature_review.reject(catalog, rejected)
        table = signature_review.accept(catalog, accepted) if accepted else _in_force(catalog)
        found = changed_by(catalog, table)
    if json:
        print_json({"accepted": accepted, "rejected": rejected, "version": table.version, "changes": found.to_dicts()})
        return
    out.print(f"{len(accepted)} accepted, {len(rejected)} rejected. Signature table {table.version} is in force.")
    if accepted:
        _show_changes(found)


@app.command(name=["stale", "--stale"])
def stale(*, config: Config = DEFAULT_CONFIG, json: Json = False) -> None:
    """List the ranges that were made under other verdicts than the table in force, and what making them again would save."""
    with Catalog.open(load(config)) as catalog:
        found = changed_by(catalog, _in_force(catalog))
        saved = saved_by(catalog, found)
    if json:
        print_json({"changes": found.to_dicts(), **asdict(saved)})
        return
    _show_changes(found)
    if not found.is_empty():
        out.print(
            f"That takes {saved.segments_gone:,} segments out and brings {saved.segments_back:,} back: about {saved.chunk_bytes / 1e6:,.1f} MB "
            f"of chunk files less, at {saved.bytes_per_segment:.1f} bytes a segment.",
            soft_wrap=True,
        )


def _asked(catalog: Catalog) -> tuple[list[int], list[int]]:
    """The numbers a person accepts and rejects, proposal by proposal."""
    accepted: list[int] = []
    rejected: list[int] = []
    for one in list_proposals(catalog):
        _show_proposals([one])
        answer = Prompt.ask(
            "accept, reject, edit, skip, quit", console=err, choices=["a", "r", "e", "s", "q"], default="s"
        )
        if answer == "q":
            break
        if answer == "e":
            line = Signature(
                Prompt.ask("signature", console=err, default=one.signature),
                Prompt.ask("verdict", console=err, choices=[DROP, KEEP], default=one.verdict),
                Prompt.ask("reason", console=err, default=one.reason),
            )
            signature_review.edit(catalog, one.proposal_id, line)
        if answer in "ae":
            accepted.append(one.proposal_id)
        if answer == "r":
            rejected.append(one.proposal_id)
    return accepted, rejected


def _proposals(config: Path, states: Sequence[str]) -> list[Proposal]:
    with Catalog.open(load(config)) as catalog:
        return list_proposals(catalog, states)


def _show_proposals(found: Sequence[Proposal]) -> None:
    if not found:
        out.print("Nothing is proposed.")
    for one in found:
        shown = Table(
            show_header=False,
            title=f"{one.proposal_id}: {one.verdict} {one.signature} ({one.state})",
            title_justify="left",
        )
        shown.add_row("why", one.reason)
        shown.add_row("cost", one.cost)
        shown.add_row(
            "size",
            f"{one.articles:,} articles of {one.article_bytes:,} bytes, {one.releases:,} releases, {one.bytes / 1e9:,.2f} GB",
        )
        shown.add_row("complete", _share(one.completeness))
        shown.add_row("crossposted", _share(one.crossposted))
        shown.add_row("lifetime", "" if one.lifetime_days is None else f"{one.lifetime_days:,.1f} days")
        shown.add_row("posters", f"{one.posters:,}" if one.posters else "")
        shown.add_row("groups", ", ".join(one.groups))
        shown.add_row("tools", ", ".join(one.tools))
        shown.add_row("signatures", ", ".join(one.members))
        shown.add_row("examples", "; ".join(one.examples))
        out.print(shown)


def _share(value: float | None) -> str:
    return "" if value is None else f"{value:.0%}"


def _record(signatures: Sequence[Signature], config: Path, json: bool) -> None:
    with Catalog.open(load(config)) as catalog:
        table = SignatureTable(0, tuple(signatures))
        found, before = changed_by(catalog, table), current_signatures(catalog)
        recorded = record_signatures(catalog, signatures)
    if json:
        print_json(
            {"version": recorded.version, "new": recorded.version != before.version, "changes": found.to_dicts()}
        )
        return
    was = "is in force" if recorded.version != before.version else "was in force already"
    out.print(f"Signature table {recorded.version} {was}.")
    _show_changes(found)


def _show_changes(found: pl.DataFrame) -> None:
    if found.is_empty():
        out.print("No range that is done would change.")
        return
    table = Table("range", "edge", "segments back", "segments gone")
    for row in found.iter_rows(named=True):
        table.add_row(
            row["partition_key"] or f"{row['group']} {row['range_index']}",
            f"{row['range_index']} to {row['range_index'] + 1}" if row["is_edge"] else "",
            f"{row['segments_back']:,}",
            f"{row['segments_gone']:,}",
        )
    out.print(table)
    out.print(
        "To make them again from the overview files: overlake backfill --chunks-only --range KEY [--range KEY ...]",
        soft_wrap=True,
    )


def _cells(counts: Dropped | None) -> tuple[str, ...]:
    if counts is None:
        return ("",) * 5
    numbers = (counts.ranges, counts.edges, counts.files, counts.segments)
    return (*(f"{number:,}" for number in numbers), f"{counts.bytes / 1e6:,.1f}")


def _in_force(catalog: Catalog) -> SignatureTable:
    """The table later runs use; before any was recorded the shipped one, which the first plan records."""
    table = current_signatures(catalog)
    return table if table.version else DEFAULT_TABLE
