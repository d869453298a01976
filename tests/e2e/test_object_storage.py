"""Lake and chunk files in object storage: the same releases, records and NZB bytes as in folders, whatever the service does."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from catalog_picture import nzbs, picture
from index_lab import Lab, derive_again, materialize_range, plan_all, running_provider, settings_for
from object_service import ObjectService, faulty, running_service

from simulator.history import planned_history
from store.catalog.collect import collect, orphans
from store.configuration import load
from store.disk import DiskFailed, LocalDisk
from store.objects import ObjectDisk
from store.stores import chunk_disk, lake_disk
from store.verify import published_files, verify_file

GROUPS = ("alt.binaries.first",)
RANGE_SIZE = 4_000
NOW = datetime.now(UTC)


@pytest.fixture(scope="module")
def service() -> Iterator[ObjectService]:
    with running_service() as running:
        yield running


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    history = planned_history(12, GROUPS, (16_000,), (2009, 2016, 2024), offset=120_000)
    with running_provider(history, tmp_path_factory.mktemp("blocks")) as (one,):
        yield one


def test_an_index_in_a_bucket_is_the_index_in_a_folder(
    lab: Lab, port: int, service: ObjectService, tmp_path: Path
) -> None:
    with (
        faulty(service) as faults,
        lab.index(settings_for(tmp_path / "local", port, RANGE_SIZE)) as local,
        lab.index(
            settings_for(tmp_path / "remote", port, RANGE_SIZE),
            ObjectDisk(f"s3://{service.bucket()}/index", faults.endpoint),
        ) as remote,
    ):
        for stores in (local, remote):
            for range_ in plan_all(stores, GROUPS, NOW):
                materialize_range(stores, range_)
        expected = nzbs(local)
        assert len(expected) > 10
        assert nzbs(remote) == expected
        assert picture(remote.catalog) == picture(local.catalog)

        # A busy service and lost answers change nothing; one that refuses fails the range and leaves what it had.
        again, broken, *_ = plan_all(remote, GROUPS, NOW)
        faults.refuse["PUT"] = [(503, "SlowDown")]
        faults.lose["PUT"] = 2
        faults.refuse["GET"] = [(500, "InternalError")]
        materialize_range(remote, again)
        assert not faults.refuse["PUT"] + faults.refuse["GET"]
        assert faults.lose["PUT"] == 0
        faults.refuse["PUT"] = [(403, "AccessDenied")]
        with pytest.raises(DiskFailed, match="AccessDenied"):
            derive_again(remote, broken)
        assert nzbs(remote) == expected

        gone = collect(remote.catalog, remote.disk, NOW + timedelta(days=2), timedelta(hours=1), timedelta(days=1))
        assert gone.retired > 0
        assert all(
            verify_file(remote.catalog, remote.disk, file).faults == () for file in published_files(remote.catalog)
        )
        assert not list(orphans(remote.catalog, remote.disk, datetime.now(UTC)))
        assert nzbs(remote) == expected
        assert not list(tmp_path.glob("remote/*"))


def test_the_configuration_says_where_each_lies(service: ObjectService, tmp_path: Path) -> None:
    bucket = service.bucket()
    (tmp_path / "overlake.toml").write_text(
        f'[storage]\nlake = "s3://{bucket}/lake"\nchunks = "vault"\nendpoint = "{service.endpoint}"\n'
    )
    settings = load(tmp_path / "overlake.toml")
    lake, chunks = lake_disk(settings), chunk_disk(settings)
    assert lake.location("overview/x") == f"s3://{bucket}/lake/overview/x"
    assert lake.create("overview/x", b"1") == 1
    assert isinstance(chunks, LocalDisk)
    assert chunks.root == tmp_path / "vault"
