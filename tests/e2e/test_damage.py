"""A flipped bit anywhere in a chunk file is found on read, named, never served, and repaired by materializing its range again."""

from __future__ import annotations

import logging
import random
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from catalog_picture import Picture, nzbs, picture, rows
from index_lab import Lab, derive_again, materialize_range, plan_all, settings_for
from index_lab import running_provider as provider_in_process
from lxml import etree
from overlake import Overlake
from provider import index_of, running_provider
from watching import index_folder

from pipeline.ranges import Range, parse_key
from server import nzb
from server.library import Library
from server.newznab.errors import Refused
from simulator.history import planned_history
from store.catalog.connection import Catalog
from store.catalog.planning import missing
from store.chunks import verify
from store.configuration import load
from store.postgres import EmbeddedPostgres
from store.rebuild import owned_files, rebuild, remember_overviews
from store.stores import Stores
from store.verify import PublishedFile, published_files, verify_file

pytestmark = pytest.mark.timeout(400)

GROUPS = ("alt.binaries.first", "alt.binaries.second")
RANGE_SIZE = 4_000
FLIPS = 150


@dataclass(frozen=True)
class Whole:
    """An index as it was written, and what it serves."""

    stores: Stores
    nzbs: dict[Any, bytes]
    picture: Picture
    ids: dict[Any, UUID]


@pytest.fixture(scope="module")
def whole(lab: Lab, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Whole]:
    history = planned_history(11, GROUPS, (16_000,), (2009, 2016, 2024), offset=120_000)
    with provider_in_process(history, tmp_path_factory.mktemp("blocks")) as (port,):
        settings = settings_for(tmp_path_factory.mktemp("index"), port, RANGE_SIZE)
        with lab.index(settings) as stores:
            for range_ in plan_all(stores, GROUPS, datetime.now(UTC)):
                materialize_range(stores, range_)
            found = rows(stores.catalog, "SELECT base_key, first_posted, release_id FROM releases")
            ids = {(base_key, first_posted): release for base_key, first_posted, release in found}
            yield Whole(stores, nzbs(stores), picture(stores.catalog), ids)


def flip(folder: Path, path: str, byte: int, bit: int) -> None:
    """Once damages, twice repairs."""
    with (folder / path).open("r+b") as file:
        file.seek(byte)
        (value,) = file.read(1)
        file.seek(byte)
        file.write(bytes([value ^ 1 << bit]))


def releases_of(stores: Stores, file: PublishedFile, ordinal: int) -> set[tuple[Any, Any]]:
    """The release a record belongs to, by base key and first posting time."""
    return set(
        rows(
            stores.catalog,
            f"""SELECT releases.base_key, releases.first_posted FROM records JOIN releases ON releases.base_key = records.base_key
            AND records.first_posted BETWEEN releases.first_posted AND releases.last_posted
            WHERE file_id = {file.file_id} AND ordinal = {ordinal}""",
        )
    )


def test_no_flipped_bit_is_served_and_each_is_named(whole: Whole, caplog: pytest.LogCaptureFixture) -> None:
    stores, chance = whole.stores, random.Random(5)
    library = Library(stores.catalog, stores.disk)
    files = published_files(stores.catalog)
    assert {file.is_edge for file in files} == {False, True}
    refused = 0
    for _ in range(FLIPS):
        file = chance.choice(files)
        places = verify(stores.disk, file.path).places
        byte, bit = chance.randrange(file.bytes), chance.randrange(8)
        damaged = [n for n, at in enumerate(places) if at.offset <= byte < at.offset + at.length]
        flip(stores.settings.data, file.path, byte, bit)
        try:
            faults = verify_file(stores.catalog, stores.disk, file).faults
            assert [(fault.path, fault.record, fault.key) for fault in faults] == [
                (file.path, damaged[0] if damaged else None, file.key)
            ]
            # Its releases and, for comparison, any other.
            hit = {key for ordinal in damaged for key in releases_of(stores, file, ordinal)}
            for key in {*hit, chance.choice(list(whole.ids))}:
                caplog.clear()
                if key in hit:
                    with caplog.at_level(logging.ERROR), pytest.raises(Refused) as caught:
                        library.content(whole.ids[key])
                    fault = caught.value.fault.on_download()
                    assert (fault.code, fault.status, fault.retry_after) == (900, 503, 3600)
                    assert f"{file.path}, record at byte {places[damaged[0]].offset} is damaged" in caplog.text
                    refused += 1
                else:
                    release = library.release(whole.ids[key])
                    assert nzb.nzb(release, nzb.merge(library.content(release.id))) == whole.nzbs[key]
        finally:
            flip(stores.settings.data, file.path, byte, bit)
    assert refused > FLIPS // 2
    assert nzbs(stores) == whole.nzbs


