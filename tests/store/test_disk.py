"""The disk: files appear whole and durable, or not at all. What every disk must do runs over a folder and over object storage."""

import errno
import os
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from object_service import SECRET, ObjectService, faulty, running_service

from store.disk import BadPath, Disk, DiskFailed, DiskFull, LocalDisk, writing
from store.objects import ObjectDisk


@pytest.fixture(scope="module")
def service() -> Iterator[ObjectService]:
    with running_service() as running:
        yield running


@pytest.fixture
def disk(tmp_path) -> LocalDisk:
    return LocalDisk(tmp_path / "store")


@pytest.fixture(params=["folder", "bucket", "prefix"])
def any_disk(request: pytest.FixtureRequest, tmp_path) -> Disk:
    """Each kind of disk in turn."""
    if request.param == "folder":
        return LocalDisk(tmp_path / "store")
    service: ObjectService = request.getfixturevalue("service")
    url = f"s3://{service.bucket()}" + ("/one/two" if request.param == "prefix" else "")
    return ObjectDisk(url, service.endpoint)


@pytest.fixture
def bucket(service: ObjectService) -> str:
    return service.bucket()


def failing(code: int):
    def fail(*_args):
        raise OSError(code, "injected")

    return fail


def paths(disk: Disk, prefix: str = "") -> list[str]:
    return [file.path for file in disk.list(prefix)]


def test_a_created_file_is_read_back(any_disk: Disk):
    assert any_disk.create("chunks/a=b/1.zst", b"0123456789") == 10
    assert any_disk.create("chunks/a=b/2.zst", [b"ab", b"cd"]) == 4
    assert any_disk.read("chunks/a=b/1.zst", 2, 3) == b"234"
    assert any_disk.read("chunks/a=b/1.zst", 8, 30) == b"89"
    assert any_disk.read("chunks/a=b/1.zst", 7) == b"789"
    assert any_disk.read("chunks/a=b/1.zst", 3, 0) == b""
    assert any_disk.read("chunks/a=b/1.zst", 10, 5) == b""
    assert any_disk.read("chunks/a=b/1.zst", 99) == b""
    assert any_disk.read("chunks/a=b/2.zst") == b"abcd"
    assert any_disk.size("chunks/a=b/2.zst") == 4
    assert [(file.path, file.size) for file in any_disk.list("chunks")] == [
        ("chunks/a=b/1.zst", 10),
        ("chunks/a=b/2.zst", 4),
    ]


def test_an_empty_file_is_a_file(any_disk: Disk):
    assert any_disk.create("a", b"") == 0
    assert any_disk.read("a") == any_disk.read("a", 0, 5) == b""
    assert (any_disk.size("a"), paths(any_disk)) == (0, ["a"])


def test_files_are_listed_in_order_of_path_below_a_folder_only(any_disk: Disk):
    for path in ("b/x", "a-b/x", "a/b/c", "a/b-c", "a.x", "ab"):
        any_disk.create(path, b"x")
    assert paths(any_disk) == sorted(["b/x", "a-b/x", "a/b/c", "a/b-c", "a.x", "ab"])
    assert paths(any_disk, "a") == ["a/b-c", "a/b/c"]
    assert paths(any_disk, "nothing") == []


def test_more_files_than_a_service_lists_at_once_are_all_listed(service: ObjectService, bucket: str):
    disk = ObjectDisk(f"s3://{bucket}", service.endpoint)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: disk.create(f"chunks/{number:05}", b"x"), range(1_050)))
    assert paths(disk, "chunks") == [f"chunks/{number:05}" for number in range(1_050)]


def test_create_never_overwrites(any_disk: Disk):
    any_disk.create("a", b"old")
    with pytest.raises(FileExistsError):
        any_disk.create("a", b"new")
    with pytest.raises(FileExistsError):
        any_disk.create("a", b"old")
    assert any_disk.read("a") == b"old"


def test_of_many_that_create_one_name_at_once_one_does(any_disk: Disk):
    start = threading.Barrier(6)

    def create(writer: int) -> bool:
        start.wait()
        try:
            any_disk.create("a", str(writer).encode() * 10_000)
        except FileExistsError:
            return False
        return True

    with ThreadPoolExecutor(6) as pool:
        created = list(pool.map(create, range(6)))
    assert sum(created) == 1
    assert any_disk.read("a") == str(created.index(True)).encode() * 10_000


