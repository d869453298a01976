"""Why a subject is read as it is."""

from __future__ import annotations

import sys

from cli.console import err, fail, out, print_json
from cli.options import Json
from pipeline.explain import explain_subjects


def explain(*, json: Json = False) -> None:
    """Read subjects (one a line) or whole overview lines (TAB-separated) from stdin and say what each is.

    With --json: one object a line with the keys kind, segment, segments, file, files, filename, release, repost, request_id, tool, rule.
    """