@pytest.mark.parametrize("is_edge", [False, True], ids=["range", "edge"])
def test_the_range_that_is_named_repairs_its_file_without_the_provider(whole: Whole, is_edge: bool) -> None:
    stores = whole.stores
    file = next(file for file in published_files(stores.catalog) if file.is_edge is is_edge)
    flip(stores.settings.data, file.path, verify(stores.disk, file.path).places[0].offset + 9, 2)
    (fault,) = verify_file(stores.catalog, stores.disk, file).faults
    assert fault.key is not None
    group, index = parse_key(fault.key)[1].group, parse_key(fault.key)[1].index
    derive_again(stores, Range(1, group, index, RANGE_SIZE))
    assert all(verify_file(stores.catalog, stores.disk, one).faults == () for one in published_files(stores.catalog))
    assert file.path not in {one.path for one in published_files(stores.catalog)}
    assert nzbs(stores) == whole.nzbs


def test_a_catalog_rebuilt_from_the_files_alone_serves_the_same_bytes(
    lab: Lab, whole: Whole, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """And is whole again once its ranges were derived from the overview files, whatever it serves meanwhile."""
    folder = tmp_path_factory.mktemp("copy") / "data"
    shutil.copytree(whole.stores.settings.data, folder)
    settings = whole.stores.settings.model_copy(update={"data": folder})
    with lab.index(settings) as again:
        done = list(rebuild(again.catalog, again.disk, owned_files(again.disk), RANGE_SIZE))
        assert all(one.path is not None and one.damaged == () for one in done)
        assert nzbs(again) == whole.nzbs
        rebuilt = picture(again.catalog)
        assert rebuilt.records == whole.picture.records
        assert rebuilt.without_ids().releases == whole.picture.without_ids().releases
        # What is not in the files.
        assert (rebuilt.fragments, rebuilt.probes, rebuilt.counters) == ([], [], [])

        ranges = plan_all(again, GROUPS, datetime.now(UTC))
        assert list(remember_overviews(again.catalog, again.lake)) == [True] * len(ranges)
        facts = "SELECT partition_key, lines, malformed, duplicate, wire_bytes, wire_form, fetched_at, first_posted, last_posted FROM ranges"
        numbers = "SELECT name, low, high FROM groups JOIN group_numbers USING (group_id)"
        for statement in (facts, numbers):
            assert sorted(rows(again.catalog, statement)) == sorted(rows(whole.stores.catalog, statement))
        assert len(missing(again.catalog, 1)) == len(ranges)
        for range_ in random.Random(7).sample(ranges, len(ranges)):
            derive_again(again, range_)
        assert nzbs(again) == whole.nzbs
        assert picture(again.catalog).without_ids() == whole.picture.without_ids()
        assert missing(again.catalog, 1) == []


@pytest.fixture(scope="module")
def index() -> Iterator[Overlake]:
    """An index of a provider of 12 ranges, all backfilled, that is up."""
    with (
        tempfile.TemporaryDirectory(prefix="overlake-provider-") as folder,
        running_provider(Path(folder)) as port,
        index_folder() as place,
    ):
        made = index_of(place / "index", port)
        made.run("plan")
        try:
            with made.up():
                assert made.json("backfill")["failed"] == 0
                yield made
        finally:
            EmbeddedPostgres(made.folder / "data" / "postgres").stop()


def files_of(index: Overlake) -> list[PublishedFile]:
    with Catalog.open(load(index.folder / "overlake.toml")) as catalog:
        return published_files(catalog)


def release_in(index: Overlake, path: str) -> str:
    """A release that has a record in this chunk file."""
    with Catalog.open(load(index.folder / "overlake.toml")) as catalog:
        ((release,), *_) = rows(
            catalog,
            f"""SELECT release_id FROM releases JOIN records USING (base_key) JOIN chunk_files USING (file_id)
            WHERE path = '{path}' AND records.first_posted BETWEEN releases.first_posted AND releases.last_posted""",
        )
    return release.hex


def test_overlake_verifies_shows_refuses_and_repairs(index: Overlake) -> None:
    key = index.json("keys", "create", "reader")["key"]
    clean = index.json("chunks", "verify")
    assert (clean["faults"], clean["orphans"]) == ([], [])
    assert clean["files"] > 10
    path = max((file for file in files_of(index) if not file.is_edge), key=lambda file: file.bytes).path
    shown = index.json("chunks", "show", path)
    assert shown["header"]["kind"] == "range"
    first = shown["records"][0]
    (record,) = index.json("chunks", "show", f"{path}:0")
    assert record["name"] == first["name"]
    assert sum(len(file["segments"]) for file in record["files_held"]) == first["segments"]
    release = release_in(index, path)
    before = index.api(t="get", id=release, apikey=key)
    assert before.status_code == 200

    (held,) = [one for one in index.json("chunks", "show", release) if path in one["where"]]
    offset = int(held["where"].rpartition(" ")[2])
    flip(index.folder / "data", path, offset + 20, 3)
    refused = index.api(t="get", id=release, apikey=key)
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "3600")
    error = etree.fromstring(refused.content)
    assert (error.tag, error.get("code")) == ("error", "900")
    assert "damaged" in error.get("description")
    named = f"{path}, record at byte {offset} is damaged"
    assert named in "".join(log.read_text() for log in (index.folder / "data" / "logs").glob("*.log"))

    verified = index.run("chunks", "verify", "--json", check=False)
    assert verified.returncode == 1
    assert named in verified.stderr
    range_key = verified.stderr.partition("--range ")[2].split()[0]
    assert index.run("chunks", "verify", "--range", range_key, check=False).returncode == 1
    assert index.run("chunks", "show", release, check=False).returncode == 1

    assert index.json("backfill", "--chunks-only", "--range", range_key) | {"backfills": []} == {
        "ranges": 1,
        "failed": 0,
        "backfills": [],
    }
    after = index.api(t="get", id=release, apikey=key)
    assert (after.status_code, after.content) == (200, before.content)
    assert index.json("chunks", "verify")["faults"] == []


def test_bad_input_is_refused_with_a_sentence(index: Overlake, tmp_path: Path) -> None:
    (tmp_path / "no.zst").write_bytes(b"not a chunk file")
    for arguments, sentence in (
        (("show", "chunks/source=main/group=a/000000-1.zst"), "there is no chunk file"),
        (("show", "../../etc/passwd.zst"), "not a relative path"),
        (("show", "00000000-0000-0000-0000-000000000000"), "there is no release"),
        (("show", str(tmp_path / "no.zst")), "no.zst is damaged"),
        (("rebuild-catalog",), "into an empty one"),
    ):
        done = index.run("chunks", *arguments, check=False)
        assert done.returncode == 1
        assert sentence in " ".join(done.stderr.split()), arguments
        assert "Traceback" not in done.stderr
