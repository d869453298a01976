"""The bytes around the records: frames, header and footer, and the types that name them. See `docs/chunk-format.md`."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Literal

import polars as pl
import xxhash
import zstandard

from pipeline import schema
from pipeline.ranges import check_group
from store.chunks.columns import MAX_CONTENT, Cursor, Malformed, Sections, read_varint, varint

VERSION = 3
"""Format version: of the header, and the first byte of every frame's content."""

RECORD, FRAGMENT, INDEX = 0, 1, 2
"""What a frame holds: the second byte of its content."""

MAGIC = b"OVERLAKE"
HEADER_FRAME, FOOTER_FRAME = 0x184D2A50, 0x184D2A51
"""zstd skippable frames (RFC 8878, 3.1.2), which every zstd reader passes over."""

FRAME = struct.Struct("<II")
HEAD = struct.Struct("<8sHI")
CHECKSUM = struct.Struct("<Q")
TRAILER = struct.Struct("<IIQ8s")
_LEVEL = 12
"""Higher levels gain nothing more; lower ones lose some hundred bytes a file to matches in noise, and save no time worth naming."""
_LONG = 512
"""Bytes from which a plane of numbers gets a block of its own."""


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
        mark = "e" if self.kind == "edge" else ""
        folder = f"chunks/source={check_group(self.source)}/group={check_group(self.group)}"
        return f"{folder}/{self.range_index:06d}{mark}-{self.generation}.zst"


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
    """One record, or several, read back. Ordinals (`record`, `file`) count 0, 1, 2, ... over what was read together.

    Attributes:
        record: frame `schema.RECORDS`, a row per record.
        files: frame `schema.RECORD_FILES`.
        segments: frame `schema.SEGMENTS`.
    """

    record: pl.DataFrame
    files: pl.DataFrame
    segments: pl.DataFrame


@dataclass(frozen=True, slots=True)
class ChunkIndex:
    """Header and footer of a chunk file: a row of `schema.RECORDS` and a place per record."""

    header: ChunkHeader
    records: pl.DataFrame
    places: tuple[Place, ...]


RECORD_COLUMNS = schema.RECORDS.columns[1:]
"""What is written of a record; its ordinal is not."""

FILE_COLUMNS = schema.FILES.columns[1:]
"""What is written of a file of a record; its ordinal is not."""

FRAGMENT_COLUMNS = schema.FRAGMENTS.columns[1:]
"""What is written of a fragment; its ordinal is not."""


def checksum(data: bytes | memoryview) -> int:
    """xxh3-64 as a signed integer."""
    unsigned = xxhash.xxh3_64_intdigest(data)
    return unsigned - (1 << 64) if unsigned >> 63 else unsigned


class FrameWriter:
    """Compresses contents, one zstd frame each."""

    def __init__(self) -> None:
        self._compressor = zstandard.ZstdCompressor(level=_LEVEL, write_checksum=True, write_content_size=True)

    def frame(self, kind: int, sections: Sections) -> bytes:
        """One frame: text, long planes of numbers and packed symbols are blocks of their own, since each has its own statistics."""
        text, numbers, packed = b"".join(sections.text), b"".join(sections.numbers), b"".join(sections.packed)
        head = bytes([VERSION, kind]) + varint(len(text)) + varint(len(numbers))
        compressor = self._compressor.compressobj(size=len(head) + len(text) + len(numbers) + len(packed))
        out = [compressor.compress(head), *_block(compressor, text)]
        for alike in _alike(sections.numbers):
            out += _block(compressor, alike)
        out += [compressor.compress(packed), compressor.flush(zstandard.COMPRESSOBJ_FLUSH_FINISH)]
        return b"".join(out)


def _block(compressor: zstandard.ZstdCompressionObj, data: bytes) -> list[bytes]:
    return [compressor.compress(data), compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)]


def _alike(pieces: list[bytes]) -> Iterator[bytes]:
    """Long pieces alone, the short ones between them together."""
    short: list[bytes] = []
    for piece in pieces:
        if len(piece) < _LONG:
            short.append(piece)
            continue
        if short:
            yield b"".join(short)
            short = []
        yield piece
    yield b"".join(short)


