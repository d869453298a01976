"""An index filled under an older schema is brought up to date: nothing is lost, and the ids that clients know still lead there."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

import polars as pl
import psycopg
import pytest
from catalog_batches import EPOCH, GROUP, VERSIONS, Piece, at, batch_of, key_of, planned, shown
from psycopg import sql
from yoyo import get_backend, read_migrations

from catalog_sql import migrations
from pipeline.batch import Batch
from store.catalog.commit import commit_range
from store.catalog.connection import Catalog, migrate
from store.catalog.probes import finish_probe, take_probes
from store.catalog.search import Search, places, release, search
from store.catalog.settle import settle
from store.disk import LocalDisk
from store.postgres import EmbeddedPostgres
from store.verify import published_files, verify_file

OTHER = "alt.binaries.maps"
DAY = timedelta(days=1)
_NUMBERS = itertools.count()
KEPT = (
    "sources", "groups", "group_numbers", "labels", "ranges", "edges", "counters", "chunk_files", "verdicts", "samples", "fragments",
)  # fmt: skip
RECORDS = """
SELECT file_id, ordinal, base_key, byte_offset, checksum, byte_length, files, first_posted, last_posted, segments, segments_expected, records.bytes,
    files_expected, kinds.category, tool, grouped_by, named_by, signature, has_par2, readable_name, records.name, poster, groups, lone_number, repost,
    request_id
FROM records JOIN posters USING (poster_id) JOIN group_sets USING (set_id) JOIN kinds USING (kind_id)
"""
RELEASES = """
SELECT release_id, first_posted, last_posted, segments, segments_expected, bytes, added_at, changed_at, records, files, files_expected,
    releases.category, tool, CASE WHEN by_pool THEN (SELECT label_id FROM labels WHERE label = 'counter') ELSE grouped_by END AS grouped_by, named_by,
    signature, releases.has_par2, releases.readable_name, release_id NOT IN (SELECT release_id FROM open_releases) AS settled, repost_of, name, poster,
    groups, releases.repost, request_id