def test_delete_is_idempotent_and_absent_files_are_not_found(any_disk: Disk):
    any_disk.create("a", b"x")
    any_disk.delete("a")
    any_disk.delete("a")
    for ask in (
        lambda: any_disk.read("a"),
        lambda: any_disk.read("a", 2),
        lambda: any_disk.read("a", 0, 3),
        lambda: any_disk.read("a", 0, 0),
        lambda: any_disk.size("a"),
    ):
        with pytest.raises(FileNotFoundError):
            ask()
    assert paths(any_disk) == []


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "a/../../x", "a//b", "a/./b", "a/", "x\0y"])
def test_paths_that_leave_the_root_are_refused(any_disk: Disk, path: str):
    for ask in (lambda: any_disk.create(path, b""), lambda: any_disk.replace(path), lambda: any_disk.read(path)):
        with pytest.raises(BadPath):
            ask()


def test_an_iterable_that_fails_leaves_nothing(any_disk: Disk):
    def parts():
        yield b"a"
        raise KeyError

    with pytest.raises(KeyError):
        any_disk.create("a", parts())
    assert paths(any_disk) == []


def test_a_replacement_shows_only_when_committed(any_disk: Disk):
    any_disk.create("a", b"old")
    new = any_disk.replace("a")
    new.file.write(b"newer")
    assert any_disk.read("a") == b"old"
    assert paths(any_disk) == ["a"]
    assert new.commit() == 5
    new.discard()
    assert any_disk.read("a") == b"newer"


def test_a_replacement_may_be_the_first_and_large(any_disk: Disk):
    """Above the size from which object storage takes a file in parts."""
    whole = bytes(range(256)) * 80_000
    new = any_disk.replace("overview/a")
    new.file.write(whole)
    assert paths(any_disk) == []
    assert new.commit() == len(whole)
    assert any_disk.read("overview/a") == whole
    assert any_disk.read("overview/a", 12_345_678, 4) == whole[12_345_678:12_345_682]


def test_a_discarded_replacement_leaves_the_old_file(any_disk: Disk):
    any_disk.create("a", b"old")
    new = any_disk.replace("a")
    new.file.write(b"new")
    new.discard()
    assert (any_disk.read("a"), paths(any_disk)) == (b"old", ["a"])


def test_other_software_finds_the_file(any_disk: Disk):
    any_disk.create("a/b", b"PAR1")
    assert any_disk.location("a/b").endswith("/a/b")
    source = any_disk.source("a/b")
    assert (source if isinstance(source, bytes) else Path(source).read_bytes()) == b"PAR1"


@pytest.mark.parametrize("step", ["fdatasync", "fsync", "fdopen"])
@pytest.mark.parametrize(
    ("code", "kind"), [(errno.ENOSPC, DiskFull), (errno.EDQUOT, DiskFull), (errno.EIO, DiskFailed)]
)
def test_a_failed_write_or_sync_leaves_nothing_and_is_not_retried(disk: LocalDisk, monkeypatch, step, code, kind):
    disk.create("chunks/first", b"x")
    calls = []

    def fail(*_args):
        calls.append(1)
        raise OSError(code, "injected")

    with monkeypatch.context() as patch:
        patch.setattr(f"store.disk.os.{step}", fail)
        with pytest.raises(kind, match="chunks/second"):
            disk.create("chunks/second", b"data")
    assert len(calls) == 1
    assert [file.path for file in disk.list("")] == ["chunks/first"]
    disk.create("chunks/second", b"data")


def test_folders_that_another_made_are_made_durable_too(disk: LocalDisk, monkeypatch: pytest.MonkeyPatch):
    """Who made them may have died before they were synced; once is enough."""
    (disk.root / "chunks" / "new").mkdir(parents=True)
    synced: list[Path] = []
    real = os.fsync

    def fsync(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink())
        real(descriptor)

    monkeypatch.setattr("store.disk.os.fsync", fsync)
    disk.create("chunks/new/first", b"x")
    chunks = disk.root / "chunks"
    assert synced == [disk.root.parent, disk.root, chunks, chunks / "new"]
    disk.create("chunks/new/second", b"x")
    assert synced[4:] == [chunks / "new"]
    LocalDisk(disk.root).create("chunks/new/third", b"x")
    assert synced[5:] == synced[:4]


def test_a_file_where_a_folder_belongs_is_no_name_that_is_taken(disk: LocalDisk):
    disk.create("chunks", b"a file")
    with pytest.raises(DiskFailed, match="chunks/new/first: Not a directory"):
        disk.create("chunks/new/first", b"x")
    assert disk.read("chunks") == b"a file"


