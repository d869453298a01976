"""Message-ids come back byte for byte, and cost what their random part costs."""

import dataclasses

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.chunks import PROFILES, batch_of
from pipeline import schema
from store.chunks import ChunkHeader, decode_fragments, encode, encode_fragments, read_record
from store.chunks.radix import alphabet, pack, packing, unpack

NGPOST = next(profile for profile in PROFILES if profile.name == "ngpost")
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


def one_file(
    ids: list[str], numbers: list[int] | None = None, expected: int | None = None
) -> tuple[pl.DataFrame, pl.DataFrame]:
    numbers = numbers or list(range(1, len(ids) + 1))
    segments = pl.DataFrame(
        {"file": [0] * len(ids), "number": numbers, "bytes": [740_000] * len(ids), "message_id": ids},
        schema=schema.SEGMENTS.polars,
    )
    file = dict.fromkeys(schema.FRAGMENTS.names) | {
        "file": 0,
        "file_key": b"k" * 16,
        "subject": "s",
        "name": "n",
        "poster": "p",
        "groups": ["alt.binaries.test"],
        "segments_expected": expected or len(ids),
        "segments_found": len(ids),
        "bytes": 740_000 * len(ids),
        "at_low": True,
        "at_high": False,
    }
    return pl.DataFrame([file], schema=schema.FRAGMENTS.polars), segments


def encoded_size(ids: list[str], **facts) -> int:
    """Bytes of a file with these ids, which must come back as they were."""
    files, segments = one_file(ids, **facts)
    encoded = encode_fragments(files, segments)
    back_files, back_segments = decode_fragments(encoded)
    assert back_files.equals(files)
    assert back_segments["message_id"].to_list() == ids
    assert back_segments.equals(segments)
    return len(encoded[0])


@settings(max_examples=60, deadline=None)
@given(st.lists(TEXT, max_size=40))
def test_any_ids_come_back(ids: list[str]):
    encoded_size(ids)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.one_of(
            st.from_regex(r"\A[a-z]{8}-16[0-9]{11}@nyuu\Z"),
            st.from_regex(r"\A[0-9a-f]{12}@ngPost\Z"),
            st.builds("part{}of{}.token@example.org".format, st.integers(0, 30), st.integers(0, 30)),
            st.builds("{}.{}@example.org".format, st.integers(0, 10**18), st.integers(0, 30)),
            st.builds("token_{}o{}@example.org".format, st.integers(0, 30), st.integers(0, 30)),
            st.builds("é.part{}of20.ü@example.org".format, st.integers(0, 30)),
            st.just("0" * 1200),
        ),
        min_size=4,
        max_size=40,
    )
)
def test_ids_that_look_like_templates_come_back(ids: list[str]):
    encoded_size(ids, expected=20)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=120), max_size=5), st.integers(1, 0xFFFF))
def test_symbols_of_every_alphabet_come_back(streams: list[bytes], classes: int):
    letters = alphabet(classes)
    symbols = letters.symbols[[byte % letters.symbols.size for byte in b"".join(streams)]]
    counts = np.array([len(stream) for stream in streams], np.int64)
    packed = pack(symbols, counts, letters)
    assert [len(stream) for stream in packed] == [letters.packed_size(len(stream)) for stream in streams]
    assert unpack(packed, counts, letters).tobytes() == symbols.tobytes()


def test_a_unit_fits_into_eight_bytes_with_the_bits_before_it():
    # Units that share bytes with others must lie at least eight bytes apart in each lane, since they are written eight bytes at a time.
    for size in range(2, 257):
        k, w = packing(size)
        assert size**k <= 1 << w <= 1 << 57
        assert w % 8 == 0 or w >= 8


@pytest.mark.parametrize(
    ("size", "expected"),
    [(2, (8, 8)), (10, (12, 40)), (16, (2, 8)), (26, (7, 33)), (62, (4, 24)), (64, (4, 24)), (256, (1, 8))],
)
def test_packing_wastes_least(size: int, expected: tuple[int, int]):
    assert packing(size) == expected


