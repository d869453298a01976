"""The one seam through which Overlake's files are written and read, so that a test can make any step of it fail.

A file is either created once under a name nobody used before (`create`) or replaced as a whole (`replace`); it is never changed in
place. Paths are relative POSIX strings such as `chunks/source=main/group=alt.binaries.test/000007-12.zst`.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Protocol

_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
_TEMPORARY = ".tmp-"


class DiskError(OSError):
    """The disk did not do what was asked; the message names the file and what to do."""

    def __str__(self) -> str:
        return str(self.strerror)


class DiskFull(DiskError):
    """No space is left for the file."""


class DiskFailed(DiskError):
    """Writing or syncing failed; what was written is unlinked and must be made again, under a new name."""


class BadPath(ValueError):
    """A path that is absolute, not normalised, or would leave the root."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """One file as `list` found it: path, bytes, time of last change (UTC)."""

    path: str
    size: int
    modified_at: datetime


class Replacement(Protocol):
    """A file being written beside the one it will replace. Exactly one of `commit` and `discard` ends it."""

    @property
    def file(self) -> BinaryIO:
        """Where to write, from the start to the end."""
        ...

    def commit(self) -> int:
        """Make it durable, put it in the old file's place, and return its size in bytes.

        Raises:
            DiskFull: no space is left; the old file is untouched.
            DiskFailed: any other failure; the old file is untouched, or already the new one if only the folder's sync failed.
        """
        ...

    def discard(self) -> None:
        """Forget it; the old file stays. Does nothing after `commit`."""
        ...


class Disk(Protocol):
    """A store of whole files by relative path: a folder, or a bucket."""

    def create(self, path: str, data: bytes | Iterable[bytes]) -> int:
        """Write a file that must not exist yet, durably: when this returns it survives a power cut. Returns its bytes.

        Raises:
            FileExistsError: there is a file of that name; it is untouched.
            DiskFull: no space is left; nothing is left behind.
            DiskFailed: writing or syncing failed; a failed sync is never retried (the kernel may have dropped the pages): the
                file is unlinked and must be made anew under another name.
        """
        ...

    def replace(self, path: str) -> Replacement:
        """Begin to write a file that takes the place of `path` when it is committed."""
        ...

    def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes:
        """`length` bytes from `offset`, or fewer at the end of the file; all that follow when `length` is null.

        Raises:
            FileNotFoundError: no such file.
            DiskFailed: it cannot be read.
        """
        ...

    def size(self, path: str) -> int:
        """Bytes of a file.

        Raises:
            FileNotFoundError: no such file.
        """
        ...

    def delete(self, path: str) -> None:
        """Delete a file; it is no error when it is gone already."""
        ...

    def list(self, prefix: str) -> Iterator[StoredFile]:
        """Every file below the folder `prefix` (the whole store when empty), in order of path; unfinished files are left out."""
        ...

    def location(self, path: str) -> str:
        """Where other software finds the file: an absolute path or a URL."""
        ...

    def source(self, path: str) -> str | bytes:
        """What a Parquet reader takes: the absolute path of a local file, or all bytes of another.

        Raises:
            FileNotFoundError: no such file; a local one is looked for by the reader.
            DiskFailed: it cannot be read.
        """
        ...


class LocalDisk:
    """A `Disk` in a folder of a local file system.

    Attributes:
        root: the folder; made when the first file is.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.absolute()
        self._durable: set[Path] = set()

    def create(self, path: str, data: bytes | Iterable[bytes]) -> int:
        """See `Disk.create`."""
        target = self._at(path)
        with writing(path):
            self._make_folder(target.parent)
            descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
        with writing(path), _unlinked_on_failure(target):
            with os.fdopen(descriptor, "wb") as file:
                file.writelines([data] if isinstance(data, bytes) else data)
                _sync(file)
                written = file.tell()
            _sync_folder(target.parent)
        return written

    def replace(self, path: str) -> LocalReplacement:
        """See `Disk.replace`."""
        target = self._at(path)
        with writing(path):
            self._make_folder(target.parent)
            _sweep(target)
            return LocalReplacement(path, target)

    def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes:
        """See `Disk.read`."""
        target = self._at(path)
        with writing(path), target.open("rb") as file:
            file.seek(offset)
            return file.read(-1 if length is None else length)

    def size(self, path: str) -> int:
        """See `Disk.size`."""
        target = self._at(path)
        with writing(path):
            return target.stat().st_size

    def delete(self, path: str) -> None:
        """See `Disk.delete`."""
        target = self._at(path)
        with writing(path):
            target.unlink(missing_ok=True)

    def list(self, prefix: str) -> Iterator[StoredFile]:
        """See `Disk.list`."""
        folder = self._at(prefix) if prefix else self.root
        found = (file for file in folder.rglob("*") if not file.name.startswith(_TEMPORARY))
        for file in sorted(found, key=Path.as_posix):
            with contextlib.suppress(FileNotFoundError):
                facts = file.stat()
                if file.is_file():
                    modified = datetime.fromtimestamp(facts.st_mtime, UTC)
                    yield StoredFile(file.relative_to(self.root).as_posix(), facts.st_size, modified)

    def location(self, path: str) -> str:
        """See `Disk.location`."""
        return str(self._at(path))

    def source(self, path: str) -> str:
        """See `Disk.source`."""
        return self.location(path)

    def _at(self, path: str) -> Path:
        return self.root / checked(path)

    def _make_folder(self, folder: Path) -> None:
        """Make a folder and those above it, each entry durable in its parent.

        Those below the root are synced when they are there already, too: who made them may have died before the sync.
        """
        if folder in self._durable and folder.is_dir():
            return
        for above in reversed((folder, *folder.parents)):
            if above == self.root or self.root in above.parents or not above.exists():
                # A file in its place fails what comes next, under its own error.
                with contextlib.suppress(FileExistsError):
                    above.mkdir(exist_ok=True)
                if os.access(above.parent, os.R_OK):
                    _sync_folder(above.parent)
        self._durable.add(folder)


