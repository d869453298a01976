"""Why a subject is read as it is."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

from cli.console import fail, out, print_json
from cli.options import Json


def explain(*, json: Json = False) -> None:
    """Read subjects (one a line) or whole overview lines (TAB-separated) from stdin and say what each is.

    With --json: one object a line with the keys kind, segment, segments, file, files, filename, release, repost, request_id, tool, rule.
    """
    from pipeline.explain import explain_lines, explain_subjects
    from pipeline.overview import parse

    raw = sys.stdin.buffer.read()
    lines = [line for line in raw.split(b"\n") if line.strip()]
    if not lines:
        fail("nothing to explain; give subjects or overview lines on stdin, one a line")
    if b"\t" in lines[0]:
        parsed = parse(b"\n".join(lines) + b"\n", 0, 2**62, datetime.now(UTC))
        shown, explained = parsed.overview["subject"].to_list(), explain_lines(parsed.overview)
        if parsed.rejected.height:
            fail(
                f"{parsed.rejected.height} of {parsed.lines} lines are not overview lines; the first is {bytes(parsed.rejected['raw'][0])[:200]!r}"
            )
    else:
        shown = [line.rstrip(b"\r").decode("utf-8", "replace") for line in lines]
        explained = explain_subjects(shown)
    if json:
        for row in explained.iter_rows(named=True):
            print_json(row)
        return
    for subject, row in zip(shown, explained.iter_rows(named=True), strict=True):
        out.print(subject, style="bold")
        for name, value in row.items():
            if value is not None:
                out.print(f"  {name:<12}{value}")
