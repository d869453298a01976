"""The second reader, written from the document, reads what the software reads: every tool, dirt, and whatever hypothesis makes."""

import ast
import dataclasses
from datetime import datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.chunks import PROFILES, batch_of
from pipeline import schema
from pipeline.batch import Batch
from store.chunks import ChunkHeader, encode, encode_fragments, read_records
from tests.store import chunk_reader
from tests.store.test_chunks_files import empty_batch

HEADER = ChunkHeader("main", "alt.binaries.test", 5, "edge", 2, "1.0")


def plain(frame: pl.DataFrame) -> list[dict[str, object]]:
    """Rows as the second reader has them: times as ms."""
    times = [column for column, dtype in frame.schema.items() if dtype == schema.UTC_TIME]
    return frame.with_columns(pl.col(times).dt.epoch("ms")).to_dicts() if times else frame.to_dicts()


def compared(batch: Batch) -> None:
    """Both readers see the batch in its chunk file."""
    chunk = encode(batch, HEADER)
    ours = read_records([chunk.data[place.offset : place.offset + place.length] for place in chunk.places])
    assert ours.segments.equals(batch.segments)
    theirs = chunk_reader.read_file(chunk.data)
    assert theirs.header == dataclasses.asdict(HEADER)
    assert theirs.places == [(place.offset, place.length) for place in chunk.places]
    records = plain(batch.records.drop("record"))
    assert theirs.index == records
    assert [record.row for record in theirs.records] == records
    files = [file for record in theirs.records for file in record.files]
    assert [file.row for file in files] == plain(batch.files.drop("record", "file"))
    owners = batch.files["record"].to_list()
    assert [len(record.files) for record in theirs.records] == [owners.count(record) for record in range(len(records))]
    segments = [(ordinal, *segment) for ordinal, file in enumerate(files) for segment in file.segments]
    assert segments == batch.segments.rows()


def with_ids(batch: Batch, ids: list[str]) -> Batch:
    return dataclasses.replace(batch, segments=batch.segments.with_columns(message_id=pl.Series(ids)))


def test_it_knows_nothing_of_the_software():
    tree = ast.parse(Path(chunk_reader.__file__).read_text())
    names = {
        alias.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names
    }
    names |= {(node.module or "").split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert names == {"__future__", "json", "math", "struct", "dataclasses", "typing", "xxhash", "zstandard"}


@pytest.mark.parametrize("profile", PROFILES, ids=[profile.name for profile in PROFILES])
def test_every_tool(profile):
    compared(batch_of(profile, 1200, seed=3))


@pytest.mark.parametrize("profile", PROFILES, ids=[profile.name for profile in PROFILES])
def test_every_tool_with_dirt(profile):
    batch = batch_of(profile, 1200, seed=4)
    ids = batch.segments["message_id"].to_list()
    for row in range(0, 1200, 37):
        ids[row] = ids[row][::-1]
    ids[5] = ""
    ids[6] = "über.ä@example.org"
    ids[7] = "x" * 250 + "@example.org"
    ids[8] = "y" * 1500 + "@example.org"
    ids[9] = "0" * len(ids[9])
    ids[700:720] = [f"{'z' * (n % 9)}.{n}@{'retry' * (n % 3)}.example.org" for n in range(20)]
    sizes = pl.Series(
        [(row * 7919) % 1_000_003 if row % 50 == 0 else size for row, size in enumerate(batch.segments["bytes"])]
    )
    compared(
        dataclasses.replace(with_ids(batch, ids), segments=with_ids(batch, ids).segments.with_columns(bytes=sizes))
    )


def test_a_file_without_records():
    compared(empty_batch())


PART = st.one_of(
    st.sampled_from(["a", "com", "net", "0", "00", "01", "é", "$", ""]),
    st.integers(0, 300).map(str),
    st.integers(0, 2**70).map("{:x}".format),
    st.text("abcXYZ019_-&+=", max_size=6),
)
SHAPES = st.sampled_from(
    [
        "{0}@{1}.{2}",
        "part{n}of{t}.{0}@{1}",
        "{0}_{n}o{t}@{1}",
        "{0}.{n}@{1}",
        "{0}.{m}@x.y",
        "{0}${1}${2}@h",
        "{s}@{0}",
        "{0}{1}",
        "{0}.{n}-{t}@q",
    ]
)


@st.composite
def batches(draw: st.DrawFn) -> Batch:
    """One or two records of a few files; ids of few shapes, so that templates form."""
    rows: list[dict[str, object]] = []
    segments: list[tuple[int, int, int, str]] = []
    records = draw(st.integers(1, 2))
    maybe = lambda numbers: draw(st.one_of(st.none(), numbers))  # noqa: E731
    for record in range(records):
        shapes = draw(st.lists(SHAPES, min_size=1, max_size=2))
        for _ in range(draw(st.integers(0, 4))):
            subject, total = draw(PART), maybe(st.integers(-2, 300))
            file = len(rows)
            rows.append(
                {
                    "record": record,
                    "file": file,
                    "file_key": draw(st.binary(max_size=4)),
                    "subject": subject,
                    "name": draw(PART),
                    "poster": "p",
                    "groups": draw(st.lists(PART, max_size=2)),
                    "posted_at": maybe(st.datetimes(datetime(1990, 1, 1), datetime(2030, 1, 1))),  # noqa: DTZ001
                    "file_number": maybe(st.integers(0, 9)),
                    "file_total": maybe(st.integers(-(2**31), 2**31 - 1)),
                    "segments_expected": total,
                    "segments_found": draw(st.integers(0, 50)),
                    "bytes": maybe(st.integers(-(2**60), 2**60)),
                    "first_number": draw(st.integers(-(2**62), 2**62)),
                    "last_number": draw(st.integers(0, 2**62)),
                }
            )
            first = draw(st.integers(0, 5))
            for number in range(first, first + draw(st.integers(0, 14))):
                name = draw(st.sampled_from(shapes)).format(
                    *(draw(PART) for _ in range(3)), n=number, m=number - 1, t=total or 0, s=subject
                )
                segments.append((file, number, draw(st.integers(0, 3)) * 300_000 + draw(st.integers(0, 500)), name))
    record_row = dict.fromkeys(schema.RECORDS.names) | {"base_key": b"k", "groups": [], "name": "", "poster": ""}
    text = {c.name: "" for c in schema.RECORDS.columns if c.dtype == pl.String}
    return dataclasses.replace(
        empty_batch(),
        records=pl.DataFrame(
            [record_row | text | {"record": record} for record in range(records)], schema=schema.RECORDS.polars
        ),
        files=pl.DataFrame(rows, schema=schema.RECORD_FILES.polars),
        segments=pl.DataFrame(segments, schema=schema.SEGMENTS.polars, orient="row"),
    )


@settings(max_examples=50, deadline=None)
@given(batches())
def test_whatever_hypothesis_makes(batch: Batch):
    compared(batch)


def test_fragments():
    batch = batch_of(PROFILES[0], 1200)
    files = batch.files.drop("record").with_columns(at_low=pl.lit(True), at_high=pl.col("file") % 2 == 0)
    encoded = encode_fragments(files, batch.segments)
    assert [chunk_reader.read_fragment(data).row for data in encoded] == plain(files.drop("file"))