@pytest.mark.parametrize("step", ["fdatasync"])
@pytest.mark.parametrize(("code", "kind"), [(errno.ENOSPC, DiskFull), (errno.EIO, DiskFailed)])
def test_a_failed_replacement_leaves_the_old_file(disk: LocalDisk, monkeypatch, step, code, kind):
    disk.create("a", b"old")
    new = disk.replace("a")
    new.file.write(b"new")
    monkeypatch.setattr(f"store.disk.os.{step}", failing(code))
    with pytest.raises(kind):
        new.commit()
    assert disk.read("a") == b"old"
    assert [file.name for file in disk.root.iterdir()] == ["a"]


def test_a_discarded_replacement_leaves_no_other_file(disk: LocalDisk):
    disk.create("a", b"old")
    new = disk.replace("a")
    new.file.write(b"new")
    new.discard()
    assert [file.name for file in disk.root.iterdir()] == ["a"]
    assert disk.read("a") == b"old"


def test_what_a_killed_writer_left_goes_with_the_next_replacement(disk: LocalDisk):
    disk.create("a", b"old")
    (disk.root / ".tmp-killeda").write_bytes(b"half")
    (disk.root / ".tmp-killedb").write_bytes(b"of another file")
    alive = disk.replace("a")
    alive.file.write(b"first")
    second = disk.replace("a")
    second.file.write(b"second")
    second.commit()
    alive.commit()
    assert disk.read("a") == b"first"
    assert sorted(file.name for file in disk.root.iterdir()) == [".tmp-killedb", "a"]


def test_a_disk_that_fills_while_writing_leaves_nothing(disk: LocalDisk):
    """`/dev/full` answers every write with ENOSPC, as a full disk does."""
    disk.root.mkdir()
    (disk.root / "a").symlink_to("/dev/full")
    with pytest.raises(DiskFull, match="free some space"), writing("a"), (disk.root / "a").open("wb") as file:
        file.write(b"x" * 100_000)


def test_an_answer_that_is_lost_is_not_a_failure(service: ObjectService, bucket: str):
    """The service wrote the object, the client did not hear it, and its second attempt meets the object of its first."""
    with faulty(service) as faults:
        disk = ObjectDisk(f"s3://{bucket}", faults.endpoint)
        faults.lose["PUT"] = 1
        assert disk.create("a", b"once") == 4
        assert faults.seen.count("PUT") == 2
        assert disk.read("a") == b"once"
        faults.lose["PUT"] = 1
        with pytest.raises(FileExistsError):
            disk.create("a", b"other")
        assert disk.read("a") == b"once"


@pytest.mark.parametrize("method", ["PUT", "GET", "HEAD", "POST"])
def test_a_service_that_is_busy_is_asked_again(service: ObjectService, bucket: str, method: str):
    with faulty(service) as faults:
        disk = ObjectDisk(f"s3://{bucket}/x", faults.endpoint)
        faults.refuse[method] = [(503, "SlowDown"), (500, "InternalError")]
        disk.create("a", b"data")
        assert (disk.read("a"), disk.size("a"), paths(disk)) == (b"data", 4, ["a"])
        disk.delete("a")
        assert paths(disk) == []
        assert not faults.refuse[method]


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [(403, "AccessDenied", DiskFailed), (403, "QuotaExceeded", DiskFull), (404, "NoSuchBucket", DiskFailed)],
)
def test_what_a_service_refuses_is_said_without_secrets(service: ObjectService, bucket: str, status, code, kind):
    with faulty(service) as faults:
        disk = ObjectDisk(f"s3://{bucket}/x", faults.endpoint)
        disk.create("old", b"old")
        new = disk.replace("old")
        new.file.write(b"new")
        for method, ask in (
            ("PUT", lambda: disk.create("a", b"data")),
            ("PUT", new.commit),
            ("GET", lambda: disk.read("old")),
            ("GET", lambda: disk.read("old", 1, 2)),
            ("GET", lambda: paths(disk)),
        ):
            faults.refuse[method] = [(status, code)]
            with pytest.raises(kind, match=f"{code} .Refused") as caught:
                ask()
            assert "AWS4-HMAC" not in str(caught.value)
            assert SECRET not in f"{caught.value!r}"
        assert (paths(disk), disk.read("old")) == (["old"], b"old")


def test_a_bucket_or_a_service_that_is_not_there_is_said(service: ObjectService):
    with pytest.raises(DiskFailed, match=r"a could not be written at s3://nowhere: NoSuchBucket.*\[storage\]"):
        ObjectDisk("s3://nowhere", service.endpoint).create("a", b"x")
    with pytest.raises(DiskFailed, match="NoSuchBucket"):
        ObjectDisk("s3://nowhere", service.endpoint).read("a")


def test_the_library_shows_no_secret_of_its_own(service: ObjectService, bucket: str):
    assert SECRET not in repr(vars(ObjectDisk(f"s3://{bucket}", service.endpoint)))
