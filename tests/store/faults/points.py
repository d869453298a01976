"""Every step a materialization takes on the disk and in the catalog, counted as they come, so that a fault can be put at each.

The seam is what the production code calls anyway: the `os` functions below `store.disk`, and psycopg's cursors and connections.
Only what the main thread does is counted. Everything here is patched in a child process that ends with its one run.
"""

from __future__ import annotations

import base64
import io
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import Connection

import catalog_sql
from catalog_sql import query


@dataclass
class Step:
    """One step that is about to be taken. A fault may raise, kill, shorten `data`, or leave something to do `after` it."""

    phase: str
    label: str
    kind: str
    connection: Connection[Any] | None = None
    data: bytes = b""
    after: Callable[[], None] = lambda: None


Fault = Callable[[Step], None]


class Points:
    """Counts steps; the one whose number is `at` meets `fault`.

    Attributes:
        steps: phase, label and kind of every step so far.
        phase: the call of the materialization that is under way.
    """

    def __init__(self, fault: Fault, at: int | None) -> None:
        self.steps: list[tuple[str, str, str]] = []
        self.phase = ""
        self._fault = fault
        self._at = at
        self._busy = False

    def reach(self, label: str, kind: str, connection: Connection[Any] | None = None, data: bytes = b"") -> Step:
        step = Step(self.phase, label, kind, connection, data)
        if self._busy or threading.current_thread() is not threading.main_thread():
            return step
        self.steps.append((step.phase, step.label, step.kind))
        if self._at is None or len(self.steps) - 1 == self._at:
            self._uncounted(lambda: self._fault(step))
            after = step.after
            step.after = lambda: self._uncounted(after)
        return step

    def _uncounted(self, work: Callable[[], None]) -> None:
        self._busy = True
        try:
            work()
        finally:
            self._busy = False


