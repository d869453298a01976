"""Batches to chunk files, and fragments to the bytes the catalog keeps."""

from __future__ import annotations

import numpy as np
import polars as pl

from pipeline.batch import Batch
from store.chunks.columns import Sections, bounds_of, planes, varint
from store.chunks.content import prepare_files, record_facts
from store.chunks.format import (
    FILE_COLUMNS,
    FRAGMENT,
    FRAGMENT_COLUMNS,
    INDEX,
    RECORD,
    RECORD_COLUMNS,
    ChunkHeader,
    EncodedChunk,
    FrameWriter,
    Place,
    checksum,
    footer_frame,
    header_frame,
)
from store.chunks.reader import decode_fragments, read_records
from store.chunks.tables import prepare_table


class NotReversible(RuntimeError):
    """An encoded record did not decode to what went in: a fault of this software, and nothing was written."""


def encode(batch: Batch, header: ChunkHeader) -> EncodedChunk:
    """The chunk file of a batch's records. Every record is decoded again and compared before it is returned.

    Raises:
        ValueError: the batch's frames are not ordered as `pipeline.batch.Batch` says.
        NotReversible: a record does not come back as it went in.
    """
    count = batch.records.height
    owner = batch.files["record"].to_numpy().astype(np.int64)
    if (owner[1:] < owner[:-1]).any() or (owner >= count).any():
        raise ValueError("files must be ordered by record")
    bounds = bounds_of(np.bincount(owner, minlength=count))
    files = prepare_files(batch.files, FILE_COLUMNS, batch.segments, bounds)
    facts = record_facts(batch.files, bounds, np.array(files.segments))
    records = prepare_table(batch.records, RECORD_COLUMNS, np.arange(count + 1), facts)
    frames = FrameWriter()
    parts = [header_frame(header)]
    for record in range(count):
        sections = Sections()
        files.write(sections, record)
        records.write(sections, record)
        parts.append(frames.frame(RECORD, sections))
    places = _places(parts)
    _verify_records(batch, parts[1:])
    index = _index(frames, batch.records, places)
    return EncodedChunk(b"".join((*parts, footer_frame(index, count))), places)


def encode_fragments(files: pl.DataFrame, segments: pl.DataFrame) -> list[bytes]:
    """Each row of `files` with its segments as compressed bytes, in the codec of the records.

    Args:
        files: `schema.FRAGMENTS`, `file` counting 0, 1, 2, ...
        segments: `schema.SEGMENTS`, ordered by file, then number.

    Raises:
        ValueError: the frames are not ordered so.
        NotReversible: a fragment does not come back as it went in.
    """
    prepared = prepare_files(files, FRAGMENT_COLUMNS, segments, np.arange(files.height + 1))
    frames = FrameWriter()
    encoded: list[bytes] = []
    for fragment in range(files.height):
        sections = Sections()
        prepared.write(sections, fragment)
        encoded.append(frames.frame(FRAGMENT, sections))
    back_files, back_segments = decode_fragments(encoded)
    if not (back_files.equals(files) and back_segments.equals(segments)):
        raise NotReversible(
            "fragments do not decode to what was encoded; please report this with the range's overview file"
        )
    return encoded


def _places(parts: list[bytes]) -> tuple[Place, ...]:
    """Where the records lie, which follow the header."""
    ends = bounds_of([len(part) for part in parts])[1:].tolist()
    return tuple(Place(begin, len(data), checksum(data)) for begin, data in zip(ends, parts[1:], strict=False))


def _verify_records(batch: Batch, frames: list[bytes]) -> None:
    """Decode every record and compare all columns with those of the batch."""
    back = read_records(frames)
    for got, given in ((back.record, batch.records), (back.files, batch.files), (back.segments, batch.segments)):
        if not got.equals(given):
            raise NotReversible(
                "records do not decode to what was encoded; please report this with the range's overview file"
            )


def _index(frames: FrameWriter, records: pl.DataFrame, places: tuple[Place, ...]) -> bytes:
    """The rows of all records and where each lies."""
    sections = Sections()
    whole = np.array([0, records.height])
    sections.text.append(varint(records.height))
    prepare_table(records, RECORD_COLUMNS, whole).write(sections, 0)
    lengths = np.array([place.length for place in places], np.uint64)
    planes(lengths, whole).write(sections.numbers, 0, 0, records.height)
    sections.text.append(varint(places[0].offset if places else 0))
    sections.packed.append(np.array([place.checksum for place in places], "<i8").tobytes())
    return frames.frame(INDEX, sections)
