from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from catalog_batches import EPOCH, GROUP, VERSIONS, Piece, at, batch_of, count, planned

from pipeline.probes import candidates
from store.catalog import keys
from store.catalog.collect import collect, orphans
from store.catalog.commit import commit_range
from store.catalog.connection import Catalog
from store.catalog.keys import BadKey, Limits
from store.catalog.planning import OverviewFacts, fail, known_empty, record_overview
from store.catalog.probes import articles, finish_probe, take_probes
from store.catalog.search import Search, search
from store.catalog.settle import settle
from store.disk import LocalDisk

DAY = timedelta(days=1)
HOUR = timedelta(hours=1)


def covered(catalog: Catalog, disk: LocalDisk, index: int, pieces: list[Piece]) -> None:
    """Commit range `index`, whose overview spans the 30 days after `index` times 30 days."""
    first = EPOCH + 30 * index * DAY
    facts = OverviewFacts(2, 0, 0, 9, "plain", datetime.now(UTC), first, first + 30 * DAY)
    record_overview(catalog, at(index), facts)
    commit_range(catalog, disk, at(index), batch_of(pieces), VERSIONS)
    with catalog.transaction() as connection:
        connection.execute("UPDATE edges SET dirty = false")


def settled(catalog: Catalog) -> dict[str, float | None]:
    return {item.name: item.completeness for item in search(catalog, Search()).releases if item.settled}


def test_a_release_settles_when_nothing_can_come_any_more(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 3)
    tomorrow = datetime.now(UTC) + DAY + HOUR
    covered(catalog, disk, 0, [Piece("debian", day=10, segments=1), Piece("fedora", day=29)])
    assert settle(catalog, datetime.now(UTC), DAY, 2 * DAY) == 0  # a record came just now
    assert settle(catalog, tomorrow, DAY, 2 * DAY) == 1
    assert settled(catalog) == {"debian-disc": 0.5}  # fedora may go on in range 1
    covered(
        catalog, disk, 1, [Piece("knoppix", day=40, files_expected=None), Piece("mandriva", day=40, files_expected=4)]
    )
    assert settle(catalog, tomorrow, DAY, 2 * DAY) == 3
    assert settled(catalog) == {"debian-disc": 0.5, "fedora-disc": 1.0, "knoppix-disc": None, "mandriva-disc": 0.25}
    covered(catalog, disk, 1, [Piece("knoppix", day=40)])
    assert "knoppix-disc" not in settled(catalog)
    assert settle(catalog, tomorrow, DAY, 2 * DAY) == 1


def test_a_failed_range_of_one_of_its_groups_keeps_a_release_open(catalog: Catalog, disk: LocalDisk):
    films = "alt.binaries.films"
    planned(catalog, 2, (GROUP, films))
    tomorrow = datetime.now(UTC) + DAY + HOUR
    covered(catalog, disk, 0, [Piece("debian", day=10, groups=(GROUP, films)), Piece("fedora", day=10)])
    fail(catalog, at(0, films), "the server said 502")
    assert settle(catalog, tomorrow, DAY, 2 * DAY) == 1
    assert list(settled(catalog)) == ["fedora-disc"]


def test_the_newest_release_settles_only_once_the_group_is_read_past_it(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 2)
    known_empty(catalog, [at(7)])
    covered(catalog, disk, 0, [Piece("debian", day=29)])
    covered(catalog, disk, 1, [Piece("fedora", day=59)])
    with catalog.transaction() as connection:
        connection.execute("UPDATE group_numbers SET high = high + 1")
    assert settle(catalog, datetime.now(UTC) + DAY + HOUR, DAY, 2 * DAY) == 1
    with catalog.transaction() as connection:
        connection.execute("UPDATE group_numbers SET high = high - 1")
    assert settle(catalog, datetime.now(UTC) + DAY + HOUR, DAY, 2 * DAY) == 1


