"""Backup and restore: a dump of the catalog, and the manifest of the chunk files that the same moment of the catalog names.

A backup is a folder:

- `backup.json` says what the backup consists of. It is replaced last, so the folder holds the old backup or the new one, whole.
- `catalog-T.dump`, of pg_dump, in its custom format.
- `chunks-T.csv`: path, bytes and SHA-256 of every chunk file that was published at that moment.
- `chunks/`: copies of the files, where they were asked for.
"""

from __future__ import annotations

import csv
import fcntl
import hashlib
import json
import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import psycopg
from psycopg import Connection
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from catalog_sql import query
from store.catalog.collect import FOLDER
from store.catalog.connection import DATABASE, CatalogUnavailable
from store.configuration import Settings
from store.disk import Disk, LocalDisk
from store.postgres import EmbeddedPostgres, PostgresFailed, client_program

FORMAT = 1

PIECE = 16 * 2**20
"""Bytes read at once while a file is copied."""

_CONTENTS = "backup.json"
_LOCK = "overlake-backup.lock"
_KEEP_FILES, _RESTORE = (5, 0), (6, 0)
"""Advisory locks: while the first is held, nothing is collected (queries/retired_files.sql); the second is held by a restore."""

_NO_LIMIT = "-c timezone=UTC -c idle_in_transaction_session_timeout=0"


class BackupFailed(RuntimeError):
    """The backup cannot be made or restored; the message says what to do. What was there before is as it was."""


@dataclass(frozen=True, slots=True)
class ChunkEntry:
    """A line of the manifest."""

    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Part:
    """A file of a backup."""

    file: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Contents:
    """What a backup consists of.

    Attributes:
        format: version of this layout.
        software: version of Overlake that made it.
        made_at: the moment it shows, ISO 8601.
        catalog: the dump.
        manifest: the manifest.
        chunk_files: files in the manifest.
        chunk_bytes: their size.
        with_chunks: whether their copies are in the folder.
        left_out: what is wrong with published files that could not be read, by path.
    """

    format: int
    software: str
    made_at: str
    catalog: Part
    manifest: Part
    chunk_files: int
    chunk_bytes: int
    with_chunks: bool
    left_out: dict[str, str]


Progress = Callable[[int, int], None]
"""Called with the files done and the files there are."""


def back_up(dsn: str, disk: Disk, folder: Path, with_chunks: bool, progress: Progress) -> Contents:
    """Write a backup into `folder`, in place of the one there. Runs, searches and downloads go on meanwhile; nothing is collected.

    Files the last backup has are neither read nor copied again: chunk files never change.

    Raises:
        BackupFailed: the folder is in use or holds something else, or pg_dump failed.
        CatalogUnavailable: Postgres does not answer.
        DiskError: the folder's disk is full or fails; the last backup is as it was.
    """
    with _folder(folder) as target, _snapshot(dsn) as (connection, snapshot):
        made_at = datetime.now(UTC)
        stamp = made_at.strftime("%Y%m%dT%H%M%S%f")
        published = connection.execute(query("published_sizes")).fetchall()
        catalog = _dump(connection, dsn, snapshot, folder / f"catalog-{stamp}.dump")
        known = {entry.path: entry for entry in _last_entries(folder)}
        entries: list[ChunkEntry] = []
        left_out: dict[str, str] = {}
        for done, (path, size) in enumerate(published, 1):
            try:
                entries.append(_entry(disk, target if with_chunks else None, path, size, known.get(path)))
            except (BackupFailed, FileNotFoundError) as error:
                left_out[path] = str(error)
            progress(done, len(published))
        contents = Contents(
            format=FORMAT,
            software=version("overlake"),
            made_at=made_at.isoformat(),
            catalog=catalog,
            manifest=_write_manifest(folder / f"chunks-{stamp}.csv", entries),
            chunk_files=len(entries),
            chunk_bytes=sum(entry.bytes for entry in entries),
            with_chunks=with_chunks,
            left_out=left_out,
        )
        _publish(target, contents)
        _sweep(target, folder, contents, entries)
    return contents


def restore(settings: Settings, disk: Disk, folder: Path, allow_missing: bool, progress: Progress) -> Contents:
    """Put a backup into an empty catalog, and its chunk files onto `disk` where they are not there yet. Stopped, it can be run again.

    The files come first: a catalog never names one that is still to come.

    Raises:
        BackupFailed: no whole backup is there, it is damaged, the catalog is not empty, or files are missing and `allow_missing` is not set.
        CatalogUnavailable: Postgres does not answer.
        DiskError: a chunk file could not be written.
    """
    contents = read_contents(folder)
    for part in (contents.catalog, contents.manifest):
        _check(folder, part)
    dsn = _database(settings)
    with _connected(dsn) as guard:
        if not guard.execute("SELECT pg_try_advisory_lock(%s, %s)", _RESTORE).fetchone() == (True,):
            raise BackupFailed("another restore into this catalog is under way")
        _must_be_empty(guard)
        entries = list(_read_manifest(folder / contents.manifest.file))
        missing: list[str] = []
        for done, entry in enumerate(entries, 1):
            if not _bring(LocalDisk(folder), disk, entry):
                missing.append(entry.path)
            progress(done, len(entries))
        if missing and not allow_missing:
            raise BackupFailed(
                f"{len(missing)} chunk files are neither in {folder} nor in the store, the first {missing[0]}; copy them there and restore again, or give --allow-missing and materialize their ranges afterwards"
            )
        # With the migrations' own tables: the dump brings them as they were.
        guard.execute("DROP SCHEMA public CASCADE")
        guard.execute("CREATE SCHEMA public")
        _load(guard, dsn, folder / contents.catalog.file)
        guard.execute("SELECT pg_advisory_unlock(%s, %s)", _RESTORE)
    return contents