class Journal:
    """What a power cut would undo: entries of folders that were not synced, and contents that were not.

    Kept in a file, since it is the kernel that forgets, whichever processes wrote.
    """

    def __init__(self, file: Path) -> None:
        self._file = file

    def note(self, event: str, path: str, saved: bytes | None = None) -> None:
        line = json.dumps([event, path, None if saved is None else base64.b64encode(saved).decode()]) + "\n"
        descriptor = _os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        _os.write(descriptor, line.encode())
        _os.close(descriptor)

    def cut(self) -> None:
        """The power goes: nothing lasts but what was synced."""
        entries: list[tuple[str, str, str | None]] = []
        unsynced: set[str] = set()
        for line in self._file.read_text().splitlines() if self._file.exists() else ():
            event, path, saved = json.loads(line)
            if event == "contents synced":
                unsynced.discard(path)
            elif event == "folder synced":
                entries = [entry for entry in entries if str(Path(entry[1]).parent) != path]
            else:
                entries.append((event, path, saved))
                if event == "created":
                    unsynced.add(path)
        for event, path, saved in reversed(entries):
            if event == "folder made":
                shutil.rmtree(path, ignore_errors=True)
            elif saved is not None and Path(path).parent.is_dir():
                Path(path).write_bytes(base64.b64decode(saved))
            elif saved is None and Path(path).exists():
                _os.unlink(path)
        for path in unsynced:
            if Path(path).exists():
                _os.truncate(path, Path(path).stat().st_size // 2)
        self._file.write_bytes(b"")


class _Real:
    """The functions as they were before any patch."""

    def __init__(self) -> None:
        for name in (
            "open",
            "close",
            "write",
            "fsync",
            "fdatasync",
            "fdopen",
            "mkdir",
            "unlink",
            "truncate",
            "replace",
        ):
            setattr(self, name, getattr(os, name))

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(name)


_os = _Real()


def watch_disk(points: Points, root: Path, journal: Journal) -> None:  # noqa: C901 - one function a call
    """Count what happens to files below `root`."""
    opened: dict[int, str] = {}

    def inside(path: Any) -> bool:
        return not isinstance(path, int) and os.fspath(path).startswith(str(root))

    def open_(path: Any, flags: int, mode: int = 0o777, **named: Any) -> int:
        makes = inside(path) and flags & os.O_CREAT
        step = points.reach("create the file", "disk") if makes else None
        descriptor = _os.open(path, flags, mode, **named)
        if isinstance(path, str | Path):
            opened[descriptor] = str(path)
        if makes:
            journal.note("created", str(path))
        if step:
            step.after()
        return descriptor

    def fsync(descriptor: int) -> None:
        path = opened.get(descriptor, "")
        if not path.startswith(str(root.parent)):
            return _os.fsync(descriptor)
        step = points.reach("fsync the folder", "disk")
        journal.note("folder synced", path)
        return step.after()

    def fdatasync(descriptor: int) -> None:
        step = points.reach("fdatasync the file", "disk")
        journal.note("contents synced", opened[descriptor])
        step.after()

    def mkdir(path: Any, mode: int = 0o777, **named: Any) -> None:
        if not inside(path):
            return _os.mkdir(path, mode, **named)
        step = points.reach("make the folder", "disk")
        _os.mkdir(path, mode, **named)
        journal.note("folder made", str(path))
        return step.after()

    def unlink(path: Any, **named: Any) -> None:
        if not inside(path):
            return _os.unlink(path, **named)
        step = points.reach("unlink the file", "disk")
        saved = Path(path).read_bytes() if Path(path).exists() else None
        _os.unlink(path, **named)
        journal.note("unlinked", str(path), saved)
        return step.after()

    def replace(source: Any, target: Any, **named: Any) -> None:
        if not inside(target):
            return _os.replace(source, target, **named)
        step = points.reach("rename the file", "disk")
        saved = Path(target).read_bytes() if Path(target).exists() else None
        _os.replace(source, target, **named)
        journal.note("renamed", str(target), saved)
        return step.after()

    class Raw(io.FileIO):
        def write(self, data: Any) -> int:
            step = points.reach("write the file", "write", data=bytes(data))
            done = super().write(step.data)
            step.after()
            return done

    def fdopen(descriptor: int, mode: str = "r", *rest: Any, **named: Any) -> Any:
        if mode == "wb" and opened.get(descriptor, "").startswith(str(root)):
            return io.BufferedWriter(Raw(descriptor, "w"))
        return _os.fdopen(descriptor, mode, *rest, **named)

    os.open, os.fsync, os.fdatasync, os.mkdir, os.unlink = open_, fsync, fdatasync, mkdir, unlink
    os.fdopen, os.replace = fdopen, replace


_QUERIES = {query(file.stem): file.stem for file in sorted(Path(catalog_sql.__file__).parent.glob("queries/*.sql"))}


def watch_catalog(points: Points) -> None:
    """Count every statement, every COPY (begun and ended) and every COMMIT."""
    cursors: Any = psycopg.Cursor
    connections: Any = psycopg.Connection
    execute, copy, commit = cursors.execute, cursors.copy, connections.commit

    def label(text: Any) -> str:
        return _QUERIES.get(text) or " ".join(str(text).split()[:4])

    def watched_execute(self: Any, text: Any, *rest: Any, **named: Any) -> Any:
        if not text:  # the pool asks whether the connection lives
            return execute(self, text, *rest, **named)
        step = points.reach(label(text), "statement", self.connection)
        done = execute(self, text, *rest, **named)
        step.after()
        return done

    @contextmanager
    def watched_copy(self: Any, text: Any, *rest: Any, **named: Any) -> Iterator[Any]:
        points.reach(label(text), "statement", self.connection)
        with copy(self, text, *rest, **named) as rows:
            yield rows
            points.reach(f"{label(text)}, its end", "copying", self.connection)

    def watched_commit(self: Any) -> None:
        step = points.reach("COMMIT", "commit", self)
        commit(self)
        step.after()

    cursors.execute, cursors.copy, connections.commit = watched_execute, watched_copy, watched_commit