def test_collection_deletes_retired_and_orphaned_files_after_their_grace(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 1)
    old = commit_range(catalog, disk, at(0), batch_of([Piece("debian")]), VERSIONS).path
    new = commit_range(catalog, disk, at(0), batch_of([Piece("debian")]), VERSIONS).path
    orphan = f"chunks/source=1/group={GROUP}/000005-1.zst"
    disk.create(orphan, b"never published")
    now = datetime.now(UTC)
    assert [file.path for file in orphans(catalog, disk, now)] == [orphan]
    assert collect(catalog, disk, now, HOUR, DAY).retired == 0
    assert {file.path for file in disk.list("chunks")} == {old, new, orphan}
    collected = collect(catalog, disk, now + 2 * HOUR, HOUR, DAY)
    assert (collected.retired, collected.orphans) == (1, 0)
    assert {file.path for file in disk.list("chunks")} == {new, orphan}
    collected = collect(catalog, disk, now + 2 * DAY, HOUR, DAY)
    assert (collected.retired, collected.orphans, collected.bytes) == (0, 1, len(b"never published"))
    assert [file.path for file in disk.list("chunks")] == [new]


def test_probes_are_leased_once_and_settled_releases_come_first(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 2)
    covered(catalog, disk, 0, [Piece("debian", day=29)])
    covered(catalog, disk, 1, [Piece("fedora", day=40)])
    with catalog.transaction() as connection:
        connection.execute("UPDATE ranges SET generation = 0, last_posted = NULL WHERE range_index = 0")
    assert settle(catalog, datetime.now(UTC) + 2 * DAY, DAY, 2 * DAY) == 1
    first, second = take_probes(catalog, 5, "one", HOUR)
    assert [first.attempt, second.attempt] == [1, 1]
    assert first.release == search(catalog, Search(text="fedora")).releases[0].id
    assert second.release == search(catalog, Search(text="debian")).releases[0].id
    assert take_probes(catalog, 5, "two", HOUR) == []
    assert not finish_probe(catalog, first, "two")
    assert finish_probe(catalog, first, "one")
    with catalog.transaction() as connection:
        connection.execute("UPDATE probes SET claimed_until = now() - interval '1 second'")
    (again,) = take_probes(catalog, 5, "two", HOUR)
    assert (again.file, again.ordinal, again.attempt) == (second.file, second.ordinal, 2)
    assert not finish_probe(catalog, second, "one")
    assert finish_probe(catalog, second, "two")
    assert count(catalog, "probes") == 0


def test_a_probe_leads_to_the_articles_the_pipeline_named(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 1)
    plain = batch_of([Piece("debian"), Piece("fedora", segments=3, expected=3)])
    records = plain.records.with_columns(readable_name=False)
    batch = replace(plain, records=records, probes=candidates(records, plain.files, plain.segments))
    commit_range(catalog, disk, at(0), batch, VERSIONS)
    taken = sorted(take_probes(catalog, 5, "one", HOUR), key=lambda probe: probe.ordinal)
    found = [articles(disk, probe).drop("record").rows() for probe in taken]
    assert found == [batch.probes.filter(record=probe.ordinal).drop("record").rows() for probe in taken]
    assert [row[1] for (row,) in found] == ["lone", "lone"]


def test_takers_at_once_get_different_probes(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 1)
    commit_range(catalog, disk, at(0), batch_of([Piece(f"disc{number}") for number in range(60)]), VERSIONS)
    taken: list[tuple[int, int]] = []

    def take(worker: str) -> None:
        while probes := take_probes(catalog, 4, worker, HOUR):
            taken.extend((probe.file, probe.ordinal) for probe in probes)

    takers = [threading.Thread(target=take, args=(f"worker{number}",)) for number in range(4)]
    for taker in takers:
        taker.start()
    for taker in takers:
        taker.join()
    assert len(taken) == len(set(taken)) == 60


