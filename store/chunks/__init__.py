"""Chunk files: the records of one materialization, written once and never changed. See `docs/chunk-format.md`."""

from store.chunks.format import ChunkDamaged, ChunkHeader, ChunkIndex, EncodedChunk, Place, RecordContent
from store.chunks.reader import decode_fragments, fetch_record, read_index, read_record, read_records, verify
from store.chunks.writer import NotReversible, encode, encode_fragments

__all__ = [
    "ChunkDamaged",
    "ChunkHeader",
    "ChunkIndex",
    "EncodedChunk",
    "NotReversible",
    "Place",
    "RecordContent",
    "decode_fragments",
    "encode",
    "encode_fragments",
    "fetch_record",
    "read_index",
    "read_record",
    "read_records",
    "verify",
]