def read_contents(folder: Path) -> Contents:
    """What the backup in a folder consists of.

    Raises:
        BackupFailed: there is none, or one of newer software.
    """
    try:
        facts: dict[str, Any] = json.loads((folder / _CONTENTS).read_text())
        if facts["format"] != FORMAT:
            raise BackupFailed(f"the backup in {folder} has format {facts['format']}, this software reads {FORMAT}")
        parts: dict[str, Any] = {name: Part(**facts[name]) for name in ("catalog", "manifest")}
        return Contents(**(facts | parts))
    except FileNotFoundError as error:
        raise BackupFailed(f"{folder} holds no finished backup: it has no {_CONTENTS}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise BackupFailed(f"{folder / _CONTENTS} cannot be read ({error}); take an older backup") from error


@contextmanager
def _folder(folder: Path) -> Iterator[LocalDisk]:
    """The folder of a backup, held for one process; one that holds anything else is not touched."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / _LOCK).exists() and any(folder.iterdir()):
        raise BackupFailed(f"{folder} holds something else than a backup; name a new or empty folder")
    with (folder / _LOCK).open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BackupFailed(f"another backup into {folder} is under way") from error
        yield LocalDisk(folder)


@contextmanager
def _snapshot(dsn: str) -> Iterator[tuple[Connection[Any], str]]:
    """A connection that sees one moment of the catalog, and its name for pg_dump; nothing of that moment is collected until the end."""
    with _connected(dsn) as guard, _connected(dsn) as connection:
        guard.execute("SELECT pg_advisory_lock_shared(%s, %s)", _KEEP_FILES)
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        ((snapshot,),) = connection.execute("SELECT pg_export_snapshot()")
        yield connection, snapshot
        # A server takes a moment to see that a connection is closed.
        guard.execute("SELECT pg_advisory_unlock_shared(%s, %s)", _KEEP_FILES)


@contextmanager
def _connected(dsn: str) -> Iterator[Connection[Any]]:
    try:
        with psycopg.connect(dsn, autocommit=True, connect_timeout=10, options=_NO_LIMIT) as connection:
            yield connection
    except psycopg.OperationalError as error:
        raise CatalogUnavailable(
            f"the catalog's Postgres does not answer ({' '.join(str(error).split())}); run again"
        ) from error


def _dump(connection: Connection[Any], dsn: str, snapshot: str, path: Path) -> Part:
    with _private(path) as file:
        _run(connection, dsn, "pg_dump", ["--format=custom", f"--snapshot={snapshot}"], file.fileno())
        os.fdatasync(file.fileno())
    return _part(path)


def _load(connection: Connection[Any], dsn: str, path: Path) -> None:
    # The dump makes the schema as well where it was not the default one.
    options = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges", str(path)]
    _run(connection, dsn, "pg_restore", options, subprocess.DEVNULL)


def _run(connection: Connection[Any], dsn: str, program: str, options: list[str], output: int) -> None:
    """Run a client program of Postgres; the password is in its environment, which others cannot see, not among its arguments."""
    facts = conninfo_to_dict(dsn)
    secret = facts.pop("password", None)
    environment = {**os.environ, **({"PGPASSWORD": str(secret)} if secret else {})}
    command = [str(client_program(program, connection.info.server_version // 10_000)), *options]
    command.append(f"--dbname={make_conninfo('', **{key: value for key, value in facts.items() if value is not None})}")
    done = subprocess.run(  # noqa: S603
        command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, env=environment, check=False
    )
    if done.returncode:
        told = " ".join(done.stderr.decode(errors="replace").split()[:80])
        raise BackupFailed(f"{program} failed: {told}")


def _entry(source: Disk, target: LocalDisk | None, path: str, size: int, known: ChunkEntry | None) -> ChunkEntry:
    """The manifest's line of a file, copied to `target` when it is not there yet."""
    is_there = target is None or _size(target, path) == size
    if known is not None and known.bytes == size and is_there:
        return known
    if target is None or is_there:
        digest, length = hashlib.sha256(), 0
        for piece in _pieces(source, path):
            digest.update(piece)
            length += len(piece)
        entry = ChunkEntry(path, length, digest.hexdigest())
    else:
        entry = _copy(source, target, path)
    if entry.bytes != size:
        raise BackupFailed(f"{path} has {entry.bytes} bytes, the catalog says {size}; run: overlake chunks verify")
    return entry


def _bring(backup: LocalDisk, store: Disk, entry: ChunkEntry) -> bool:
    """Put a file of the manifest into the store unless it is there; false when the backup does not have it."""
    if _size(store, entry.path) == entry.bytes:
        return True
    if _size(backup, entry.path) is None:
        return False
    copied = _copy(backup, store, entry.path, entry)
    return copied == entry


def _copy(source: Disk, target: Disk, path: str, expected: ChunkEntry | None = None) -> ChunkEntry:
    """Copy a file, which appears whole or not at all; nothing appears when it is not the expected one.

    Raises:
        BackupFailed: it is another than expected.
    """
    digest, replacement = hashlib.sha256(), target.replace(path)
    try:
        for piece in _pieces(source, path):
            digest.update(piece)
            replacement.file.write(piece)
        entry = ChunkEntry(path, replacement.file.tell(), digest.hexdigest())
        if expected is not None and entry != expected:
            raise BackupFailed(f"{source.location(path)} is not what was backed up; take it from another backup")
        replacement.commit()
    finally:
        replacement.discard()
    return entry


def _pieces(disk: Disk, path: str) -> Iterator[bytes]:
    offset = 0
    while piece := disk.read(path, offset, PIECE):
        offset += len(piece)
        yield piece


def _size(disk: Disk, path: str) -> int | None:
    try:
        return disk.size(path)
    except FileNotFoundError:
        return None


def _last_entries(folder: Path) -> list[ChunkEntry]:
    """The manifest of the last backup, empty when there is none that can be trusted."""
    try:
        contents = read_contents(folder)
        _check(folder, contents.manifest)
    except BackupFailed:
        return []
    return list(_read_manifest(folder / contents.manifest.file))


def _write_manifest(path: Path, entries: list[ChunkEntry]) -> Part:
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(ChunkEntry.__slots__)
        writer.writerows((entry.path, entry.bytes, entry.sha256) for entry in entries)
        file.flush()
        os.fdatasync(file.fileno())
    return _part(path)


def _read_manifest(path: Path) -> Iterator[ChunkEntry]:
    with path.open(newline="") as file:
        for row in csv.DictReader(file):
            yield ChunkEntry(row["path"], int(row["bytes"]), row["sha256"])


def _publish(target: LocalDisk, contents: Contents) -> None:
    replacement = target.replace(_CONTENTS)
    try:
        replacement.file.write(json.dumps(asdict(contents), indent=1).encode() + b"\n")
        replacement.commit()
    finally:
        replacement.discard()


def _sweep(target: LocalDisk, folder: Path, contents: Contents, entries: list[ChunkEntry]) -> None:
    """Delete what earlier and interrupted backups left."""
    kept = {contents.catalog.file, contents.manifest.file}
    for left in (*folder.glob("catalog-*.dump"), *folder.glob("chunks-*.csv")):
        if left.name not in kept:
            left.unlink(missing_ok=True)
    if contents.with_chunks:
        wanted = {entry.path for entry in entries}
        for file in list(target.list(FOLDER)):
            if file.path not in wanted:
                target.delete(file.path)


def _check(folder: Path, part: Part) -> None:
    try:
        found = _part(folder / part.file)
    except FileNotFoundError as error:
        raise BackupFailed(f"{folder / part.file} is missing; take an older backup") from error
    if found != part:
        raise BackupFailed(f"{folder / part.file} is not what was written; take an older backup")


def _part(path: Path) -> Part:
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return Part(path.name, path.stat().st_size, digest)


@contextmanager
def _private(path: Path) -> Iterator[Any]:
    """A new file that only its owner may read: it holds the hashes of the API keys."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        yield file


def _database(settings: Settings) -> str:
    """Address of the database to restore into, made where it is the embedded server's; not migrated: the dump brings all tables."""
    if settings.catalog.dsn is not None:
        return settings.catalog.dsn.get_secret_value()
    postgres = EmbeddedPostgres(settings.data / "postgres")
    try:
        postgres.start()
    except PostgresFailed as error:
        raise CatalogUnavailable(str(error)) from error
    postgres.create_database(DATABASE)
    return postgres.dsn(DATABASE)


def _must_be_empty(connection: Connection[Any]) -> None:
    try:
        ((is_empty,),) = connection.execute(query("is_empty"))
    except psycopg.errors.UndefinedTable:
        # Never migrated, or a restore was stopped; but another program's tables are nothing to drop.
        ((is_empty,),) = connection.execute("SELECT NOT EXISTS (SELECT FROM pg_tables WHERE schemaname = 'public')")
    if not is_empty:
        raise BackupFailed(
            "the catalog is not empty; restore into a new one (another data folder, or another catalog.dsn)"
        )
