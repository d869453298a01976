"""Batches to chunk files, and fragments to the bytes the catalog keeps."""

from __future__ import annotations

import numpy as np
import polars as pl

from pipeline.batch import Batch
from store.chunks.columns import Integers, Sections, varint, write_integers
from store.chunks.content import Files, prepare_files
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
from store.chunks.tables import Table, prepare_table


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
    bounds = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.bincount(owner, minlength=count))))
    files = prepare_files(batch.files, FILE_COLUMNS, batch.segments, bounds[:-1])
    records = prepare_table(batch.records, RECORD_COLUMNS, np.arange(count))
    frames = FrameWriter()
    parts = [header_frame(header)]
    places: list[Place] = []
    offset = len(parts[0])
    for record in range(count):
        data = _record(frames, records, files, record, bounds)
        places.append(Place(offset, len(data), checksum(data)))
        offset += len(data)
        parts.append(data)
    _verify_records(batch, parts[1:])
    index = _index(frames, batch.records, places)
    return EncodedChunk(b"".join((*parts, footer_frame(index, count))), tuple(places))


def encode_fragments(files: pl.DataFrame, segments: pl.DataFrame) -> list[bytes]:
    """Each row of `files` with its segments as compressed bytes, in the codec of the records.

    Args:
        files: `schema.FRAGMENTS`, `file` counting 0, 1, 2, ...
        segments: `schema.SEGMENTS`, ordered by file, then number.

    Raises:
        ValueError: the frames are not ordered so.
        NotReversible: a fragment does not come back as it went in.
    """
    prepared = prepare_files(files, FRAGMENT_COLUMNS, segments, np.arange(files.height))
    frames = FrameWriter()
    encoded: list[bytes] = []
    for fragment in range(files.height):
        sections = Sections()
        prepared.write(sections, fragment, fragment + 1)
        encoded.append(frames.frame(FRAGMENT, sections))
    back_files, back_segments = decode_fragments(encoded)
    if not (back_files.equals(files) and back_segments.equals(segments)):
        raise NotReversible(
            "fragments do not decode to what was encoded; please report this with the range's overview file"
        )
    return encoded


def _record(frames: FrameWriter, records: Table, files: Files, record: int, bounds: Integers) -> bytes:
    sections = Sections()
    records.write(sections, record, record + 1)
    files.write(sections, int(bounds[record]), int(bounds[record + 1]))
    return frames.frame(RECORD, sections)


def _verify_records(batch: Batch, frames: list[bytes]) -> None:
    """Decode every record and compare all columns with those of the batch."""
    back = read_records(frames)
    for got, given in ((back.record, batch.records), (back.files, batch.files), (back.segments, batch.segments)):
        if not got.equals(given):
            raise NotReversible(
                "records do not decode to what was encoded; please report this with the range's overview file"
            )


def _index(frames: FrameWriter, records: pl.DataFrame, places: list[Place]) -> bytes:
    """The rows of all records and where each lies."""
    sections = Sections()
    sections.text.append(varint(records.height))
    start = np.zeros(1, np.int64)
    prepare_table(records, RECORD_COLUMNS, start).write(sections, 0, records.height)
    write_integers(sections, np.array([place.length for place in places], np.int64))
    sections.packed.append(np.array([place.checksum for place in places], "<i8").tobytes())
    write_integers(sections, np.array([places[0].offset if places else 0], np.int64))
    return frames.frame(INDEX, sections)