def test_keys_are_shown_once_stored_hashed_and_counted(catalog: Catalog):
    secret = keys.create(catalog, "sonarr")
    admin = keys.create(catalog, "me", admin=True)
    assert len(secret) == 32
    assert secret != admin
    key = keys.verify(catalog, secret)
    assert key is not None
    assert (key.name, key.admin) == ("sonarr", False)
    assert keys.verify(catalog, secret.upper()) is None
    assert keys.verify(catalog, "\udcff\0") is None
    assert [item.name for item in keys.list_keys(catalog)] == ["sonarr", "me"]
    uses = [keys.use(catalog, secret, kind) for kind in ("api", "api", "get")]
    assert [(use.allowed, use.api, use.get) for use in uses] == [(True, 1, 0), (True, 2, 0), (True, 2, 1)]
    assert uses[0].key == key
    assert [(use.kind, use.count) for use in keys.usage(catalog, key.id)] == [("api", 2), ("get", 1)]
    assert keys.revoke(catalog, key.id)
    assert not keys.revoke(catalog, 999)
    assert keys.verify(catalog, secret) is None
    with catalog.transaction() as connection:
        assert secret not in str(connection.execute("SELECT * FROM api_keys").fetchall())


def test_a_limited_key_has_so_many_uses_a_day(catalog: Catalog):
    secret = keys.create(catalog, "sonarr", limits=Limits(api=16, get=3))
    (key,) = keys.list_keys(catalog)
    assert (key.api_limit, key.get_limit) == (16, 3)
    uses = [keys.use(catalog, secret, "api") for _ in range(18)]
    assert [(use.allowed, use.api) for use in uses] == [(True, n) for n in range(1, 17)] + [(False, 16)] * 2
    assert [keys.use(catalog, secret, "get", times).allowed for times in (2, 2, 1, 1)] == [True, False, True, False]
    assert keys.use(catalog, secret, "get").get == 3
    with catalog.transaction() as connection:
        connection.execute("UPDATE api_usage SET day = day - 1")
    assert keys.use(catalog, secret, "api").allowed
    assert not keys.use(catalog, secret, "get", 4).allowed
    assert keys.limit(catalog, key.id, Limits())
    assert keys.use(catalog, secret, "get", 1000).allowed
    assert not keys.limit(catalog, 999, Limits())


def test_callers_at_once_pass_no_limit(catalog: Catalog):
    secret = keys.create(catalog, "sonarr", limits=Limits(api=20))
    with ThreadPoolExecutor(8) as pool:
        uses = list(pool.map(lambda _: keys.use(catalog, secret, "api"), range(40)))
    assert sorted(use.api for use in uses if use.allowed) == list(range(1, 21))


def test_a_rotated_key_keeps_its_uses_and_refuses_its_old_secret(catalog: Catalog):
    secret = keys.create(catalog, "sonarr")
    (key,) = keys.list_keys(catalog)
    keys.use(catalog, secret, "api")
    fresh = keys.rotate(catalog, key.id)
    assert fresh != secret
    assert keys.use(catalog, secret, "api") is None
    assert keys.use(catalog, fresh, "api").api == 2
    keys.revoke(catalog, key.id)
    assert keys.rotate(catalog, key.id) is None
    assert keys.use(catalog, fresh, "api") is None
    assert not keys.limit(catalog, key.id, Limits(api=100))


@pytest.mark.parametrize("name", ["", " ", "\t\n", "a\0b", "x" * 101])
def test_a_key_has_a_name(catalog: Catalog, name: str):
    with pytest.raises(BadKey, match="name"):
        keys.create(catalog, name)


def test_no_two_keys_in_use_have_one_name(catalog: Catalog):
    keys.create(catalog, " sonarr ")
    with pytest.raises(BadKey, match="already"):
        keys.create(catalog, "sonarr")
    keys.revoke(catalog, keys.list_keys(catalog)[0].id)
    assert keys.create(catalog, "sonarr")


@pytest.mark.parametrize("limits", [Limits(api=14), Limits(api=0), Limits(get=0), Limits(get=-1), Limits(api=2**31)])
def test_limits_that_no_client_can_live_with_are_refused(catalog: Catalog, limits: Limits):
    with pytest.raises(BadKey, match="limit"):
        keys.create(catalog, "sonarr", limits=limits)
    assert not keys.list_keys(catalog)
