"""Why things are read as they are."""

from __future__ import annotations

import sys
from typing import Annotated, Any
from uuid import UUID

from cyclopts import App, Parameter

from cli.console import err, fail, out, print_json
from cli.options import DEFAULT_CONFIG, Config, Json

app = App(
    name="explain",
    help="Say how subjects or overview lines on stdin are read, or why a release is as it is.",
    help_epilogue=(
        "One a line, mixed as you like: a line with TABs is an overview line (number, subject, From, date, message-id, references, "
        "bytes, lines, Xref), any other a subject. Blank lines are skipped. Bytes that are not UTF-8 are read as cp1252, else latin-1. "
        "Lines with TABs that are no overview lines are named on stderr, the others printed, and the exit status is 1. "
        "The grammar is in docs/subjects.md."
    ),
)

Rows = Annotated[
    bool,
    Parameter(
        name="--json",
        negative="",
        help="Print one JSON object a line with the keys kind (file; random: one random word; obfuscated: counters and nothing to group "
        "on; text), segment, segments, file, files, filename, release, repost, request_id, tool (told from the message-id of an "
        "overview line) and rule (how files are grouped, or why a line is set aside); null where absent.",
    ),
]

SHOWN = 10
"""Unreadable lines named one by one."""


@app.default
def explain(*, json: Rows = False) -> None:
    """Say how subjects or overview lines on stdin are read."""
    # Loading Polars takes longer than printing the help.
    from pipeline.explain import explain_lines, read_lines

    lines, unreadable = read_lines(sys.stdin.buffer.read())
    if lines.is_empty() and not unreadable:
        fail("nothing to explain; give subjects or overview lines on stdin, one a line")
    for subject, row in zip(lines["subject"], explain_lines(lines).iter_rows(named=True), strict=True):
        if json:
            print_json(row)
            continue
        out.print(subject, style="bold")
        for name, value in row.items():
            if value is not None:
                out.print(f"  {name:<12}{value}")
    for line in unreadable[:SHOWN]:
        err.print(f"line {line.place} is no overview line ({line.reason}): {line.raw[:120]!r}", soft_wrap=True)
    if unreadable:
        fail(f"{len(unreadable)} of {lines.height + len(unreadable)} lines have TABs but are no overview lines")


@app.command
def release(release_id: UUID, *, config: Config = DEFAULT_CONFIG, json: Json = False) -> None:
    """Say why release RELEASE-ID is as it is: what grouped and named it, what it lacks, and what each of its files says."""
    from dataclasses import asdict

    from pipeline.reasons import reasons, why_grouped, why_named
    from store.catalog.search import places
    from store.catalog.search import release as find
    from store.chunks import Place, fetch_record
    from store.configuration import load
    from store.stores import open_stores

    with open_stores(load(config)) as stores:
        found = find(stores.catalog, release_id)
        if found is None:
            fail(f"there is no release {release_id}; the id stands in its page's address and in feeds as guid")
        lying = places(stores.catalog, release_id)
        contents = [fetch_record(stores.disk, at.path, Place(at.offset, at.length, at.checksum)) for at in lying]
    told: dict[str, Any] = {
        **asdict(found),
        "why_grouped": why_grouped(found.grouped_by),
        "why_named": why_named(found.named_by),
        "made_of": [
            {**asdict(at), "files": reasons(content.files).to_dicts()}
            for at, content in zip(lying, contents, strict=True)
        ],
    }
    if json:
        print_json(told)
        return
    _show(told)


def _show(told: dict[str, Any]) -> None:
    out.print(told["name"], style="bold")
    out.print(f"  together because {told['why_grouped']} ({told['grouped_by']})")
    out.print(f"  named by {told['why_named']} ({told['named_by']})")
    expected = told["files_expected"]
    out.print(
        f"  {told['files']} of {'?' if expected is None else expected} files, {told['segments']} of {told['segments_expected']} segments"
    )
    if not told["readable_name"]:
        out.print(f"  its name is random; its signature {told['signature']} is not dropped by the signature table")
    for name in ("tool", "request_id", "repost_of"):
        if told[name]:
            out.print(f"  {name.replace('_', ' ')}: {told[name]}")
    if told["repost"]:
        out.print("  marked as a repost")
    for record in told["made_of"]:
        out.print(f"{record['path']} at {record['offset']}", style="bold")
        for file in record["files"]:
            out.print(f"  {file['name'] or file['subject']}")
            for name in ("subject", "title", "stem", "grouped_by", "identity", "pool"):
                if file[name]:
                    out.print(f"    {name.replace('_', ' '):<12}{file[name]}")
