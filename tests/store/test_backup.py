"""Backup and restore: the catalog and the chunk files of one moment, whole or not at all."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from catalog_batches import VERSIONS, Piece, at, batch_of, count, planned, shown
from object_service import ObjectService, running_service

from store import backup
from store.backup import BackupFailed, Contents, back_up, restore
from store.catalog.collect import collect
from store.catalog.commit import commit_range
from store.catalog.connection import Catalog, CatalogUnavailable
from store.catalog.keys import create, verify
from store.catalog.search import Search, places, search
from store.chunks import Place, fetch_record
from store.configuration import Settings
from store.disk import Disk, LocalDisk
from store.objects import ObjectDisk
from store.postgres import PostgresFailed, client_program
from store.verify import published_files, verify_file

PIECES = [Piece("debian", 1), Piece("fedora", 2, segments=1)]


def nothing(_done: int, _total: int) -> None:
    pass


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "backup"


@pytest.fixture
def filled(catalog: Catalog, disk: LocalDisk) -> Catalog:
    planned(catalog, 3)
    for index in range(2):
        commit_range(catalog, disk, at(index), batch_of([*PIECES, Piece("arch", 31 * index)]), VERSIONS)
    return catalog


@pytest.fixture(scope="module")
def service() -> Iterator[ObjectService]:
    with running_service() as running:
        yield running


def contents(catalog: Catalog, disk: Disk) -> dict[Any, Any]:
    """Every release with what its records hold."""
    return {
        release.id: [
            fetch_record(disk, at.path, Place(at.offset, at.length, at.checksum)).segments.to_dicts()
            for at in places(catalog, release.id)
        ]
        for release in search(catalog, Search()).releases
    }


def settings_of(catalog: Catalog, data: Path) -> Settings:
    return Settings.model_validate({"data": data, "catalog": {"dsn": catalog.dsn}})


def restored(catalog: Catalog, disk: Disk, folder: Path, allow_missing: bool = False) -> Contents:
    return restore(settings_of(catalog, folder), disk, folder, allow_missing, nothing)


def copies(folder: Path) -> list[str]:
    return [file.path for file in LocalDisk(folder).list("chunks")]


def test_a_restored_index_holds_and_serves_the_same(
    filled: Catalog, disk: LocalDisk, folder: Path, fresh_catalog: Callable[[], Catalog], tmp_path: Path
):
    secret = create(filled, "reader")
    before, rows = contents(filled, disk), shown(filled)
    made = back_up(filled.dsn, disk, folder, True, nothing)
    assert (made.chunk_files, made.left_out) == (2, {})
    assert made.chunk_bytes == sum(file.bytes for file in published_files(filled))
    again, elsewhere = fresh_catalog(), LocalDisk(tmp_path / "elsewhere")
    assert restored(again, elsewhere, folder) == made
    assert shown(again) == rows
    assert contents(again, elsewhere) == before
    assert verify(again, secret) is not None
    assert all(verify_file(again, elsewhere, file).faults == () for file in published_files(again))
    # It goes on as the first would have.
    assert commit_range(again, elsewhere, at(2), batch_of([Piece("later", 70)]), VERSIONS).generation == 1


def test_a_restored_index_goes_to_object_storage_as_well(
    filled: Catalog,
    disk: LocalDisk,
    folder: Path,
    fresh_catalog: Callable[[], Catalog],
    service: ObjectService,
):
    bucket = ObjectDisk(f"s3://{service.bucket()}/x", service.endpoint)
    before = contents(filled, disk)
    back_up(filled.dsn, disk, folder, True, nothing)
    first = fresh_catalog()
    restored(first, bucket, folder)
    assert contents(first, bucket) == before
    # And back from there.
    other = folder.parent / "other"
    back_up(first.dsn, bucket, other, True, nothing)
    second, elsewhere = fresh_catalog(), LocalDisk(folder.parent / "elsewhere")
    restored(second, elsewhere, other)
    assert contents(second, elsewhere) == before


def test_catalog_and_manifest_are_of_one_moment_whatever_runs_meanwhile(
    filled: Catalog, disk: LocalDisk, folder: Path, fresh_catalog: Callable[[], Catalog], tmp_path: Path
):
    """While the files are copied a range is materialized again, another one is new, and the collector comes by."""
    before, rows = contents(filled, disk), shown(filled)
    later = datetime.now(UTC) + timedelta(days=2)

    def meanwhile(done: int, _total: int) -> None:
        if done == 1:
            commit_range(filled, disk, at(1), batch_of([Piece("changed", 40)]), VERSIONS)
            commit_range(filled, disk, at(2), batch_of([Piece("new", 70)]), VERSIONS)
            assert collect(filled, disk, later, timedelta(0), timedelta(days=30)).retired == 0

    made = back_up(filled.dsn, disk, folder, True, meanwhile)
    assert (made.left_out, made.chunk_files) == ({}, 2)
    assert collect(filled, disk, later, timedelta(0), timedelta(days=30)).retired == 1
    again, elsewhere = fresh_catalog(), LocalDisk(tmp_path / "elsewhere")
    restored(again, elsewhere, folder)
    assert shown(again) == rows
    assert contents(again, elsewhere) == before


def test_the_next_backup_reads_only_what_is_new_and_drops_what_is_gone(
    filled: Catalog, disk: LocalDisk, folder: Path, tmp_path: Path
):
    read_paths: set[str] = set()

    class CountingDisk(LocalDisk):
        def read(self, path: str, offset: int = 0, length: int | None = None) -> bytes:
            read_paths.add(path)
            return super().read(path, offset, length)

    back_up(filled.dsn, disk, folder, True, nothing)
    commit_range(filled, disk, at(0), batch_of(PIECES[:1]), VERSIONS)
    counting = CountingDisk(disk.root)
    back_up(filled.dsn, counting, folder, True, nothing)
    live = [file.path for file in published_files(filled)]
    assert read_paths == {path for path in live if path.endswith("-2.zst")}
    assert copies(folder) == live
    assert len(list(folder.glob("catalog-*.dump"))) == len(list(folder.glob("chunks-*.csv"))) == 1


def test_a_list_only_backup_needs_the_files_in_the_store(
    filled: Catalog, disk: LocalDisk, folder: Path, fresh_catalog: Callable[[], Catalog], tmp_path: Path
):
    back_up(filled.dsn, disk, folder, False, nothing)
    assert copies(folder) == []
    again, elsewhere = fresh_catalog(), LocalDisk(tmp_path / "elsewhere")
    with pytest.raises(BackupFailed, match="2 chunk files are neither in"):
        restored(again, elsewhere, folder)
    assert count(again, "ranges") == 0
    restored(again, disk, folder)
    assert contents(again, disk) == contents(filled, disk)
    third = fresh_catalog()
    restored(third, elsewhere, folder, allow_missing=True)
    assert shown(third) == shown(filled)


def test_a_file_that_is_missing_or_cut_is_left_out_and_named(filled: Catalog, disk: LocalDisk, folder: Path):
    first, second = (file.path for file in published_files(filled))
    disk.delete(first)
    (disk.root / second).write_bytes((disk.root / second).read_bytes()[:-1])
    made = back_up(filled.dsn, disk, folder, True, nothing)
    assert made.chunk_files == 0
    assert set(made.left_out) == {first, second}
    assert "the catalog says" in made.left_out[second]


def test_a_catalog_that_is_not_empty_is_not_overwritten(
    filled: Catalog, disk: LocalDisk, folder: Path, fresh_catalog: Callable[[], Catalog]
):
    back_up(filled.dsn, disk, folder, True, nothing)
    used = fresh_catalog()
    create(used, "somebody")
    for catalog in (filled, used):
        before = shown(catalog), count(catalog, "api_keys")
        with pytest.raises(BackupFailed, match="not empty"):
            restored(catalog, disk, folder)
        assert (shown(catalog), count(catalog, "api_keys")) == before


def test_tables_of_another_program_are_not_dropped(
    filled: Catalog, disk: LocalDisk, folder: Path, fresh_catalog: Callable[[], Catalog]
):
    back_up(filled.dsn, disk, folder, True, nothing)
    other = fresh_catalog()
    with other.transaction() as connection:
        connection.execute(b"DROP SCHEMA public CASCADE; CREATE SCHEMA public; CREATE TABLE letters (body text)")
    with pytest.raises(BackupFailed, match="not empty"):
        restored(other, disk, folder)
    assert count(other, "letters") == 0


def damaged_dump(folder: Path) -> None:
    (dump,) = folder.glob("catalog-*.dump")
    data = bytearray(dump.read_bytes())
    data[len(data) // 2] ^= 1
    dump.write_bytes(data)


def damaged_manifest(folder: Path) -> None:
    (manifest,) = folder.glob("chunks-*.csv")
    manifest.write_text(manifest.read_text().replace(",", ";", 1))


def missing_dump(folder: Path) -> None:
    next(folder.glob("catalog-*.dump")).unlink()


def damaged_copy(folder: Path) -> None:
    copy = folder / copies(folder)[0]
    data = bytearray(copy.read_bytes())
    data[len(data) // 2] ^= 1
    copy.write_bytes(data)


def later_format(folder: Path) -> None:
    facts = json.loads((folder / "backup.json").read_text())
    (folder / "backup.json").write_text(json.dumps(facts | {"format": 99}))


def no_json(folder: Path) -> None:
    (folder / "backup.json").write_text("{")


def unfinished(folder: Path) -> None:
    (folder / "backup.json").unlink()


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (damaged_dump, "is not what was written"),
        (damaged_manifest, "is not what was written"),
        (missing_dump, "is missing"),
        (damaged_copy, "is not what was backed up"),
        (later_format, "has format 99"),
        (no_json, "cannot be read"),
        (unfinished, "no finished backup"),
    ],
)
def test_a_damaged_backup_is_refused_and_nothing_is_restored(
    filled: Catalog,
    disk: LocalDisk,
    folder: Path,
    fresh_catalog: Callable[[], Catalog],
    tmp_path: Path,
    harm: Callable[[Path], None],
    said: str,
):
    back_up(filled.dsn, disk, folder, True, nothing)
    harm(folder)
    again = fresh_catalog()
    with pytest.raises(BackupFailed, match=said):
        restored(again, LocalDisk(tmp_path / "elsewhere"), folder)
    assert count(again, "ranges") == count(again, "chunk_files") == 0


def test_a_folder_that_holds_something_else_is_not_touched(filled: Catalog, disk: LocalDisk, tmp_path: Path):
    """Above all the data folder itself, whose chunk files would be taken for copies."""
    before = [(file.path, file.size) for file in disk.list("")]
    with pytest.raises(BackupFailed, match="something else than a backup"):
        back_up(filled.dsn, disk, disk.root, True, nothing)
    assert [(file.path, file.size) for file in disk.list("")] == before


def test_two_at_once_are_refused(filled: Catalog, disk: LocalDisk, folder: Path, fresh_catalog: Callable[[], Catalog]):
    def second(_done: int, _total: int) -> None:
        with pytest.raises(BackupFailed, match="another backup into"):
            back_up(filled.dsn, disk, folder, True, nothing)

    back_up(filled.dsn, disk, folder, True, second)
    again = fresh_catalog()

    def other(_done: int, _total: int) -> None:
        with pytest.raises(BackupFailed, match="another restore"):
            restored(again, disk, folder)

    restore(settings_of(again, folder), disk, folder, False, other)
    assert shown(again) == shown(filled)


def test_the_dump_is_its_owners_alone_and_no_password_is_among_arguments(
    filled: Catalog, disk: LocalDisk, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    seen: list[tuple[list[str], dict[str, str]]] = []
    run = subprocess.run

    def spy(command: list[str], **options: Any) -> Any:
        if "--version" not in command:
            seen.append((command, options["env"]))
        return run(command, **options)

    monkeypatch.setattr(backup.subprocess, "run", spy)
    dsn = filled.dsn.replace("overlake@", "overlake:pw0rd@")
    back_up(dsn, disk, folder, True, nothing)
    ((command, environment),) = seen
    assert "pw0rd" not in " ".join(command)
    assert environment["PGPASSWORD"] == "pw0rd"
    (dump,) = folder.glob("catalog-*.dump")
    assert dump.stat().st_mode & 0o077 == 0
    assert "pw0rd" not in (folder / "backup.json").read_text()


def test_a_server_that_is_not_there_is_said(disk: LocalDisk, folder: Path):
    with pytest.raises(CatalogUnavailable, match="does not answer"):
        back_up("postgresql://overlake@127.0.0.1:1/overlake", disk, folder, True, nothing)


def test_a_server_newer_than_every_client_program_is_said():
    assert client_program("pg_dump", 18).name == "pg_dump"
    with pytest.raises(PostgresFailed, match="install the client programs of PostgreSQL 99"):
        client_program("pg_dump", 99)


KILLED = """
import os, signal, sys
from pathlib import Path
from store.backup import back_up, restore
from store.configuration import Settings
from store.disk import LocalDisk

