"""A `Disk` in a bucket of S3-compatible object storage.

An object appears whole or not at all: the service itself holds the protocol of `store.disk`. A new file is one PUT with
`If-None-Match: *`, a replacement one PUT, or one multipart upload that shows nothing before it is complete.
"""

from __future__ import annotations

import errno
import os
import re
import tempfile
import uuid
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any, BinaryIO, NoReturn
from urllib.parse import urlsplit

from obstore.exceptions import AlreadyExistsError, BaseError
from obstore.fsspec import FsspecStore
from obstore.store import S3Store

from store.disk import DiskFailed, DiskFull, StoredFile, checked, writing

_WRITER = "overlake-writer"
"""Metadata of a created object: which attempt wrote it."""

_CODE = re.compile(r"<Code>([^<]{1,100})</Code>")
_MESSAGE = re.compile(r"<Message>([^<]{1,300})</Message>")
_FULL_CODES = frozenset({"XMinioStorageFull", "InsufficientStorage", "QuotaExceeded", "EntityTooLarge"})
_RETRIES = {
    "max_retries": 8,
    "retry_timeout": timedelta(seconds=90),
    "backoff": {"init_backoff": timedelta(milliseconds=200), "max_backoff": timedelta(seconds=15), "base": 2.0},
}
_TIMEOUTS = {"connect_timeout": "10s", "timeout": "600s"}


def _service(endpoint: str, region: str) -> dict[str, Any]:
    """How the service is reached, by settings or environment, as obstore takes it."""
    endpoint = endpoint or os.environ.get("AWS_ENDPOINT_URL", "")
    return {
        "region": region or os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION") or "us-east-1",
        "client_options": {**_TIMEOUTS, "allow_http": endpoint.startswith("http://")},
        "retry_config": _RETRIES,
        **({"endpoint": endpoint} if endpoint else {}),
    }


def file_system(endpoint: str = "", region: str = "") -> FsspecStore:
    """All buckets of the service, for other libraries of this process: reads `s3://bucket/path` as `ObjectDisk` does."""
    return FsspecStore("s3", **_service(endpoint, region))


