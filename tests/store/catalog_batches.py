"""Small hand-made batches, and what the catalog shows of them without ids and dates of its own."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl

from pipeline import schema
from pipeline.batch import Batch, Counters
from pipeline.completeness import marks
from pipeline.ranges import Range
from store.catalog.connection import Catalog
from store.catalog.planning import PlannedRange, Versions, group_seen, plan
from store.catalog.search import Search, places, search

EPOCH = datetime(2012, 3, 1, tzinfo=UTC)
GROUP = "alt.binaries.linux"
SIZE = 1000
VERSIONS = Versions(1, 1, "0.1.0")


@dataclass(frozen=True)
class Piece:
    """A record of one file: which release it belongs to, when it was posted (days), and how much of it is there."""

    base: str
    day: float = 0.0
    segments: int = 2
    expected: int = 2
    files_expected: int | None = 1
    groups: tuple[str, ...] = (GROUP,)
    name: str = ""
    days_long: float = 0.0
    category: int = 4050
    poster: str = "Archivist <archive@example.org>"
    segment_bytes: int = 700_000
    tag: str = field(default="")

    @property
    def shown(self) -> str:
        return self.name or f"{self.base}-disc"


def mark_of(file_key: bytes, piece: Piece) -> bytes:
    """The mark of the record's file, empty when it is all there is."""
    whole = piece.files_expected == 1 and piece.segments == piece.expected
    facts = pl.DataFrame(
        {"file_key": [file_key], "segments_expected": [piece.expected], "segments_found": [piece.segments]}
    )
    return b"" if whole else marks(facts)[0]


def key_of(text: str) -> bytes:
    return hashlib.md5(text.encode()).digest()


def batch_of(pieces: list[Piece]) -> Batch:
    """A batch with one record of one file per piece, and a probe of each."""
    files: list[dict[str, Any]] = []
    records: list[dict[str, Any]] = []
    segments: list[dict[str, Any]] = []
    probes: list[dict[str, Any]] = []
    for ordinal, piece in enumerate(pieces):
        first = EPOCH + timedelta(days=piece.day)
        size = piece.segments * piece.segment_bytes
        file_key = key_of(f"{piece.base}/{piece.day}/{piece.tag}")
        common = {"poster": piece.poster, "groups": sorted(piece.groups), "bytes": size}
        files.append(
            common
            | {
                "record": ordinal,
                "file": ordinal,
                "file_key": file_key,
                "subject": f'"{piece.shown}.iso" yEnc (1/{piece.expected})',
            }
            | {"name": f"{piece.shown}.iso", "posted_at": first, "file_number": 1, "file_total": piece.files_expected}
            | {
                "segments_expected": piece.expected,
                "segments_found": piece.segments,
                "first_number": 1,
                "last_number": 9,
            }
        )
        records.append(
            common
            | {"record": ordinal, "base_key": key_of(piece.base), "name": piece.shown, "first_posted": first}
            | {"repost": False, "request_id": ""}
            | {"file_marks": mark_of(file_key, piece)}
            | {
                "last_posted": first + timedelta(days=piece.days_long),
                "files": 1,
                "files_expected": piece.files_expected,
            }
            | {
                "segments": piece.segments,
                "segments_expected": piece.expected,
                "has_par2": False,
                "readable_name": True,
            }
            | {
                "category": piece.category,
                "tool": "Nyuu",
                "grouped_by": "stem",
                "named_by": "file",
                "signature": "nyuu",
            }
        )
        for number in range(1, piece.segments + 1):
            message_id = f"{piece.base}.{piece.day}.{piece.tag}.part{number}of{piece.expected}@example.org"
            segments.append({"file": ordinal, "number": number, "bytes": piece.segment_bytes, "message_id": message_id})
        probes.append(
            {
                "record": ordinal,
                "file_key": file_key,
                "kind": "lone",
                "message_id": segments[-1]["message_id"],
                "priority": 1,
            }
        )
    kept = len(segments)
    return Batch(
        records=frame(schema.RECORDS, records),
        files=frame(schema.RECORD_FILES, files),
        segments=frame(schema.SEGMENTS, segments),
        fragments=schema.FRAGMENTS.empty(),
        fragment_segments=schema.SEGMENTS.empty(),
        probes=frame(schema.PROBES, probes),
        samples=schema.SAMPLES.empty(),
        verdicts=schema.VERDICTS.empty(),
        counters=Counters(lines=kept, kept=kept),
        window=0,
    )


def frame(of: schema.Schema, rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=of.polars)


def at(index: int, group: str = GROUP) -> Range:
    return Range(1, group, index, SIZE)


def planned(catalog: Catalog, count: int, groups: tuple[str, ...] = (GROUP,)) -> None:
    """Plan the ranges 0 .. count - 1 of each group, a month each; the groups' numbers end there."""
    for group in groups:
        plan(catalog, [PlannedRange(at(i, group), 201203 + i, EPOCH + timedelta(days=30 * i)) for i in range(count)])
        group_seen(catalog, 1, group, 1, count * SIZE - 1)


def shown(catalog: Catalog) -> list[dict[str, Any]]:
    """Every release with the places and checksums of its records, without what depends on the order of work: ids, own dates, generations."""
    found = search(catalog, Search(limit=1000)).releases
    names = {release.id: (release.name, release.first_posted) for release in found}
    rows = [
        {
            name: getattr(release, name)
            for name in release.__slots__
            if name not in {"id", "repost_of", "added_at", "changed_at"}
        }
        | {"repost_of": names.get(release.repost_of) if release.repost_of else None}
        | {
            "places": [
                (place.path.rsplit("-", 1)[0], place.length, place.checksum) for place in places(catalog, release.id)
            ]
        }
        for release in found
    ]
    return sorted(rows, key=lambda row: (row["first_posted"], row["name"], row["segments"]))


def count(catalog: Catalog, table: str) -> int:
    with catalog.transaction() as connection:
        ((number,),) = connection.execute(f"SELECT count(*) FROM {table}".encode())
        return number