FROM releases JOIN posters USING (poster_id) JOIN group_sets USING (set_id) JOIN kinds USING (kind_id)
"""


def files_of(count: int, whole: bool) -> bytes:
    """Marks of that many files; of others than `whole` ones every third lacks segments."""
    values = [
        (n * 40503 % 2**24) << 40 | (n + 250) << 20 | (n + 250 - (0 if whole else n % 3 == 0)) for n in range(count)
    ]
    return b"".join(value.to_bytes(8) for value in sorted(values))


@dataclass(frozen=True)
class Index:
    """A catalog under the present schema, and the batch of each of its chunk files."""

    catalog: Catalog
    disk: LocalDisk
    batches: dict[str | None, Batch]

    def of_files(self) -> dict[int, Batch]:
        with self.catalog.transaction() as connection:
            rows = connection.execute("SELECT file_id, path FROM chunk_files WHERE retired_at IS NULL").fetchall()
        return {file_id: self.batches[path] for file_id, path in rows}


@pytest.fixture
def index(catalog: Catalog, disk: LocalDisk) -> Index:
    """Releases over two groups, a repost, a lone file, broken text, marks of many sizes, and releases that settled."""
    with catalog.transaction() as connection:
        connection.execute("INSERT INTO sources VALUES (1, 'main')")
        # Commits of 0002 made this label; now the view says the word.
        connection.execute("INSERT INTO labels (label) VALUES ('counter')")
    planned(catalog, 2, (GROUP, OTHER))
    parts = [Piece("debian", 1, files_expected=3, tag=tag, groups=(GROUP, OTHER)) for tag in "ab"]
    first = batch_of(
        [parts[0], Piece("fedora", 2), Piece("drawn", 3), Piece("drawn", 3.1, tag="b"), Piece("Café Préludes", 4), Piece("single", 5)]
    )  # fmt: skip
    lone = pl.col("record").is_in([2, 3, 5])
    # Two files of one stem, and one of a stem that no other file has.
    records = first.records.with_columns(
        stem_key=pl.when(lone).then(pl.col("record").replace_strict({5: key_of("other stem")}, default=key_of("stem"))),
        pool_key=pl.when(lone).then("base_key"),
        lone_number=pl.when(lone).then(pl.col("record").cast(pl.Int32)),
        file_marks=pl.Series([files_of(1, True), files_of(9, False), files_of(1, True), b"", files_of(70, False), b""]),
        segments_expected=pl.when(pl.col("record") == 4).then(2**33).otherwise("segments_expected"),
    )
    batches: dict[str | None, Batch] = {}
    for range_, batch in (
        (at(0), replace(first, records=records)),
        (at(1), batch_of([Piece("fedora", 32), Piece("arch", 31, segments=1)])),
        (at(0, OTHER), batch_of([parts[1]])),
    ):
        batches[commit_range(catalog, disk, range_, batch, VERSIONS).path] = batch
    with catalog.transaction() as connection:
        connection.execute("UPDATE edges SET dirty = false")
        connection.execute("UPDATE ranges SET first_posted = %s, last_posted = %s", [EPOCH, EPOCH + 20 * DAY])
    assert settle(catalog, datetime.now(UTC) + 2 * DAY, DAY, DAY) > 0
    return Index(catalog, disk, batches)


def old_id(release_id: UUID) -> UUID:
    """An id under the older schema; it has nothing to do with the base key."""
    return uuid5(release_id, "old")


@pytest.fixture
def upgraded(index: Index, postgres: EmbeddedPostgres) -> Iterator[Catalog]:
    """The same index as the schema of 0002 held it, brought up to date."""
    name = f"older_{next(_NUMBERS)}"
    postgres.create_database(name)
    dsn = postgres.dsn(name)
    older = read_migrations(str(migrations())).filter(lambda migration: migration.id < "0003")
    backend = get_backend(dsn.replace("postgresql:", "postgresql+psycopg:"))
    backend.apply_migrations(backend.to_apply(older))
    backend.connection.close()
    with index.catalog.transaction() as source, psycopg.connect(dsn) as target:
        for table in KEPT:
            # Columns that came later are not among them.
            names, _ = _rows(target, f"SELECT * FROM {table} LIMIT 0")
            _insert(target, table, *_rows(source, f"SELECT {', '.join(names)} FROM {table}"))
        columns, rows = _rows(source, RECORDS)
        batches = index.of_files()
        whole_keys = {
            int.from_bytes(key[:8]): UUID(bytes=key)
            for batch in batches.values()
            for key in (*batch.records["base_key"], *batch.records["stem_key"].drop_nulls())
        }
        keys = ("stem_key", "pool_key", "file_marks")
        facts = [batches[row[0]].records.select(keys).row(row[1]) for row in rows]
        rows = [
            (*row[:2], whole_keys[row[2] % 2**64], *row[3:], *(key and UUID(bytes=key) for key in fact[:2]), fact[2])
            for row, fact in zip(rows, facts, strict=True)
        ]
        _insert(target, "records", (*columns, *keys), rows)
        columns, rows = _rows(source, RELEASES)
        at_id, at_repost = columns.index("release_id"), columns.index("repost_of")
        old = [
            (whole_keys[row[at_id].int >> 64], *(_known(value) if at in (at_id, at_repost) else value for at, value in enumerate(row)))
            for row in rows
        ]  # fmt: skip
        _insert(target, "releases", ("base_key", *columns), old)
        some = old_id(rows[0][at_id])
        _insert(target, "release_aliases", ("alias", "release_id"), [(UUID(int=5), some)])
        probes = [
            (file_id, probe["record"], UUID(bytes=probe["file_key"]), probe["kind"], probe["message_id"], probe["priority"])
            for file_id, batch in batches.items()
            for probe in batch.probes.to_dicts()
        ]  # fmt: skip
        _insert(target, "probes", ("file_id", "ordinal", "file_key", "kind", "message_id", "priority"), probes)
        target.execute(
            "SELECT setval(pg_get_serial_sequence('chunk_files', 'file_id'), 100), setval('owners', 100), setval(pg_get_serial_sequence('labels', 'label_id'), 100)"
        )
    migrate(dsn)
    with Catalog(dsn, "") as catalog:
        yield catalog


def _known(release_id: UUID | None) -> UUID | None:
    return release_id and old_id(release_id)


def _rows(connection: psycopg.Connection[Any], statement: str) -> tuple[tuple[str, ...], list[Any]]:
    cursor = connection.execute(statement.encode())
    return tuple(column.name for column in cursor.description or ()), cursor.fetchall()


def _insert(connection: psycopg.Connection[Any], table: str, columns: tuple[str, ...], rows: list[Any]) -> None:
    statement = sql.SQL("INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE VALUES ({})").format(
        sql.Identifier(table),
        sql.SQL(", ").join(map(sql.Identifier, columns)),
        sql.SQL(", ").join([sql.Placeholder()] * len(columns)),
    )
    with connection.cursor() as cursor:
        cursor.executemany(statement, rows)


def test_nothing_is_lost(index: Index, upgraded: Catalog):
    assert shown(upgraded) == shown(index.catalog)
    assert [verify_file(upgraded, index.disk, file).faults for file in published_files(upgraded)] == [()] * 3
    statement = "SELECT file_id, ordinal, base_key, stem_key, pool_key, file_marks FROM records ORDER BY 1, 2"
    with index.catalog.transaction() as fresh, upgraded.transaction() as old:
        assert old.execute(statement).fetchall() == fresh.execute(statement).fetchall()


def test_ids_that_clients_know_still_lead_to_their_releases(index: Index, upgraded: Catalog):
    found = search(index.catalog, Search()).releases
    assert len(found) >= 6
    for one in found:
        known = release(upgraded, old_id(one.id))
        assert known is not None
        assert (known.name, known.first_posted, known.added_at) == (one.name, one.first_posted, one.added_at)
        assert places(upgraded, old_id(one.id)) == places(index.catalog, one.id)
        assert known.repost_of is None or release(upgraded, known.repost_of) is not None
    assert any(one.repost_of for one in search(upgraded, Search()).releases)
    assert {one.grouped_by for one in found} == {"stem", "counter"}
    assert release(upgraded, UUID(int=5)) is not None


def test_work_goes_on_and_ids_stay(index: Index, upgraded: Catalog):
    before = {one.id for one in search(upgraded, Search()).releases}
    for range_, batch in ((at(0), 0), (at(1), 1), (at(0, OTHER), 2)):
        commit_range(upgraded, index.disk, range_, list(index.batches.values())[batch], VERSIONS)
    found = search(upgraded, Search()).releases
    assert {one.id for one in found} == before
    assert not any(one.settled for one in found)
    assert all(release(upgraded, old_id(one.id)) in found for one in search(index.catalog, Search()).releases)


def test_the_probe_queue_goes_on(index: Index, upgraded: Catalog):
    taken = take_probes(upgraded, 100, "worker", DAY)
    assert len(taken) == sum(batch.records.height for batch in index.batches.values())
    assert all(finish_probe(upgraded, probe, "worker") for probe in taken)
