"""Chunk files: the records of one materialization, written once and never changed. See `docs/chunk-format.md`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import polars as pl

from pipeline.batch import Batch
from store.disk import Disk


class ChunkDamaged(ValueError):
    """Bytes of a chunk file are not what was written; the message names the file, the record and what to do."""


@dataclass(frozen=True, slots=True)
class ChunkHeader:
    """Whose records a chunk file holds. An edge `i` (kind `edge`) lies between the ranges `i` and `i + 1`."""

    source: str
    group: str
    range_index: int
    kind: Literal["range", "edge"]
    generation: int
    software: str

    @property
    def path(self) -> str:
        """`chunks/source=S/group=G/000123-<generation>.zst`; an edge has `000123e-<generation>.zst`."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record lies in its chunk file; `checksum` is the xxh3-64 of those bytes as a signed 64-bit integer (Postgres bigint)."""

    offset: int
    length: int
    checksum: int


@dataclass(frozen=True, slots=True)
class EncodedChunk:
    """A whole chunk file, and the places of the records in the order of `batch.records`."""

    data: bytes
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class RecordContent:
    """One record read back: `record` is one row of `schema.RECORDS`, `files` is `schema.RECORD_FILES`, `segments` is `schema.SEGMENTS`.

    Ordinals (`record`, `file`) count from 0 inside the record.
    """

    record: pl.DataFrame
    files: pl.DataFrame
    segments: pl.DataFrame


@dataclass(frozen=True, slots=True)
class ChunkIndex:
    """The footer of a chunk file: `records` is `schema.RECORDS`, one place per row."""

    header: ChunkHeader
    records: pl.DataFrame
    places: tuple[Place, ...]


def encode(batch: Batch, header: ChunkHeader) -> EncodedChunk:
    """The chunk file of a batch's records."""
    raise NotImplementedError


def read_record(data: bytes) -> RecordContent:
    """Decode one record from its bytes alone.

    Raises:
        ChunkDamaged: they are not a whole record.
    """
    raise NotImplementedError


def fetch_record(disk: Disk, path: str, place: Place) -> RecordContent:
    """Read one record from a chunk file, its checksum verified first.

    Raises:
        FileNotFoundError: the chunk file was collected; look its place up again.
        ChunkDamaged: the bytes are not those that were written.
    """
    raise NotImplementedError


def read_index(disk: Disk, path: str) -> ChunkIndex:
    """The header and the footer of a chunk file, from which catalog rows can be rebuilt.

    Raises:
        ChunkDamaged: they are not what was written, or a later format version.
    """
    raise NotImplementedError


def verify(disk: Disk, path: str) -> ChunkIndex:
    """Read every byte of a chunk file and decode every record.

    Raises:
        ChunkDamaged: any bit is not as written.
    """
    raise NotImplementedError


def encode_fragments(files: pl.DataFrame, segments: pl.DataFrame) -> list[bytes]:
    """Each row of `files` (`schema.FRAGMENTS`) with its `segments` (`schema.SEGMENTS`, ordered by file, number) as compressed bytes."""
    raise NotImplementedError


def decode_fragments(fragments: Sequence[bytes]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The fragments as `schema.FRAGMENTS` (ordinals 0, 1, 2, ... in the order given) and their `schema.SEGMENTS`.

    Raises:
        ChunkDamaged: they are not what was written.
    """
    raise NotImplementedError