class FrameReader:
    """Decompresses frames, one after the other."""

    def __init__(self) -> None:
        self._decompressor = zstandard.ZstdDecompressor()

    def open(self, data: bytes | memoryview, kind: int) -> Cursor:
        """Decompress a frame and stand at its content.

        Raises:
            Malformed: it is damaged, of another kind or of a later version.
        """
        try:
            facts = zstandard.get_frame_parameters(data)
            if not facts.has_checksum or facts.content_size > MAX_CONTENT:
                raise Malformed("not a frame of a chunk file")
            content = self._decompressor.decompress(data, allow_extra_data=False)
        except zstandard.ZstdError as error:
            raise Malformed(str(error)) from error
        if len(content) < 2 or content[0] != VERSION:
            raise Malformed(f"format version {content[0] if content else 'missing'}, this software reads {VERSION}")
        if content[1] != kind:
            raise Malformed(f"holds kind {content[1]}, not {kind}")
        text, begin = read_varint(content, 2)
        numbers, begin = read_varint(content, begin)
        return Cursor(content, begin, text, numbers)


def header_frame(header: ChunkHeader) -> bytes:
    """The skippable frame a chunk file begins with."""
    facts = json.dumps(asdict(header), ensure_ascii=False, sort_keys=True).encode()
    size = HEAD.size + len(facts) + CHECKSUM.size
    frame = FRAME.pack(HEADER_FRAME, size) + HEAD.pack(MAGIC, VERSION, len(facts)) + facts
    return frame + CHECKSUM.pack(xxhash.xxh3_64_intdigest(frame))


def header_size(head: bytes) -> int:
    """Bytes of the header frame, from its first `FRAME.size` bytes.

    Raises:
        Malformed: no chunk file begins like this.
    """
    if len(head) < FRAME.size:
        raise Malformed("the file ends inside its header")
    magic, size = FRAME.unpack_from(head)
    if magic != HEADER_FRAME or not HEAD.size + CHECKSUM.size <= size < 1 << 20:
        raise Malformed("not a chunk file")
    return FRAME.size + size


def parse_header(frame: bytes) -> ChunkHeader:
    """The header from its whole frame.

    Raises:
        Malformed: damaged, or of a later version.
    """
    if len(frame) != header_size(frame) or CHECKSUM.unpack(frame[-8:])[0] != xxhash.xxh3_64_intdigest(frame[:-8]):
        raise Malformed("the header is damaged")
    magic, version, length = HEAD.unpack_from(frame, FRAME.size)
    if magic != MAGIC or version != VERSION:
        raise Malformed(f"format version {version}, this software reads {VERSION}")
    start = FRAME.size + HEAD.size
    return ChunkHeader(**json.loads(frame[start : start + length]))


def footer_frame(index: bytes, records: int) -> bytes:
    """The skippable frame a chunk file ends with: the index, then the trailer."""
    frame = FRAME.pack(FOOTER_FRAME, len(index) + TRAILER.size) + index
    total = len(frame) + TRAILER.size
    frame += TRAILER.pack(total, records, 0, MAGIC)[:8]
    return frame + CHECKSUM.pack(xxhash.xxh3_64_intdigest(frame)) + MAGIC


def footer_size(tail: bytes, file_size: int) -> int:
    """Bytes of the footer frame, from the last `TRAILER.size` bytes of the file.

    Raises:
        Malformed: no whole chunk file ends like this.
    """
    if len(tail) < TRAILER.size:
        raise Malformed("the file is cut short")
    total, _, _, magic = TRAILER.unpack(tail[-TRAILER.size :])
    if magic != MAGIC or not FRAME.size + TRAILER.size <= total <= file_size:
        raise Malformed("the file is cut short or its end is damaged")
    return total


def parse_footer(frame: bytes) -> tuple[memoryview, int]:
    """(index, number of records) from the whole footer frame.

    Raises:
        Malformed: damaged.
    """
    _, records, expected, _ = TRAILER.unpack(frame[-TRAILER.size :])
    magic, size = FRAME.unpack_from(frame)
    whole = magic == FOOTER_FRAME and size == len(frame) - FRAME.size
    if not whole or expected != xxhash.xxh3_64_intdigest(frame[: -CHECKSUM.size - len(MAGIC)]):
        raise Malformed("the footer is damaged")
    return memoryview(frame)[FRAME.size : -TRAILER.size], records
