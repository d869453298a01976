"""The garbage signature table: what it drops, and which ranges another one would change."""

from __future__ import annotations

import json as json_text
import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import polars as pl
from cyclopts import App, Parameter
from rich.table import Table

from cli.console import fail, out, print_json
from cli.options import DEFAULT_CONFIG, Config, Json
from pipeline.batch import Signature, SignatureTable
from pipeline.signatures import DEFAULT_TABLE, check_line
from store.catalog.connection import Catalog
from store.catalog.signatures import changed_by, dropped_by_line
from store.catalog.versions import current_signatures, record_signatures
from store.configuration import load

app = App(
    name="signatures",
    help="Show and change the garbage signature table, and list the ranges a table would change.",
    help_epilogue=(
        "A table is a TOML file of [[signature]] entries with signature, verdict (drop or keep) and reason; the first that fits decides. A "
        "signature is template|poster|subject, with * for any part, or tool:Name. `overlake signatures show --toml` writes one."
    ),
)

File = Annotated[Path, Parameter(help="A TOML file of [[signature]] entries.")]


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
        out.print(_toml(table), end="", soft_wrap=True)
        return
    if json:
        lines = [
            {**asdict(line), "dropped": asdict(dropped[line.signature]) if line.signature in dropped else None}
            for line in table.signatures
        ]
        print_json({"version": table.version, "signatures": lines})
        return
    shown = Table(
        "signature", "verdict", "reason", "ranges", "files", "segments", title=f"Signature table {table.version}"
    )
    for line in table.signatures:
        counts = dropped.get(line.signature)
        numbers = (counts.ranges, counts.files, counts.segments) if counts else ("", "", "")
        shown.add_row(
            line.signature, line.verdict, line.reason, *(f"{number:,}" if number else "" for number in numbers)
        )
    out.print(shown)


@app.command
def changes(file: File | None = None, *, config: Config = DEFAULT_CONFIG, json: Json = False) -> None:
    """List the ranges and edges that FILE, or without it the table in force, would change if they were made again."""
    with Catalog.open(load(config)) as catalog:
        table = _in_force(catalog) if file is None else SignatureTable(0, _read(file))
        found = changed_by(catalog, table)
    _show_changes(found, json)


@app.command
def use(file: File, *, config: Config = DEFAULT_CONFIG, json: Json = False) -> None:
    """Put the table in FILE in force for all later runs, and list the ranges it changes."""
    _record(_read(file), config, json)


@app.command
def shipped(*, config: Config = DEFAULT_CONFIG, json: Json = False) -> None:
    """Put the table that this software ships with in force, and list the ranges it changes."""
    _record(DEFAULT_TABLE.signatures, config, json)


def _record(signatures: tuple[Signature, ...], config: Path, json: bool) -> None:
    with Catalog.open(load(config)) as catalog:
        table = record_signatures(catalog, signatures)
        found = changed_by(catalog, table)
    if not json:
        out.print(f"signature table {table.version} is in force")
    _show_changes(found, json)


def _show_changes(found: pl.DataFrame, json: bool) -> None:
    if json:
        print_json(found.to_dicts())
        return
    if found.is_empty():
        out.print("no range that is done would change")
        return
    table = Table("range", "edge", "segments back", "segments gone")
    for row in found.iter_rows(named=True):
        table.add_row(
            row["partition_key"] or f"{row['group']} {row['range_index']}",
            "above" if row["is_edge"] else "",
            f"{row['segments_back']:,}",
            f"{row['segments_gone']:,}",
        )
    out.print(table)
    out.print("materialize these ranges again, from the overview already there: release_chunks in Dagster")


def _in_force(catalog: Catalog) -> SignatureTable:
    table = current_signatures(catalog)
    return table if table.version else DEFAULT_TABLE


def _read(file: Path) -> tuple[Signature, ...]:
    try:
        entries = tomllib.loads(file.read_text()).get("signature", [])
    except OSError as error:
        fail(f"{file} cannot be read: {error.strerror}")
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        fail(f"{file} is no TOML file: {error}")
    signatures: list[Signature] = []
    for place, entry in enumerate(entries, 1):
        if set(entry) != {"signature", "verdict", "reason"} or not all(
            isinstance(text, str) for text in entry.values()
        ):
            fail(f"{file}: entry {place} must have the texts signature, verdict and reason, and nothing else")
        line = Signature(**entry)
        try:
            check_line(line)
        except ValueError as error:
            fail(f"{file}: entry {place}: {error}")
        signatures.append(line)
    if not signatures:
        fail(f"{file} has no [[signature]] entry; `overlake signatures show --toml` shows the form")
    return tuple(signatures)


def _toml(table: SignatureTable) -> str:
    # TOML's basic strings are written as JSON's are.
    entries = (
        "[[signature]]\n" + "".join(f"{name} = {json_text.dumps(text)}\n" for name, text in asdict(line).items())
        for line in table.signatures
    )
    return "\n".join(entries)
