"""What is materialized while things fail: a group of four small ranges with files over their edges, and new contents for the second."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from catalog_batches import EPOCH, GROUP, VERSIONS, frame

from pipeline import schema
from pipeline.batch import Batch, GroupList
from pipeline.materialize import materialize
from pipeline.ranges import Range
from pipeline.signatures import DEFAULT_TABLE
from store.catalog.collect import collect
from store.catalog.commit import commit_range
from store.catalog.connection import Catalog
from store.catalog.edges import merge_edges
from store.catalog.planning import OverviewFacts, PlannedRange, group_seen, plan, record_overview
from store.catalog.settle import settle
from store.catalog.versions import record_signatures
from store.disk import LocalDisk

SIZE, RANGES, MIDDLE = 50, 4, 1
HOUR = timedelta(hours=1)
LATER = datetime(2100, 1, 1, tzinfo=UTC)
"""When all is quiet."""

Line = tuple[int, str]


def _file(subject: str, first: int, parts: Iterable[int], total: int) -> list[Line]:
    """Every second number from `first`, a line a part."""
    return [(first + 2 * nth, f"{subject} yEnc ({part}/{total})") for nth, part in enumerate(parts)]


AROUND = [
    *_file('"knoppix-5.1.iso"', 2, range(1, 5), 4),  # whole, in the lowest range
    *_file('"ubuntu-24.04.iso"', 40, range(1, 6), 40),  # begins in range 0, ends in range 2
    *_file('"ubuntu-24.04.iso"', 100, range(31, 41), 40),
    *_file('"gentoo-2012.iso"', 101, (4, 5), 9),  # from range 1, never whole
    *_file('[2/2] "debian-12.part2.rar"', 131, (1,), 1),  # with a file in range 1
    *_file('"mandriva-2012.iso"', 121, range(1, 5), 30),
    *_file('"mandriva-2012.iso"', 133, range(5, 31), 30),  # over ranges 2 and 3
    *_file('"slackware-13.iso"', 190, range(1, 6), 30),  # the group ends first
]
OLD = [
    *_file('"ubuntu-24.04.iso"', 50, range(6, 31), 40),
    *_file('"fedora-17.iso"', 51, range(1, 6), 5),
    *_file('[1/2] "debian-12.part1.rar"', 61, (1,), 1),
    *_file('"k3j4h5g6f7d8s9a0.bin"', 63, (1,), 1),  # dropped as garbage
    *_file('"gentoo-2012.iso"', 91, range(1, 4), 9),
    (65, "p0o9i8u7y6t5r4e3w2q1"),
    (67, "a word about the discs"),
]
NEW = [
    *_file('"ubuntu-24.04.iso"', 50, range(6, 18), 40),
    *_file('"ubuntu-24.04.iso"', 78, range(20, 31), 40),  # two articles are gone
    *_file('"archlinux-2012.iso"', 53, range(1, 4), 3),
    *_file('[1/2] "debian-12.part1.rar"', 61, (1,), 1),
    *_file('"q9w8e7r6t5y4u3i2.bin"', 69, (1,), 1),
    *_file('"gentoo-2012.iso"', 91, range(1, 3), 9),
    (67, "another word"),
]


@cache
def batch(index: int, contents: str) -> Batch:
    """What a range holds, `contents` being those of the middle one. Made once: a worker reads what `save` wrote."""
    lines = {"old": OLD, "new": NEW, "none": []}[contents] if index == MIDDLE else AROUND
    mine = sorted(line for line in lines if line[0] // SIZE == index)
    rows = [
        {"number": number, "subject": subject, "poster": "Archivist <archive@example.org>", "references": ""}
        | {"posted_at": EPOCH + timedelta(seconds=number), "message_id": f"{number}.{contents}@example.org"}
        | {"bytes": 700_000, "xref": f"{GROUP}:{number}"}
        for number, subject in mine
    ]
    overview = frame(schema.OVERVIEW, rows)
    return materialize(
        overview, at(index), GroupList(1, (GROUP,)), DEFAULT_TABLE, lines=len(rows), malformed=0, duplicate=0
    )


_INPUTS = [(index, contents) for index in range(RANGES) for contents in ("old", "new", "none")]


def save(file: Path) -> None:
    file.write_bytes(pickle.dumps({given: batch(*given) for given in _INPUTS}))


def load(file: Path) -> None:
    """Use saved batches: a process that is to fork must not have begun to compute."""
    made = pickle.loads(file.read_bytes())
    globals()["batch"] = lambda index, contents: made[index, contents]


def at(index: int) -> Range:
    return Range(1, GROUP, index, SIZE)


def _publish(catalog: Catalog, disk: LocalDisk, indexes: Iterable[int]) -> None:
    for index in indexes:
        commit_range(catalog, disk, at(index), batch(index, "old"), VERSIONS)
    merge_edges(catalog, disk, at(0))
    settle(catalog, LATER, HOUR, timedelta(0))


def _planned(catalog: Catalog) -> None:
    record_signatures(catalog, DEFAULT_TABLE.signatures)
    plan(catalog, [PlannedRange(at(index), 201203, EPOCH + timedelta(seconds=index * SIZE)) for index in range(RANGES)])
    group_seen(catalog, 1, GROUP, 1, RANGES * SIZE - 1)
    for index in range(RANGES):
        first, last = (EPOCH + timedelta(seconds=number) for number in (at(index).first, at(index).last))
        record_overview(catalog, at(index), OverviewFacts(2, 0, 0, 9, "plain", datetime.now(UTC), first, last))


def _first(catalog: Catalog, disk: LocalDisk) -> None:
    """The ranges around it are there."""
    _planned(catalog)
    _publish(catalog, disk, (0, 2, 3))


def _again(catalog: Catalog, disk: LocalDisk) -> None:
    """It is there with other contents; a file was replaced before, and one was never published."""
    _planned(catalog)
    _publish(catalog, disk, (0, 1, 2, 3))
    _publish(catalog, disk, (2,))
    disk.create(f"chunks/source=1/group={GROUP}/000001-77.zst", b"of a run that was killed")


def _alone(catalog: Catalog, disk: LocalDisk) -> None:
    """Nothing is there, not even a folder."""
    _planned(catalog)


@dataclass(frozen=True)
class Scenario:
    """What is there, whether the neighbours are, and the new contents of the middle range."""

    prepare: Callable[[Catalog, LocalDisk], None]
    contents: str
    neighbours: bool = True


SCENARIOS = {
    "again": Scenario(_again, "new"),
    "first": Scenario(_first, "new"),
    "emptied": Scenario(_again, "none"),
    "alone": Scenario(_alone, "new", neighbours=False),
}


def operate(catalog: Catalog, disk: LocalDisk, scenario: str, phase: Callable[[str], None]) -> None:
    """One materialization, from the batch to the last old file deleted; each call is a phase."""
    phase("commit_range")
    commit_range(catalog, disk, at(MIDDLE), batch(MIDDLE, SCENARIOS[scenario].contents), VERSIONS)
    phase("merge_edges")
    merge_edges(catalog, disk, at(MIDDLE))
    phase("settle")
    settle(catalog, LATER, HOUR, timedelta(0))
    phase("collect")
    collector(catalog, disk, scenario)


def same_range(catalog: Catalog, disk: LocalDisk, scenario: str) -> None:
    """The same materialization, by another process."""
    operate(catalog, disk, scenario, lambda _: None)


def collector(catalog: Catalog, disk: LocalDisk, scenario: str) -> None:
    """Collect without any grace."""
    collect(catalog, disk, datetime.now(UTC) + 2 * HOUR, HOUR, HOUR)


def neighbour(catalog: Catalog, disk: LocalDisk, scenario: str) -> None:
    """Materialize the range above again."""
    commit_range(catalog, disk, at(MIDDLE + 1), batch(MIDDLE + 1, "old"), VERSIONS)
    merge_edges(catalog, disk, at(MIDDLE + 1))
