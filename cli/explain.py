"""Why things are read as they are."""

from __future__ import annotations

import sys
from typing import Annotated

from cyclopts import App, Parameter

from cli.console import err, fail, out, print_json

app = App(
    name="explain",
    help="Say how subjects or overview lines on stdin are read.",
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
