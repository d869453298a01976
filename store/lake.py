"""The lake of overview files: one Parquet file per range, replaced only as a whole."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from collections.abc import Iterator

import polars as pl

from pipeline.ranges import Range
from store.disk import Disk


@dataclass(frozen=True, slots=True)
class OverviewMeta:
    """What an overview file says about itself, besides its rows.

    Attributes:
        source: name of the provider's numbering.
        group: group name.
        first: lowest number of the range.
        last: highest number of the range.
        fetched_at: when the fetch ended (UTC).
        group_reply: the GROUP reply as sent.
        wire_form: how the lines came, e.g. `xfeature-gzip`, `compress-deflate`, `plain`.
        wire_bytes: bytes received, as compressed.
        lines: lines received, the malformed and duplicate ones included.
        malformed: lines that could not be read.
        duplicate: lines whose number had come already.
        software: version that wrote the file.
    """

    source: str
    group: str
    first: int
    last: int
    fetched_at: datetime
    group_reply: str
    wire_form: str
    wire_bytes: int
    lines: int = 0
    malformed: int = 0
    duplicate: int = 0
    software: str = ""


@dataclass(frozen=True, slots=True)
class WrittenOverview:
    """One overview file as committed; `lines` are those received, `lines - malformed - duplicate` rows are in the file."""

    path: str
    bytes: int
    lines: int
    malformed: int
    duplicate: int


class OverviewWriter:
    """An overview file being written: blocks in order of number, then one `commit`."""

    def append(self, overview: pl.DataFrame) -> None:
        """Append rows (`schema.OVERVIEW`, ascending); a number not above the last one written is rejected as `duplicate`."""
        raise NotImplementedError

    def reject(self, rejected: pl.DataFrame) -> None:
        """Keep lines that could not be read (`schema.REJECTED`) in the sidecar."""
        raise NotImplementedError

    def commit(self, meta: OverviewMeta) -> WrittenOverview:
        """Put the file in place of the old one. Its counters and software version are the writer's, not those of `meta`."""
        raise NotImplementedError


class Lake:
    """The overview files on a disk: `overview/source=S/group=G/range=000123.parquet`."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk

    def overview_path(self, source: str, range_: Range) -> str:
        """Path of a range's overview file."""
        raise NotImplementedError

    @contextmanager
    def writer(self, source: str, range_: Range) -> Iterator[OverviewWriter]:
        """Write a range's overview file; leaving without `commit` leaves the old file as it was.

        Raises:
            DiskFull: no space is left.
        """
        raise NotImplementedError
        yield

    def read(self, source: str, range_: Range) -> tuple[pl.DataFrame, OverviewMeta]:
        """All rows (`schema.OVERVIEW`) and what the file says about itself.

        Raises:
            FileNotFoundError: the range was never fetched.
            OverviewDamaged: the file is not a whole overview file.
        """
        raise NotImplementedError

    def scan(self, source: str, range_: Range) -> pl.LazyFrame:
        """The rows, lazily."""
        raise NotImplementedError
