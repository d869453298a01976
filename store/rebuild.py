"""The catalog's chunk file, record and release rows from the chunk files alone.

Of each range and edge the newest file that is whole is published again, in the order in which the files were written, so that
releases get the ids they had as far as the files tell. What else the catalog holds is not in chunk files: see docs/operations.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from catalog_sql import query
from pipeline import schema
from pipeline.batch import Batch, Counters
from pipeline.ranges import Range
from store.catalog import releases
from store.catalog.collect import FOLDER
from store.catalog.commit import first_day
from store.catalog.connection import Catalog
from store.catalog.interning import group_ids
from store.catalog.planning import OverviewFacts, group_seen, record_overview, source_number
from store.catalog.publication import copy_rows, rows_of
from store.chunks import ChunkDamaged, ChunkIndex, read_index
from store.disk import Disk, StoredFile
from store.lake import Lake, OverviewDamaged

_NAME = re.compile(rf"{FOLDER}/source=[^/]+/group=[^/]+/(?P<place>[0-9]{{6,}}e?)-(?P<generation>[0-9]+)\.zst")
_GROUP_REPLY = re.compile(r"211 +[0-9]+ +(?P<low>[0-9]+) +(?P<high>[0-9]+)")


class CatalogInUse(RuntimeError):
    """Ranges were materialized into this catalog: it is not one to rebuild."""


@dataclass(frozen=True, slots=True)
class OwnedFiles:
    """The chunk files of one range or edge, newest first."""

    files: tuple[StoredFile, ...]

    @property
    def written_at(self) -> datetime:
        """When the newest one was written."""
        return self.files[0].modified_at

    @property
    def last_generation(self) -> int:
        """The highest number any of them has."""
        return generation_of(self.files[0].path)


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """What became of a range's or edge's files.

    Attributes:
        path: the file that was published; null when none is whole.
        records: its records; 0 also when it was published before.
        damaged: what is wrong with those that are newer.
    """

    path: str | None
    records: int
    damaged: tuple[str, ...]


def owned_files(disk: Disk) -> list[OwnedFiles]:
    """The chunk files on a disk by range and edge, in the order in which the newest of each was written."""
    owned: dict[str, list[StoredFile]] = {}
    for file in disk.list(FOLDER):
        if _NAME.fullmatch(file.path):
            owned.setdefault(file.path.rpartition("-")[0], []).append(file)
    newest_first = (sorted(files, key=lambda file: -generation_of(file.path)) for files in owned.values())
    return sorted(
        (OwnedFiles(tuple(files)) for files in newest_first), key=lambda own: (own.written_at, own.files[0].path)
    )


def generation_of(path: str) -> int:
    """The generation in the name of a chunk file."""
    return int(path.rpartition("-")[2].removesuffix(".zst"))


def rebuild(catalog: Catalog, disk: Disk, owned: Iterable[OwnedFiles], range_size: int) -> Iterator[Rebuilt]:
    """Publish the newest whole file of each range and edge again, a transaction each. Interrupted, it can be run again.

    Args:
        catalog: a catalog into which nothing was materialized; ranges may be planned in it.
        disk: where the files lie.
        owned: from `owned_files`.
        range_size: article numbers of a range, for ranges that are not planned: it is not in the files.

    Raises:
        CatalogInUse: ranges were materialized into the catalog.
        CatalogUnavailable: Postgres went away; run again.
    """
    with catalog.transaction() as connection:
        ((in_use,),) = connection.execute(query("is_in_use"))
    if in_use:
        raise CatalogInUse(
            "ranges were materialized into this catalog; rebuild into an empty one (another catalog.dsn, or another data folder)"
        )
    for own in owned:
        path, index, damaged = _newest_whole(disk, own)
        records = 0 if index is None else _publish(catalog, path, index, own, range_size)
        yield Rebuilt(None if index is None else path, records, damaged)


def remember_overviews(catalog: Catalog, lake: Lake) -> Iterator[bool]:
    """Record what the overview files of planned ranges say of their fetching, and the numbers their groups had then.

    Yields for each planned range of which the catalog does not know it: whether its overview file is there, and whole.
    """
    with catalog.transaction() as connection:
        unknown = connection.execute(query("ranges_without_overview")).fetchall()
    numbers: dict[tuple[int, str], tuple[datetime, int, int]] = {}
    for source, number, group, index, size in unknown:
        range_ = Range(number, group, index, size)
        try:
            meta, first_posted, last_posted = lake.facts(source, range_)
        except (FileNotFoundError, OverviewDamaged):
            yield False
            continue
        facts = OverviewFacts(
            meta.lines,
            meta.malformed,
            meta.duplicate,
            meta.wire_bytes,
            meta.wire_form,
            meta.fetched_at,
            first_posted,
            last_posted,
        )
        record_overview(catalog, range_, facts)
        if reply := _GROUP_REPLY.match(meta.group_reply):
            seen = (meta.fetched_at, int(reply["low"]), int(reply["high"]))
            numbers[number, group] = max(seen, numbers.get((number, group), seen))
        yield True
    for (number, group), (_, low, high) in numbers.items():
        group_seen(catalog, number, group, low, high)


def _newest_whole(disk: Disk, own: OwnedFiles) -> tuple[str, ChunkIndex | None, tuple[str, ...]]:
    damaged: list[str] = []
    for file in own.files:
        try:
            index = read_index(disk, file.path)
        except ChunkDamaged as error:
            damaged.append(str(error))
            continue
        if index.header.path == file.path:
            return file.path, index, tuple(damaged)
        damaged.append(f"{file.path} has the header of {index.header.path}")
    return "", None, tuple(damaged)


def _publish(catalog: Catalog, path: str, index: ChunkIndex, own: OwnedFiles, range_size: int) -> int:
    """The rows of one file, and the releases that follow; returns its records, 0 when it is published already."""
    header = index.header
    group = group_ids(catalog, [header.group])[header.group]
    place = {
        "source": source_number(catalog, header.source),
        "group": group,
        "index": header.range_index,
        "is_edge": header.kind == "edge",
        "generation": header.generation,
    }
    with catalog.transaction() as connection:
        facts = {"size": range_size, "last_generation": own.last_generation}
        ((owner, era),) = connection.execute(query("rebuild_owner"), place | facts).fetchall()
    rows = rows_of(catalog, _batch(index), index.places, _undated(index, era))
    with catalog.transaction() as connection:
        connection.execute(query("lock_range"), {"group": group, "range": owner})
        ((replaced,),) = connection.execute(query("is_replaced"), {"path": path, "owner": owner})
        if replaced:
            return 0
        size = next(file.size for file in own.files if file.path == path)
        releases.lock(connection, rows.touched)
        published = place | {"owner": owner, "path": path, "bytes": size}
        ((file_id,),) = connection.execute(query("add_chunk_file"), published)
        copy_rows(connection, "copy_records", file_id, rows.records)
        releases.recompute(connection, rows.touched)
    return len(rows.records)


def _batch(index: ChunkIndex) -> Batch:
    """The records of a file as a batch that has nothing else."""
    return Batch(
        records=index.records,
        files=schema.RECORD_FILES.empty(),
        segments=schema.SEGMENTS.empty(),
        fragments=schema.FRAGMENTS.empty(),
        fragment_segments=schema.SEGMENTS.empty(),
        probes=schema.PROBES.empty(),
        samples=schema.SAMPLES.empty(),
        verdicts=schema.VERDICTS.empty(),
        counters=Counters(),
        window=0,
    )


def _undated(index: ChunkIndex, era: int | None) -> datetime:
    """The date of records without one: the month of the range where it is planned, else of the file's earliest record."""
    if era is not None:
        return first_day(era)
    earliest = index.records["first_posted"].min()
    if not isinstance(earliest, datetime):
        return first_day(0)
    return datetime(earliest.year, earliest.month, 1, tzinfo=UTC)