class LocalReplacement:
    """A temporary file in the folder of the one it replaces: see `Replacement`."""

    def __init__(self, path: str, target: Path) -> None:
        self._path = path
        self._target = target
        descriptor, temporary = tempfile.mkstemp(prefix=_TEMPORARY, suffix=target.name, dir=target.parent)
        self._temporary = Path(temporary)
        # Held until the file is closed, by the process's death too: see `_sweep`.
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        self._file = os.fdopen(descriptor, "wb")

    @property
    def file(self) -> BinaryIO:
        """See `Replacement.file`."""
        return self._file

    def commit(self) -> int:
        """See `Replacement.commit`."""
        with writing(self._path), _unlinked_on_failure(self._temporary):
            with self._file as file:
                _sync(file)
                written = file.tell()
            self._temporary.chmod(0o644)
            self._temporary.replace(self._target)
            _sync_folder(self._target.parent)
        return written

    def discard(self) -> None:
        """See `Replacement.discard`."""
        with contextlib.suppress(OSError):
            self._file.close()
        self._temporary.unlink(missing_ok=True)


def checked(path: str) -> PurePosixPath:
    """The path, when it is one inside a store.

    Raises:
        BadPath: it is absolute, not normalised, or leaves the store.
    """
    pure = PurePosixPath(path)
    if not path or "\0" in path or pure.is_absolute() or ".." in pure.parts or pure.as_posix() != path:
        raise BadPath(f"{path!r} is not a relative path inside the store")
    return pure


def _sweep(target: Path) -> None:
    """Delete unfinished replacements of `target` whose writers died: nobody holds their lock."""
    for left in target.parent.iterdir():
        if left.name.startswith(_TEMPORARY) and left.name.endswith(target.name):
            with contextlib.suppress(FileNotFoundError, BlockingIOError), left.open("rb") as file:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
                left.unlink()


def _sync(file: BinaryIO) -> None:
    file.flush()
    os.fdatasync(file.fileno())


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def _unlinked_on_failure(target: Path) -> Iterator[None]:
    try:
        yield
    except BaseException:
        target.unlink(missing_ok=True)
        raise


@contextlib.contextmanager
def writing(path: str) -> Iterator[None]:
    """Turn an operating system's error into one that says what to do; absent and existing files keep their own kind.

    Raises:
        DiskFull: instead of ENOSPC and EDQUOT.
        DiskFailed: instead of any other.
    """
    try:
        yield
    except (DiskError, FileNotFoundError, FileExistsError):
        raise
    except OSError as error:
        if error.errno in _FULL:
            raise DiskFull(
                error.errno, f"the disk is full while writing {path}; free some space and run the range again"
            ) from error
        raise DiskFailed(
            error.errno, f"{path}: {error.strerror}; check the disk (kernel log), then run the range again"
        ) from error
