"""The lake: one overview file per range, complete or as it was before."""

import errno
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime

import duckdb
import polars as pl
import pyarrow.parquet as pq
import pytest
from object_service import ObjectService, running_service

from pipeline import schema
from pipeline.ranges import BadGroupName, Range
from store.disk import DiskFull, LocalDisk
from store.lake import Lake, OverviewDamaged, OverviewMeta, rejected_path
from store.objects import ObjectDisk

RANGE = Range(1, "alt.binaries.test", 7, size=1000)
META = OverviewMeta(
    source="main",
    group="alt.binaries.test",
    first=7000,
    last=7999,
    fetched_at=datetime(2026, 3, 1, 12, 0, 5, tzinfo=UTC),
    group_reply="211 900 7000 7999 alt.binaries.test",
    wire_form="xfeature-gzip",
    wire_bytes=81_234,
    software="1.0",
)


def lines(*numbers: int) -> pl.DataFrame:
    return pl.DataFrame(
        {
            "number": numbers,
            "subject": [f'"film.part{n:02d}.rar" yEnc (1/1) é' for n in numbers],
            "poster": ["poster <poster@example.org>"] * len(numbers),
            "posted_at": [None if n % 2 else datetime(2020, 1, 1, tzinfo=UTC) for n in numbers],
            "message_id": [f"{n}@example.org" for n in numbers],
            "references": [""] * len(numbers),
            "bytes": [740_000 + n for n in numbers],
            "xref": [f"alt.binaries.test:{n}" for n in numbers],
        },
        schema=schema.OVERVIEW.polars,
    )


def rejected(*raw: bytes) -> pl.DataFrame:
    return pl.DataFrame({"raw": raw, "reason": ["fields"] * len(raw)}, schema=schema.REJECTED.polars)


@pytest.fixture(scope="module")
def service() -> Iterator[ObjectService]:
    with running_service() as running:
        yield running


@pytest.fixture(params=["folder", "bucket"])
def lake(request: pytest.FixtureRequest, tmp_path) -> Lake:
    """On each kind of disk in turn."""
    if request.param == "folder":
        return Lake(LocalDisk(tmp_path))
    service: ObjectService = request.getfixturevalue("service")
    return Lake(ObjectDisk(f"s3://{service.bucket()}/lake", service.endpoint))


@pytest.fixture
def local_lake(tmp_path) -> Lake:
    return Lake(LocalDisk(tmp_path))


def write(lake: Lake, *blocks: pl.DataFrame):
    with lake.writer("main", RANGE) as writer:
        for block in blocks:
            writer.append(block)
        return writer.commit(META)


def test_what_is_written_is_read(lake: Lake):
    written = write(lake, lines(7001, 7002), lines(7005))
    assert written.path == "overview/source=main/group=alt.binaries.test/range=000007.parquet"
    assert (written.lines, written.malformed, written.duplicate) == (3, 0, 0)
    assert written.bytes == lake.disk.size(written.path)
    frame, meta = lake.read("main", RANGE)
    assert frame.equals(lines(7001, 7002, 7005))
    assert meta == replace(META, lines=3)
    assert lake.scan("main", RANGE).filter(pl.col("number") > 7001).collect().height == 2


def test_numbers_that_come_twice_are_kept_in_the_sidecar(lake: Lake):
    with lake.writer("main", RANGE) as writer:
        writer.append(lines(7001, 7003))
        writer.reject(rejected(b"no tabs \xff"))
        writer.append(lines(7003, 7002, 7004, 7004))
        written = writer.commit(META)
    assert (written.lines, written.malformed, written.duplicate) == (7, 1, 3)
    frame, meta = lake.read("main", RANGE)
    assert frame.equals(lines(7001, 7003, 7004))
    assert (meta.lines, meta.malformed, meta.duplicate) == (7, 1, 3)
    sidecar = pl.read_parquet(lake.disk.source(rejected_path(written.path)))
    assert sidecar["reason"].to_list() == ["fields", "duplicate", "duplicate", "duplicate"]
    assert sidecar["raw"][0] == b"no tabs \xff"
    assert sidecar["raw"][1].startswith(b'7003\t"film.part7003.rar"')


