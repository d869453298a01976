"""What the terminal sees: results on stdout (tables or JSON), progress and errors on stderr."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, is_dataclass
from datetime import date, datetime
from pathlib import Path
from typing import NoReturn
from uuid import UUID

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

# Subjects, names and error texts are full of brackets and colons: nothing that is printed is markup.
out = Console(markup=False, emoji=False, highlight=False)
err = Console(stderr=True, markup=False, emoji=False, highlight=False)


def print_json(value: object) -> None:
    """Write `value` (dataclasses, dates and paths included) as one JSON document on stdout."""
    sys.stdout.write(json.dumps(value, default=_plain, ensure_ascii=False) + "\n")


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return asdict(value)
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, UUID):
        return str(value)
    raise TypeError(f"{type(value).__name__} has no JSON form")


def fail(message: str, status: int = 1) -> NoReturn:
    """Say on stderr what is wrong and what to do, and end with `status`."""
    err.print("overlake: ", style="bold red", end="")
    err.print(message, soft_wrap=True)
    raise SystemExit(status)


def progress() -> Progress:
    """A progress display on stderr: spinner, bar, counts, elapsed and remaining time."""
    return Progress(
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=err,
    )