@pytest.mark.parametrize("profile", PROFILES, ids=[profile.name for profile in PROFILES])
def test_every_tool_costs_little_more_than_its_entropy(profile):
    ids = batch_of(profile, 1200).segments["message_id"].to_list()
    plain = encoded_size(["x"] * 100)
    for_ids = encoded_size(ids[:100], expected=100) - plain
    # A template of its own costs some hundred bytes a record; beyond it an id costs at most a tenth more than its random part.
    assert for_ids <= 100 * profile.bits / 8 * 1.10 + 350


def test_a_foreign_id_inside_a_file_costs_only_itself():
    ids = batch_of(PROFILES[1], 1200).segments["message_id"].to_list()[:1000]
    alone = encoded_size(ids)
    ids[500] = "retry." + "z" * 20 + "@other.example.org"
    assert encoded_size(ids) < alone + 160


def test_gaps_and_zero_numbers_come_back():
    encoded_size([f"part{n}of9.abc@example.org" for n in (0, 2, 3, 7, 9)], numbers=[0, 2, 3, 7, 9], expected=9)


def articles(ids: list[str], subjects: list[str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A record of single articles, each a file of its own."""
    file, _ = one_file(["x"])
    files = pl.concat([file] * len(ids)).with_columns(
        pl.Series("file", range(len(ids)), dtype=pl.UInt32), pl.Series("subject", subjects)
    )
    segments = pl.DataFrame(
        {"file": range(len(ids)), "number": [1] * len(ids), "bytes": [740_000] * len(ids), "message_id": ids},
        schema=schema.SEGMENTS.polars,
    )
    return files, segments


def record_size(files: pl.DataFrame, segments: pl.DataFrame) -> int:
    """Bytes of one record with these files, which must come back as they were."""
    row = dict.fromkeys(schema.RECORDS.names) | {
        column.name: "" for column in schema.RECORDS.columns if column.dtype == pl.String
    }
    batch = dataclasses.replace(
        batch_of(PROFILES[0], 1),
        records=pl.DataFrame([row | {"record": 0, "base_key": b"", "groups": []}], schema=schema.RECORDS.polars),
        files=files.with_columns(record=pl.lit(0, pl.UInt32)).select(schema.RECORD_FILES.names),
        segments=segments,
    )
    chunk = encode(batch, ChunkHeader("main", "alt.binaries.test", 0, "range", 1, "1.0"))
    (place,) = chunk.places
    content = read_record(chunk.data[place.offset : place.offset + place.length])
    assert content.segments.equals(segments)
    return place.length


def test_ids_equal_to_the_subject_cost_nothing():
    local = [name.split("@")[0] for name in batch_of(NGPOST, 1200).segments["message_id"].head(100)]
    free = record_size(*articles(["x"] * 100, local))
    assert record_size(*articles([f"{name}@ngPost" for name in local], local)) <= free + 40
    # Without the subject they cost the 15.25 bytes that they are.
    assert record_size(*articles([f"{name}@ngPost" for name in local], ["s"] * 100)) >= 1500


def test_words_cost_their_choice():
    """Few hosts of different lengths cost some bits an id, not their characters."""
    hosts = ["news.example.org", "reader.example.net", "a.example"]
    ids = [
        f"{name}.{hosts[row % 3].replace('.', '-')}@{hosts[row * 7 % 3]}"
        for row, name in enumerate(range(10**6, 10**6 + 300))
    ]
    assert encoded_size(ids) - encoded_size(["x"] * 300) < 300


def test_numbers_without_padding_cost_their_steps():
    clock = np.cumsum(np.random.default_rng(1).integers(1, 30, 400)) * 0xABC
    ids = [f"{value:x}.{row:x}@example.org" for row, value in enumerate(clock.tolist())]
    assert encoded_size(ids) - encoded_size(["x"] * 400) < 400 * 2.2


@pytest.mark.parametrize("length", [249, 250, 251, 600, 1000, 1001, 5000])
def test_over_long_ids_come_back(length: int):
    ids = [f"{row:04d}".ljust(length - 12, "é"[0]) + "@example.org" for row in range(20)]
    encoded_size(ids)
    encoded_size(["é" * (length // 2) + f"{row}@example.org" for row in range(20)])