def test_a_table_is_written_as_its_frame_is(local_lake):
    blocks = [lines(7001, 7003), lines(), lines(7003, 7002, 7004, 7004), lines(7010, 7011)]
    write(local_lake, *blocks)
    of_frames, meta = local_lake.read("main", RANGE)
    with local_lake.writer("main", RANGE) as writer:
        for block in blocks:
            writer.append_table(block.to_arrow(compat_level=pl.CompatLevel.oldest()))
        writer.commit(META)
    of_tables = local_lake.read("main", RANGE)
    assert of_tables[0].equals(of_frames)
    assert of_tables[1] == meta
    assert meta.duplicate == 3


def test_an_empty_range_is_a_file_of_no_rows(lake: Lake):
    assert write(lake).lines == 0
    frame, _ = lake.read("main", RANGE)
    assert frame.equals(schema.OVERVIEW.empty())


def test_leaving_without_commit_leaves_the_old_file_and_no_debris(local_lake: Lake, tmp_path):
    write(local_lake, lines(7001))
    before = sorted(tmp_path.rglob("*"))
    with suppress(ConnectionError), local_lake.writer("main", RANGE) as writer:
        writer.append(lines(7002))
        writer.reject(rejected(b"x"))
        raise ConnectionError
    assert sorted(tmp_path.rglob("*")) == before
    assert local_lake.read("main", RANGE)[0].equals(lines(7001))


def test_a_rewrite_replaces_rows_and_sidecar(lake: Lake):
    with lake.writer("main", RANGE) as writer:
        writer.reject(rejected(b"x"))
        path = writer.commit(META).path
    assert rejected_path(path) in [file.path for file in lake.disk.list("overview")]
    write(lake, lines(7009))
    assert [file.path for file in lake.disk.list("overview")] == [path]
    assert lake.read("main", RANGE)[0].equals(lines(7009))


def test_a_full_disk_leaves_the_old_file(local_lake: Lake, monkeypatch):
    write(local_lake, lines(7001))

    def full(_descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("store.disk.os.fdatasync", full)
    with pytest.raises(DiskFull, match="free some space"):
        write(local_lake, lines(7002))
    assert local_lake.read("main", RANGE)[0].equals(lines(7001))
    assert len(list(local_lake.disk.list(""))) == 1


def test_the_file_describes_its_columns_and_duckdb_reads_it(local_lake: Lake):
    path = local_lake.disk.location(write(local_lake, lines(7001, 7002)).path)
    described = pq.read_schema(path)
    for column in schema.OVERVIEW.columns:
        assert described.field(column.name).metadata[b"description"].decode() == column.meaning
    assert pq.read_metadata(path).metadata[b"overlake.group_reply"] == META.group_reply.encode()
    assert duckdb.sql(f"select sum(number), max(xref) from '{path}'").fetchall() == [(14003, "alt.binaries.test:7002")]


def test_a_file_that_is_no_overview_is_named(lake: Lake):
    with pytest.raises(FileNotFoundError):
        lake.read("main", RANGE)
    path = write(lake, lines(7001)).path
    whole = lake.disk.read(path)
    lake.disk.delete(path)
    lake.disk.create(path, whole[: len(whole) // 2])
    with pytest.raises(OverviewDamaged, match=r"range=000007\.parquet"):
        lake.read("main", RANGE)


def test_names_that_must_not_become_paths_are_refused(lake: Lake):
    with pytest.raises(BadGroupName):
        lake.overview_path("main", Range(1, "../up", 0))
    with pytest.raises(BadGroupName):
        lake.overview_path("a/b", RANGE)


def test_the_footer_alone_tells_what_the_file_says_and_its_dates(lake: Lake):
    write(lake, lines(7001, 7002), lines(7005))
    assert lake.facts("main", RANGE) == (replace(META, lines=3), *[datetime(2020, 1, 1, tzinfo=UTC)] * 2)
    write(lake, lines(7001))
    assert lake.facts("main", RANGE) == (replace(META, lines=1), None, None)
    write(lake, lines())
    assert lake.facts("main", RANGE) == (replace(META, lines=0), None, None)
    with pytest.raises(FileNotFoundError):
        lake.facts("other", RANGE)


def test_a_footer_that_is_cut_is_named(lake: Lake):
    path = write(lake, lines(7001, 7002)).path
    whole = lake.disk.read(path)
    for length in (0, 3, 9, len(whole) // 2, len(whole) - 1):
        lake.disk.delete(path)
        lake.disk.create(path, whole[:length])
        with pytest.raises(OverviewDamaged, match="range=000007"):
            lake.facts("main", RANGE)
