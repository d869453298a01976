"""Verifying: every byte of every published file, and every fault named by file, record and range."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from catalog_batches import GROUP, VERSIONS, Piece, at, batch_of, planned

from store.catalog.collect import collect
from store.catalog.commit import commit_range
from store.catalog.connection import Catalog
from store.chunks import verify
from store.disk import DiskFailed, LocalDisk
from store.verify import Fault, published_files, verify_file

KEY = "201203~a.b.linux~000000"
PIECES = [
    Piece("debian", 1),
    Piece("fedora", 2, segments=1),
    Piece("opensuse", 3, name="open\0suse", poster="an\0n <a@example.org>"),
]


@pytest.fixture
def filled(catalog: Catalog, disk: LocalDisk) -> Catalog:
    planned(catalog, 2)
    commit_range(catalog, disk, at(0), batch_of(PIECES), VERSIONS)
    commit_range(catalog, disk, at(1), batch_of([Piece("arch", 31)]), VERSIONS)
    return catalog


def faults(catalog: Catalog, disk: LocalDisk) -> list[Fault]:
    return [fault for file in published_files(catalog) for fault in verify_file(catalog, disk, file).faults]


def flip(disk: LocalDisk, path: str, byte: int, bit: int = 0) -> None:
    damaged = bytearray((disk.root / path).read_bytes())
    damaged[byte] ^= 1 << bit
    (disk.root / path).write_bytes(damaged)


def test_a_store_as_written_has_no_faults(filled: Catalog, disk: LocalDisk):
    files = published_files(filled)
    assert [(file.group, file.range_index, file.is_edge, file.key) for file in files] == [
        (GROUP, 0, False, KEY),
        (GROUP, 1, False, "201204~a.b.linux~000001"),
    ]
    assert [verify_file(filled, disk, file).records for file in files] == [3, 1]
    assert faults(filled, disk) == []


def test_files_are_chosen_by_group_range_and_where_a_run_ended(filled: Catalog):
    first, second = published_files(filled)
    assert published_files(filled, keys=[KEY]) == [first]
    assert published_files(filled, after=first.path) == [second]
    assert published_files(filled, "*.linux") == [first, second]
    assert published_files(filled, "*.music") == []


def test_a_flipped_bit_in_a_record_names_file_record_and_range(filled: Catalog, disk: LocalDisk):
    path = published_files(filled)[0].path
    places = verify(disk, path).places
    flip(disk, path, places[1].offset + 7)
    flip(disk, path, places[2].offset + places[2].length - 1, bit=7)
    found = faults(filled, disk)
    assert [(fault.path, fault.record, fault.key, fault.kind) for fault in found] == [
        (path, 1, KEY, "damaged"),
        (path, 2, KEY, "damaged"),
    ]
    assert all(path in fault.message and "backfill" in fault.message for fault in found)


def test_any_flipped_bit_is_a_fault_of_its_file(filled: Catalog, disk: LocalDisk):
    file = published_files(filled)[1]
    whole = (disk.root / file.path).read_bytes()
    (place,) = verify(disk, file.path).places
    chance = random.Random(4)
    for byte in range(0, len(whole), 3):
        flip(disk, file.path, byte, chance.randrange(8))
        found = verify_file(filled, disk, file).faults
        assert [(fault.path, fault.kind) for fault in found] == [(file.path, "damaged")], byte
        in_record = place.offset <= byte < place.offset + place.length
        assert found[0].record == (0 if in_record else None), byte
        (disk.root / file.path).write_bytes(whole)


def test_a_missing_and_a_cut_file_are_named(filled: Catalog, disk: LocalDisk):
    first, second = published_files(filled)
    disk.delete(first.path)
    whole = (disk.root / second.path).read_bytes()
    (disk.root / second.path).write_bytes(whole[:-1])
    assert [(fault.path, fault.kind) for fault in faults(filled, disk)] == [
        (first.path, "missing"),
        (second.path, "damaged"),
    ]


def test_a_disk_that_fails_is_named_and_the_others_are_read(filled: Catalog, disk: LocalDisk):
    first, _ = published_files(filled)

    class FailingDisk(LocalDisk):
        def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes:
            if path == first.path:
                raise DiskFailed(5, f"{path}: Input/output error")
            return super().read(path, offset, length)

    found = faults(filled, FailingDisk(disk.root))
    assert [(fault.path, fault.kind) for fault in found] == [(first.path, "unreadable")]


COLUMNS = [
    ("byte_offset", "byte_offset + 1", "offset"),
    ("byte_length", "byte_length - 1", "length"),
    ("checksum", "checksum # 1", "checksum"),
    ("base_key", "base_key + 1", "base_key"),
    ("stem_key", "7", "stem_key"),
    ("name", "name || '!'", "name"),
    ("poster_id", "(SELECT max(poster_id) FROM posters)", "poster"),
    ("set_id", "(SELECT set_id FROM group_sets WHERE groups = '{}')", "groups"),
    ("first_posted", "first_posted + interval '1 second'", "first_posted"),
    ("files", "files + 1", "files"),
    ("files_expected", "NULL", "files_expected"),
    ("segments", "segments + 1", "segments"),
    ("segments_expected", "segments_expected + 1", "segments_expected"),
    ("bytes", "bytes - 1", "bytes"),
    ("kind_id", "(SELECT max(kind_id) FROM kinds)", "has_par2, category, tool"),
    ("file_marks", "'\\x00'", "file_marks"),
]


OTHERS = [
    "INSERT INTO posters (poster) VALUES ('another')",
    "INSERT INTO group_sets (groups) VALUES ('{}')",
    """INSERT INTO kinds (tool, grouped_by, named_by, signature, category, has_par2, readable_name, repost)
    SELECT signature, grouped_by, named_by, signature, 8010, NOT has_par2, readable_name, repost FROM kinds LIMIT 1""",
]


@pytest.mark.parametrize(("column", "value", "named"), COLUMNS, ids=[column for column, *_ in COLUMNS])
def test_a_row_that_says_something_else_than_the_file_is_named(
    filled: Catalog, disk: LocalDisk, column: str, value: str, named: str
):
    file = published_files(filled)[0]
    with filled.transaction() as connection:
        for statement in OTHERS:
            connection.execute(statement.encode())
        statement = f"UPDATE records SET {column} = {value} WHERE ordinal = 1 AND file_id = {file.file_id}"
        assert connection.execute(statement.encode()).rowcount == 1
    (fault,) = faults(filled, disk)
    assert (fault.path, fault.record, fault.kind) == (file.path, 1, "differs")
    assert fault.message == f"the catalog has another {named}"


def test_rows_that_are_gone_or_too_many_are_named(filled: Catalog, disk: LocalDisk):
    first, second = published_files(filled)
    with filled.transaction() as connection:
        connection.execute(b"DELETE FROM records WHERE ordinal = 2")
        connection.execute(f"UPDATE records SET file_id = {second.file_id}, ordinal = 7 WHERE ordinal = 1".encode())
    messages = {fault.path: fault.message for fault in faults(filled, disk)}
    assert messages == {
        first.path: "it holds 3 records, the catalog 1",
        second.path: "it holds 1 records, the catalog 2",
    }


def test_a_file_in_the_place_of_another_is_named(filled: Catalog, disk: LocalDisk):
    first, second = published_files(filled)
    (disk.root / first.path).write_bytes((disk.root / second.path).read_bytes())
    messages = [fault.message for fault in faults(filled, disk)]
    assert f"its header is that of {second.path}" in messages


def test_a_record_without_dates_agrees_with_the_month_it_has_in_the_catalog(catalog: Catalog, disk: LocalDisk):
    batch = batch_of([Piece("debian")])
    undated = batch.records.with_columns(first_posted=None, last_posted=None).cast(dict(batch.records.schema))
    batch = type(batch)(**{name: getattr(batch, name) for name in batch.__slots__} | {"records": undated})
    planned(catalog, 1)
    commit_range(catalog, disk, at(0), batch, VERSIONS)
    assert faults(catalog, disk) == []


def test_a_file_replaced_and_collected_meanwhile_has_no_faults(filled: Catalog, disk: LocalDisk):
    old = published_files(filled)[0]
    commit_range(filled, disk, at(0), batch_of(PIECES[:1]), VERSIONS)
    collect(filled, disk, datetime.now(UTC) + timedelta(hours=2), timedelta(0), timedelta(days=1))
    assert verify_file(filled, disk, old).faults == ()
    assert faults(filled, disk) == []
