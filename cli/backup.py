"""Backup of the catalog and of the chunk files it names, and the way back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from cli.console import err, fail, out, print_json, progress
from cli.options import DEFAULT_CONFIG, Config, Json
from store.backup import Contents, Progress, back_up
from store.backup import restore as restore_backup
from store.catalog.connection import Catalog
from store.configuration import load
from store.stores import chunk_disk


def backup(
    folder: Annotated[Path, Parameter(help="Where it goes: a new folder, or that of the last backup.")],
    *,
    with_chunks: Annotated[
        bool, Parameter(negative="", help="Copy the chunk files too, not only their list with sizes and checksums.")
    ] = False,
    config: Config = DEFAULT_CONFIG,
    json: Json = False,
) -> None:
    """Write the catalog and the list of its chunk files, of one moment, into FOLDER. Everything may go on running.

    Into the folder of the last backup, only files that are new since are read and copied. Exit status 1 when a chunk file could not be
    read; everything else is in the backup then.
    """
    settings = load(config)
    with Catalog.open(settings) as catalog, _counted("chunk files") as advance:
        made = back_up(catalog.dsn, chunk_disk(settings), folder, with_chunks, advance)
    _report(made, json, f"{folder}: the catalog ({made.catalog.bytes:,} bytes) and {_chunks(made)}")
    for path, message in list(made.left_out.items())[:10]:
        err.print(f"{path}: {message}", soft_wrap=True)
    if made.left_out:
        fail(
            f"{len(made.left_out)} chunk files could not be read and are not in the backup; run: overlake chunks verify"
        )


def restore(
    folder: Annotated[Path, Parameter(help="The folder of the backup.")],
    *,
    allow_missing: Annotated[
        bool, Parameter(negative="", help="Restore the catalog even where chunk files are neither here nor there.")
    ] = False,
    config: Config = DEFAULT_CONFIG,
    json: Json = False,
) -> None:
    """Put the backup in FOLDER into an empty catalog, and its chunk files where they are not in the store yet.

    Stopped in between, run it again.
    """
    settings = load(config)
    settings.data.mkdir(parents=True, exist_ok=True)
    with _counted("chunk files") as advance:
        restored = restore_backup(settings, chunk_disk(settings), folder, allow_missing, advance)
    # Brought up to the newest migration.
    with Catalog.open(settings):
        pass
    _report(restored, json, f"The catalog of {restored.made_at} and {_chunks(restored)} are restored")
    if not json:
        out.print("Next: overlake up, then overlake reconcile, which shows Dagster what is done.")


@contextmanager
def _counted(what: str) -> Iterator[Progress]:
    """A bar on the terminal, and what moves it."""
    with progress() as display:
        task = display.add_task(what, total=None)
        yield lambda done, total: display.update(task, completed=done, total=total)


def _chunks(contents: Contents) -> str:
    copied = "" if contents.with_chunks else " (their list only)"
    return f"{contents.chunk_files:,} chunk files of {contents.chunk_bytes:,} bytes{copied}"


def _report(contents: Contents, json: bool, sentence: str) -> None:
    if json:
        print_json(asdict(contents))
    else:
        out.print(sentence, soft_wrap=True)
