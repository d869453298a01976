"""Chunk files: every record readable alone, every bit guarded, the catalog's rows in the footer."""

import contextlib
import dataclasses
import errno
import random

import polars as pl
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.chunks import PROFILES, Profile, batch_of
from pipeline import schema
from pipeline.batch import Batch, Counters
from store.chunks import (
    ChunkDamaged,
    ChunkHeader,
    Place,
    decode_fragments,
    encode,
    encode_fragments,
    fetch_record,
    read_index,
    read_record,
    read_records,
    verify,
)
from store.disk import DiskFailed, LocalDisk

HEADER = ChunkHeader("main", "alt.binaries.test", 123, "range", 4, "1.0")
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


def joined(batches: list[Batch]) -> Batch:
    """One batch with the records of all."""
    records = pl.concat([batch.records for batch in batches])
    at = lambda frames: [sum(frame.height for frame in frames[:i]) for i in range(len(frames))]  # noqa: E731
    record_at, file_at = at([batch.records for batch in batches]), at([batch.files for batch in batches])
    files = [
        b.files.with_columns(pl.col("record") + r, pl.col("file") + f)
        for b, r, f in zip(batches, record_at, file_at, strict=True)
    ]
    segments = [batch.segments.with_columns(pl.col("file") + f) for batch, f in zip(batches, file_at, strict=True)]
    return dataclasses.replace(
        batches[0],
        records=records.with_columns(pl.Series("record", range(records.height), dtype=pl.UInt32)),
        files=schema.RECORD_FILES.check(pl.concat(files)),
        segments=schema.SEGMENTS.check(pl.concat(segments)),
    )


def empty_batch() -> Batch:
    empty = schema.SEGMENTS.empty()
    return Batch(
        schema.RECORDS.empty(),
        schema.RECORD_FILES.empty(),
        empty,
        schema.FRAGMENTS.empty(),
        empty,
        schema.PROBES.empty(),
        schema.SAMPLES.empty(),
        schema.VERDICTS.empty(),
        Counters(),
        0,
    )


@pytest.fixture(scope="module")
def mixed() -> Batch:
    return joined([batch_of(profile, 2400, seed=7) for profile in PROFILES])


def content_of(profile: Profile) -> bytes:
    """One small record, decompressed."""
    batch = batch_of(profile, 1200)
    files = batch.files.head(2)
    small = dataclasses.replace(batch, files=files, segments=batch.segments.filter(pl.col("file") < 2))
    chunk = encode(small, HEADER)
    return zstandard.decompress(chunk.data[chunk.places[0].offset :][: chunk.places[0].length])


CONTENTS = [content_of(profile) for profile in PROFILES]


@pytest.fixture
def disk(tmp_path) -> LocalDisk:
    return LocalDisk(tmp_path)


def test_paths():
    assert HEADER.path == "chunks/source=main/group=alt.binaries.test/000123-4.zst"
    assert dataclasses.replace(HEADER, kind="edge").path == "chunks/source=main/group=alt.binaries.test/000123e-4.zst"


def test_records_of_every_tool_come_back_alone_and_together(mixed: Batch, disk: LocalDisk):
    chunk = encode(mixed, HEADER)
    disk.create(HEADER.path, chunk.data)
    together = read_records([chunk.data[place.offset : place.offset + place.length] for place in chunk.places])
    assert together.record.equals(mixed.records)
    assert together.files.equals(mixed.files)
    assert together.segments.equals(mixed.segments)
    for row in (0, 5, len(chunk.places) - 1):
        content = fetch_record(disk, HEADER.path, chunk.places[row])
        assert content.record.drop("record").equals(mixed.records[row].drop("record"))
        files = mixed.files.filter(pl.col("record") == row)
        assert content.files.drop("record", "file").equals(files.drop("record", "file"))
        own = mixed.segments.filter(pl.col("file").is_in(files["file"].implode()))
        assert content.segments.drop("file").equals(own.drop("file"))
        assert content.segments["file"].to_list() == [file - files["file"][0] for file in own["file"].to_list()]