mode, dsn, disk, folder, step = sys.argv[1], sys.argv[2], LocalDisk(Path(sys.argv[3])), Path(sys.argv[4]), int(sys.argv[5])
steps = 0

def die_at_step(event, args):
    global steps
    if event in ("open", "os.rename", "os.remove", "subprocess.Popen", "os.mkdir"):
        touched = " ".join(map(str, args[:2]))
        if str(folder.parent) in touched or event == "subprocess.Popen":
            steps += 1
            if steps == step:
                os.kill(os.getpid(), signal.SIGKILL)

sys.addaudithook(die_at_step)
if mode == "backup":
    back_up(dsn, disk, folder, True, lambda *_: None)
else:
    settings = Settings.model_validate({"data": folder, "catalog": {"dsn": dsn}})
    restore(settings, disk, folder, False, lambda *_: None)
"""


def killed_at(mode: str, catalog: Catalog, disk: LocalDisk, folder: Path, step: int) -> bool:
    """Run in a process that is killed at its n-th file operation; false when it ended before."""
    command = [sys.executable, "-c", KILLED, mode, catalog.dsn, str(disk.root), str(folder), str(step)]
    done = subprocess.run(command, capture_output=True, env={**os.environ, "PYTHONPATH": os.getcwd()})  # noqa: PLW1510, PTH109
    assert done.returncode in (0, -signal.SIGKILL), done.stderr.decode()
    return done.returncode != 0


def test_a_backup_that_is_killed_leaves_the_last_one_whole(
    filled: Catalog, disk: LocalDisk, folder: Path, fresh_catalog: Callable[[], Catalog], tmp_path: Path
):
    old, old_rows = back_up(filled.dsn, disk, folder, True, nothing), shown(filled)
    commit_range(filled, disk, at(0), batch_of([Piece("changed", 3)]), VERSIONS)
    new_rows = shown(filled)
    assert new_rows != old_rows
    step, kills = 1, 0
    while killed_at("backup", filled, disk, folder, step):
        kills += 1
        state = backup.read_contents(folder)
        again, elsewhere = fresh_catalog(), LocalDisk(tmp_path / f"elsewhere-{step}")
        restored(again, elsewhere, folder)
        assert shown(again) == (old_rows if state == old else new_rows), step
        assert len(contents(again, elsewhere)) == len(shown(again))
        step += 4
    assert kills > 3
    assert copies(folder) == [file.path for file in published_files(filled)]
    assert not list(folder.rglob(".tmp-*"))


def test_a_restore_that_is_killed_is_run_again(
    filled: Catalog, disk: LocalDisk, folder: Path, fresh_catalog: Callable[[], Catalog], tmp_path: Path
):
    back_up(filled.dsn, disk, folder, True, nothing)
    again, elsewhere = fresh_catalog(), LocalDisk(tmp_path / "elsewhere")
    step, kills = 1, 0
    while killed_at("restore", again, elsewhere, folder, step):
        kills += 1
        step += 3
    assert kills > 3
    assert shown(again) == shown(filled)
    assert contents(again, elsewhere) == contents(filled, disk)


def test_the_collector_works_again_after_a_backup_was_killed(filled: Catalog, disk: LocalDisk, folder: Path):
    commit_range(filled, disk, at(0), batch_of(PIECES[:1]), VERSIONS)
    assert killed_at("backup", filled, disk, folder, 6)
    limit = time.monotonic() + 30
    while collect(filled, disk, datetime.now(UTC) + timedelta(days=2), timedelta(0), timedelta(days=30)).retired != 1:
        assert time.monotonic() < limit
        time.sleep(0.1)