class ObjectDisk:
    """A `Disk` below `url` (`s3://bucket/prefix`).

    Credentials come from the environment alone (`AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, a web identity, or the machine's
    role), and are in no message. Calls that fail for a passing reason are repeated for a minute and a half by the library.

    Args:
        url: `s3://bucket` or `s3://bucket/prefix`.
        endpoint: address of the service; empty: `AWS_ENDPOINT_URL`, else Amazon's own.
        region: region of the bucket; empty: `AWS_REGION`, else us-east-1.
    """

    def __init__(self, url: str, endpoint: str = "", region: str = "") -> None:
        parts = urlsplit(url)
        self._url = url.rstrip("/")
        self._store = S3Store(parts.netloc, prefix=parts.path.strip("/") or None, **_service(endpoint, region))

    def create(self, path: str, data: bytes | Iterable[bytes]) -> int:
        """See `Disk.create`. The file is in the store's memory once: object storage takes its length first."""
        key, whole = str(checked(path)), data if isinstance(data, bytes) else b"".join(data)
        attempt = uuid.uuid4().hex
        with self._asking(path, "written"):
            try:
                self._store.put(key, whole, mode="create", attributes={_WRITER: attempt}, use_multipart=False)
            except AlreadyExistsError as error:
                # A PUT that is repeated because its answer was lost meets its own object.
                if self._store.get(key, options={"head": True}).attributes.get(_WRITER) != attempt:
                    raise FileExistsError(errno.EEXIST, f"{path} is there already") from error
            except FileNotFoundError as error:
                self._fail(error, path, "written")
        return len(whole)

    def replace(self, path: str) -> ObjectReplacement:
        """See `Disk.replace`."""
        checked(path)
        with writing(path):
            return ObjectReplacement(self, path)

    def upload(self, path: str, file: BinaryIO) -> None:
        """Put all of `file` in the place of `path`, at once.

        Raises:
            DiskFull: the service has no space left.
            DiskFailed: any other failure; the old object is untouched.
        """
        with self._asking(path, "written"):
            try:
                self._store.put(str(checked(path)), file)
            except FileNotFoundError as error:
                self._fail(error, path, "written")

    def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes:
        """See `Disk.read`."""
        key = str(checked(path))
        with self._asking(path, "read"):
            if length == 0:
                self._store.head(key)
                return b""
            if length is None and offset == 0:
                return self._store.get(key).bytes().to_bytes()
            try:
                if length is None:
                    return self._store.get(key, options={"range": {"offset": offset}}).bytes().to_bytes()
                return self._store.get_range(key, start=offset, length=length).to_bytes()
            except BaseError as error:
                if _code(error) != "InvalidRange":
                    raise
                return b""

    def size(self, path: str) -> int:
        """See `Disk.size`."""
        with self._asking(path, "read"):
            return self._store.head(str(checked(path)))["size"]

    def delete(self, path: str) -> None:
        """See `Disk.delete`."""
        with self._asking(path, "deleted"), suppress(FileNotFoundError):
            self._store.delete(str(checked(path)))

    def list(self, prefix: str) -> Iterator[StoredFile]:
        """See `Disk.list`. The service lists in order of path, 1,000 objects a request."""
        with self._asking(prefix or self._url, "listed"):
            for page in self._store.list(str(checked(prefix)) if prefix else None):
                for found in page:
                    yield StoredFile(found["path"], found["size"], found["last_modified"])

    def location(self, path: str) -> str:
        """See `Disk.location`."""
        return f"{self._url}/{checked(path)}"

    def source(self, path: str) -> bytes:
        """See `Disk.source`."""
        return self.read(path)

    @contextmanager
    def _asking(self, path: str, done: str) -> Iterator[None]:
        """Turn what the service or the network refuses into a sentence; absent and existing files keep their own kind."""
        try:
            yield
        except FileNotFoundError as error:
            if _code(error) == "NoSuchBucket":
                self._fail(error, path, done)
            raise FileNotFoundError(errno.ENOENT, f"{self._url} has no such object", path) from error
        except BaseError as error:
            self._fail(error, path, done)

    def _fail(self, error: Exception, path: str, done: str) -> NoReturn:
        text = f"{path} could not be {done} at {self._url}: {_reason(error)}"
        if _code(error) in _FULL_CODES:
            raise DiskFull(errno.ENOSPC, f"{text}; free some space and run the range again") from error
        raise DiskFailed(
            errno.EIO, f"{text}; check [storage] in overlake.toml, AWS_ACCESS_KEY_ID and the network, then run again"
        ) from error


class ObjectReplacement:
    """A file written beside the store, in a nameless local one, and put in its place as a whole: see `Replacement`."""

    def __init__(self, disk: ObjectDisk, path: str) -> None:
        self._disk = disk
        self._path = path
        self._file: BinaryIO = tempfile.TemporaryFile()  # noqa: SIM115 - closed by commit or discard

    @property
    def file(self) -> BinaryIO:
        """See `Replacement.file`."""
        return self._file

    def commit(self) -> int:
        """See `Replacement.commit`."""
        with self._file as file:
            with writing(self._path):
                file.flush()
                written = file.tell()
                file.seek(0)
            self._disk.upload(self._path, file)
        return written

    def discard(self) -> None:
        """See `Replacement.discard`."""
        with suppress(OSError):
            self._file.close()


def _code(error: Exception) -> str:
    found = _CODE.search(str(error))
    return found[1] if found else ""


def _reason(error: Exception) -> str:
    """What the service said, without the requests and headers that the library shows beside it."""
    code, message = _CODE.search(str(error)), _MESSAGE.search(str(error))
    if code:
        return f"{code[1]} ({message[1].rstrip('.')})" if message else code[1]
    first = str(error).partition("\n\nDebug source")[0]
    return " ".join(first.split())[:300]
