"""The garbage signature table: what it drops, and which ranges another one would change."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import polars as pl
from cyclopts import App, Parameter
from rich.table import Table

from cli import signature_files
from cli.console import out, print_json
from cli.options import DEFAULT_CONFIG, Config, Json
from pipeline.batch import Signature, SignatureTable
from pipeline.signatures import DEFAULT_TABLE
from store.catalog.connection import Catalog
from store.catalog.signatures import Dropped, changed_by, dropped_by_line
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