def test_the_same_batch_gives_the_same_bytes(mixed: Batch):
    assert encode(mixed, HEADER).data == encode(mixed, HEADER).data


def test_the_whole_file_is_a_zstd_stream(mixed: Batch):
    chunk = encode(mixed, HEADER)
    whole = zstandard.ZstdDecompressor().stream_reader(chunk.data, read_across_frames=True).read()
    alone = [zstandard.decompress(chunk.data[place.offset : place.offset + place.length]) for place in chunk.places]
    assert whole == b"".join(alone)


def test_the_footer_holds_what_the_catalog_needs(mixed: Batch, disk: LocalDisk):
    chunk = encode(mixed, HEADER)
    disk.create(HEADER.path, chunk.data)
    for index in (read_index(disk, HEADER.path), verify(disk, HEADER.path)):
        assert index.header == HEADER
        assert index.places == chunk.places
        assert index.records.equals(mixed.records)


def test_a_batch_without_records_is_a_file_too(disk: LocalDisk):
    chunk = encode(empty_batch(), HEADER)
    disk.create(HEADER.path, chunk.data)
    assert verify(disk, HEADER.path).places == chunk.places == ()


def nullable_record(draw_text: list[str], numbers: list[int]) -> Batch:
    text = iter(draw_text * 20)
    record = {
        column.name: next(text)
        if column.dtype == pl.String
        else [next(text)]
        if column.dtype == pl.List(pl.String)
        else None
        for column in schema.RECORDS.columns
    }
    file = {
        column.name: next(text)
        if column.dtype == pl.String
        else [next(text), ""]
        if column.dtype == pl.List(pl.String)
        else None
        for column in schema.RECORD_FILES.columns
    }
    files = [
        file | {"record": 0, "file": ordinal, "file_key": b"\x00\xff", "bytes": number}
        for ordinal, number in enumerate(numbers)
    ]
    owner = [ordinal for ordinal, number in enumerate(numbers) for _ in range(abs(number) % 3)]
    return dataclasses.replace(
        empty_batch(),
        records=pl.DataFrame([record | {"record": 0, "base_key": b"key"}], schema=schema.RECORDS.polars),
        files=pl.DataFrame(files, schema=schema.RECORD_FILES.polars),
        segments=pl.DataFrame(
            {
                "file": owner,
                "number": range(len(owner)),
                "bytes": [numbers[i] for i in owner],
                "message_id": [draw_text[i % len(draw_text)] for i in owner],
            },
            schema=schema.SEGMENTS.polars,
        ),
    )


@settings(max_examples=40, deadline=None)
@given(st.lists(TEXT, min_size=1, max_size=6), st.lists(st.integers(-(2**62), 2**62), max_size=6))
def test_any_text_nulls_and_numbers_come_back(text: list[str], numbers: list[int]):
    batch = nullable_record(text, numbers)
    chunk = encode(batch, HEADER)
    content = read_record(chunk.data[chunk.places[0].offset :][: chunk.places[0].length])
    assert content.record.equals(batch.records)
    assert content.files.equals(batch.files)
    assert content.segments.equals(batch.segments)


def test_fragments_come_back_each_alone_and_together(mixed: Batch):
    files = mixed.files.drop("record").with_columns(at_low=pl.lit(True), at_high=pl.col("file") % 2 == 0)
    encoded = encode_fragments(files, mixed.segments)
    assert len(encoded) == files.height
    back_files, back_segments = decode_fragments(encoded)
    assert back_files.equals(files)
    assert back_segments.equals(mixed.segments)
    one_file, one_segments = decode_fragments([encoded[3]])
    assert one_file["subject"][0] == files["subject"][3]
    assert one_segments["message_id"].to_list() == mixed.segments.filter(pl.col("file") == 3)["message_id"].to_list()
    assert decode_fragments([])[0].equals(schema.FRAGMENTS.empty())


def small_file(disk: LocalDisk) -> tuple[bytes, tuple[Place, ...]]:
    chunk = encode(nullable_record(["film.mkv", "poster <poster@example.org>"], [1, 2, 740_000]), HEADER)
    return chunk.data, chunk.places


