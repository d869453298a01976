"""The disk: files appear whole and durable, or not at all."""

import errno

import pytest

from store.disk import BadPath, DiskFailed, DiskFull, LocalDisk, writing


@pytest.fixture
def disk(tmp_path) -> LocalDisk:
    return LocalDisk(tmp_path / "store")


def failing(code: int):
    def fail(*_args):
        raise OSError(code, "injected")

    return fail


def test_a_created_file_is_read_back(disk: LocalDisk):
    assert disk.create("chunks/a/1.zst", b"0123456789") == 10
    assert disk.create("chunks/a/2.zst", [b"ab", b"cd"]) == 4
    assert disk.read("chunks/a/1.zst", 2, 3) == b"234"
    assert disk.read("chunks/a/1.zst", 8, 30) == b"89"
    assert disk.read("chunks/a/2.zst") == b"abcd"
    assert disk.size("chunks/a/2.zst") == 4
    assert [(file.path, file.size) for file in disk.list("chunks")] == [("chunks/a/1.zst", 10), ("chunks/a/2.zst", 4)]
    assert [file.path for file in disk.list("")] == ["chunks/a/1.zst", "chunks/a/2.zst"]
    assert list(disk.list("nothing")) == []


def test_create_never_overwrites(disk: LocalDisk):
    disk.create("a", b"old")
    with pytest.raises(FileExistsError):
        disk.create("a", b"new")
    assert disk.read("a") == b"old"


def test_delete_is_idempotent_and_absent_files_are_not_found(disk: LocalDisk):
    disk.create("a", b"x")
    disk.delete("a")
    disk.delete("a")
    with pytest.raises(FileNotFoundError):
        disk.read("a")
    with pytest.raises(FileNotFoundError):
        disk.size("a")


@pytest.mark.parametrize("path", ["", "/etc/passwd", "../x", "a/../../x", "a//b", "a/./b", "a/", "x\0y"])
def test_paths_that_leave_the_root_are_refused(disk: LocalDisk, path: str):
    with pytest.raises(BadPath):
        disk.create(path, b"")


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


def test_an_iterable_that_fails_leaves_nothing(disk: LocalDisk):
    def parts():
        yield b"a"
        raise KeyError

    with pytest.raises(KeyError):
        disk.create("a", parts())
    assert list(disk.list("")) == []


def test_a_replacement_shows_only_when_committed(disk: LocalDisk):
    disk.create("a", b"old")
    new = disk.replace("a")
    new.file.write(b"newer")
    assert disk.read("a") == b"old"
    assert [file.path for file in disk.list("")] == ["a"]
    assert new.commit() == 5
    new.discard()
    assert disk.read("a") == b"newer"


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


def test_a_discarded_replacement_leaves_the_old_file(disk: LocalDisk):
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