def test_a_flipped_bit_anywhere_is_detected_and_named(disk: LocalDisk):
    data, _ = small_file(disk)
    flips = random.Random(1)
    for at in range(len(data)):
        damaged = bytearray(data)
        damaged[at] ^= 1 << flips.randrange(8)
        path = f"chunks/{at}.zst"
        (disk.root / "chunks").mkdir(exist_ok=True)
        (disk.root / path).write_bytes(damaged)
        with pytest.raises(ChunkDamaged, match=path):
            verify(disk, path)


def test_a_damaged_record_is_never_served(disk: LocalDisk):
    data, (place,) = small_file(disk)
    damaged = bytearray(data)
    damaged[place.offset + place.length // 2] ^= 4
    disk.create("chunks/x.zst", bytes(damaged))
    with pytest.raises(ChunkDamaged, match=rf"chunks/x\.zst, record at byte {place.offset}.*backfill"):
        fetch_record(disk, "chunks/x.zst", place)
    with pytest.raises(ChunkDamaged):
        read_record(bytes(damaged)[place.offset : place.offset + place.length])


def test_a_file_cut_anywhere_is_detected(disk: LocalDisk):
    data, (place,) = small_file(disk)
    (disk.root / "chunks").mkdir()
    for length in range(len(data)):
        (disk.root / "chunks/cut.zst").write_bytes(data[:length])
        with pytest.raises(ChunkDamaged):
            verify(disk, "chunks/cut.zst")
        with pytest.raises(ChunkDamaged):
            read_index(disk, "chunks/cut.zst")
    with pytest.raises(ChunkDamaged):
        fetch_record(disk, "chunks/cut.zst", Place(place.offset, 10 * len(data), place.checksum))


def test_flipped_bits_in_records_never_give_a_wrong_value(mixed: Batch):
    """Not even without the checksum of the place, which detects them all. Zstd ignores one bit of a frame's head."""
    chunk = encode(mixed, HEADER)
    flips = random.Random(2)
    for place in chunk.places[::2]:
        frame = chunk.data[place.offset : place.offset + place.length]
        whole = zstandard.decompress(frame)
        for at in [*range(12), *flips.sample(range(place.length), 40)]:
            damaged = bytearray(frame)
            damaged[at] ^= 1 << flips.randrange(8)
            with contextlib.suppress(ChunkDamaged):
                read_record(bytes(damaged))
                assert zstandard.decompress(bytes(damaged)) == whole
        with pytest.raises(ChunkDamaged):
            read_record(frame[: flips.randrange(place.length)])


@settings(max_examples=300, deadline=None)
@given(
    st.integers(0, len(PROFILES) - 1),
    st.lists(st.tuples(st.integers(0, 2000), st.integers(0, 255)), min_size=1, max_size=4),
)
def test_content_that_no_writer_writes_is_damage_and_nothing_else(profile: int, changes: list[tuple[int, int]]):
    """Checksums that fit, over wrong content: read as something or refused as damage, without another error."""
    content = bytearray(CONTENTS[profile])
    for at, byte in changes:
        content[at % len(content)] = byte
    frame = zstandard.ZstdCompressor(write_checksum=True).compress(bytes(content))
    with contextlib.suppress(ChunkDamaged):
        assert read_record(frame).record.height == 1


def test_a_disk_that_fails_is_not_damage(disk: LocalDisk, monkeypatch):
    data, (place,) = small_file(disk)
    disk.create("chunks/x.zst", data)
    with pytest.raises(FileNotFoundError):
        fetch_record(disk, "chunks/y.zst", place)

    def fail(*_args, **_kwargs):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr("store.disk.Path.open", fail)
    with pytest.raises(DiskFailed):
        fetch_record(disk, "chunks/x.zst", place)


def test_frames_out_of_order_are_refused(mixed: Batch):
    with pytest.raises(ValueError, match="ordered"):
        encode(dataclasses.replace(mixed, files=mixed.files.reverse()), HEADER)
