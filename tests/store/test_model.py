"""A catalog that is worked on in any order always shows what a full recomputation by the rules of `pipeline` says."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import polars as pl
from catalog_batches import EPOCH, GROUP, SIZE, VERSIONS, Piece, at, batch_of, frame, key_of
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from pipeline import schema
from pipeline.batch import Batch, SignatureTable
from pipeline.completeness import totals
from pipeline.fragments import decide
from pipeline.islands import ISLAND_GAP, releases_of
from pipeline.materialize import merge_edge
from store.catalog.collect import collect
from store.catalog.commit import commit_range
from store.catalog.connection import Catalog
from store.catalog.edges import merge_edges
from store.catalog.planning import PlannedRange, group_seen, plan
from store.catalog.search import Release, Search, places, release, search
from store.catalog.settle import settle
from store.chunks import Place, fetch_record
from store.disk import LocalDisk

RANGES = 4
DAY, HOUR = timedelta(days=1), timedelta(hours=1)
LATER = datetime(2100, 1, 1, tzinfo=UTC)
Articles = frozenset[str]


@dataclass(frozen=True)
class Lone:
    """A record with a random stem: of one file under that counter, or of several files without one; or of files only the pool holds."""

    stem: str | None
    number: int | None
    hour: float

    @property
    def keys(self) -> dict[str, object]:
        pool, stem = key_of("pool"), None if self.stem is None else key_of(self.stem)
        base = stem if stem is not None and self.number is None else pool
        return {"stem_key": stem, "pool_key": pool, "lone_number": self.number if stem else None, "base_key": base}


@dataclass(frozen=True)
class Part:
    """The segments of one of the files over edges that lie in one range."""

    name: str
    numbers: frozenset[int]
    at_low: bool
    at_high: bool

    @property
    def row(self) -> dict[str, Any]:
        posted = EPOCH + timedelta(hours=min(self.numbers))
        return {
            "file_key": key_of(self.name), "subject": f'"{self.name}.iso" yEnc (1/6)', "name": f"{self.name}.iso",
            "poster": "Archivist <archive@example.org>", "groups": [GROUP], "posted_at": posted, "file_number": None,
            "file_total": None, "segments_expected": 6, "segments_found": len(self.numbers), "bytes": 700 * len(self.numbers),
            "first_number": 100 + min(self.numbers), "last_number": 100 + max(self.numbers), "at_low": self.at_low, "at_high": self.at_high,
        }  # fmt: skip

    def articles(self) -> list[dict[str, Any]]:
        return [
            {"number": number, "bytes": 700, "message_id": f"{self.name}.{number}@example.org"}
            for number in sorted(self.numbers)
        ]


def contents(pieces: list[Piece | Lone], parts: list[Part]) -> Batch:
    """A batch of these records, with these fragments."""
    made = batch_of(
        [
            piece
            if isinstance(piece, Piece)
            else Piece(f"{piece.stem}-{piece.number}", day=piece.hour / 24, files_expected=2, tag="lone")
            for piece in pieces
        ]
    )
    keys = {"stem_key": None, "pool_key": None, "lone_number": None}
    rows = [piece.keys if isinstance(piece, Lone) else keys | {"base_key": key_of(piece.base)} for piece in pieces]
    names = ("stem_key", "pool_key", "lone_number", "base_key")
    facts = pl.DataFrame(rows, schema={name: made.records.schema[name] for name in names})
    return replace(
        made,
        records=made.records.with_columns(facts.get_columns()),
        fragments=frame(schema.FRAGMENTS, [{"file": nth} | part.row for nth, part in enumerate(parts)]),
        fragment_segments=frame(
            schema.SEGMENTS, [{"file": nth} | row for nth, part in enumerate(parts) for row in part.articles()]
        ),
    )


@dataclass(frozen=True)
class Expected:
    """A release as the rules make it of all records: its articles, its sums, and the articles of the one it reposts."""

    articles: tuple[Articles, ...]
    sums: tuple[int, ...]
    reposts: tuple[Articles, ...] | None
    first: datetime
    last: datetime

    @property
    def completeness(self) -> float | None:
        files, files_expected, segments, segments_expected = self.sums
        if not files_expected or not segments_expected:
            return None
        return min(1, files / files_expected) * min(1, segments / segments_expected)


def by_rule(batches: list[Batch]) -> list[Expected]:
    """Every release, from nothing but the records."""
    records = pl.concat([schema.RECORDS.empty(), *(made.records for made in batches)])
    if records.is_empty():
        return []
    held = [articles for made in batches for articles in _articles(made)]
    records = records.hstack(releases_of(records)).with_row_index("row")
    records = records.with_columns(release=pl.struct("release_key", "island"))
    sums = {
        (row["release"]["release_key"], row["release"]["island"]): (
            row["files"], row["files_expected"] or 0, row["segments"], row["segments_expected"],
        )
        for row in totals(records).iter_rows(named=True)
    }  # fmt: skip
    grouped = records.group_by("release_key", "island").agg(
        "row", pl.col("first_posted").min(), pl.col("last_posted").max()
    )
    articles = {
        (key, island): tuple(sorted((held[row] for row in rows), key=sorted))
        for key, island, rows, *_ in grouped.iter_rows()
    }
    return [
        Expected(articles[key, island], sums[key, island], articles.get((key, island - 1)), first, last)
        for key, island, _, first, last in grouped.iter_rows()
    ]


def _articles(made: Batch) -> list[Articles]:
    """The articles of each record."""
    rows = made.files.select("record", "file").join(made.segments, on="file")
    ids = {record: frozenset(found) for record, found in rows.group_by("record").agg("message_id").iter_rows()}
    return [ids.get(record, frozenset()) for record in made.records["record"]]


def edges_by_rule(batches: dict[int, Batch], closed: set[int]) -> list[Batch]:
    """What each edge holds, from nothing but the fragments."""
    fragments, segments, height = [], [], 0
    for index, made in sorted(batches.items()):
        shift = pl.col("file") + pl.lit(height, pl.UInt32)
        fragments.append(made.fragments.with_columns(shift, range_index=pl.lit(index, pl.Int64)))
        segments.append(made.fragment_segments.with_columns(shift))
        height += made.fragments.height
    if not height:
        return []
    chained = pl.concat(fragments)
    chained = chained.hstack(decide(chained, lambda index: index in closed or index not in range(RANGES)))
    made = []
    for (_,), held in chained.filter("decided").group_by("low_index", maintain_order=True):
        mine = pl.concat(segments).filter(pl.col("file").is_in(held["file"].implode()))
        made.append(merge_edge(held.select(schema.FRAGMENTS.names), mine, SignatureTable(0, ())))
    return made


PIECES = st.one_of(
    st.builds(
        Piece,
        base=st.sampled_from(["debian", "knoppix"]),
        day=st.sampled_from([0.0, 3.0, 6.0, 12.0, 40.0, 100.0]),
        days_long=st.sampled_from([0.0, 2.0]),
        segments=st.integers(1, 2),
        files_expected=st.sampled_from([None, 1, 3]),
        tag=st.sampled_from("xyz"),
    ),
    st.builds(Lone, st.sampled_from(["a", "b", None]), st.sampled_from([1, 2, None]), st.sampled_from([0.0, 1.0, 9.0])),
)

SHARES = {
    "ubuntu": {0: (1, 2), 1: (3, 4), 2: (5, 6)},
    "fedora": {1: (1, 2, 3), 2: (4, 5, 6)},
    "slackware": {2: (1, 2), 3: (3, 4)},
}
"""The segments of each file that lie in each range; one file is never whole."""  # fmt: skip


@st.composite
def parts_of(draw: st.DrawFn, index: int) -> list[Part]:
    made = []
    for name, shares in SHARES.items():
        numbers = draw(st.frozensets(st.sampled_from(shares[index]))) if index in shares else frozenset()
        if numbers and draw(st.integers(0, 3)):
            sides = draw(st.sampled_from([(True, True), (True, True), (True, False), (False, True)]))
            made.append(Part(name, numbers, *sides))
    return made


class Work(RuleBasedStateMachine):
    """Everything that changes releases, in any order. What must hold is checked after every step."""

    catalog: Catalog
    disk: LocalDisk

    def __init__(self) -> None:
        super().__init__()
        plan(
            self.catalog,
            [PlannedRange(at(index), 201203 + index, EPOCH + 30 * index * DAY) for index in range(RANGES)],
        )
        group_seen(self.catalog, 1, GROUP, 1, RANGES * SIZE - 1)
        self.batches: dict[int, Batch] = {}
        self.closed: set[int] = set()
        self.edges: list[Batch] = []
        self.given: dict[UUID, tuple[Articles, Release]] = {}
        self.read: dict[tuple[str, int], Articles] = {}
        self.settled: dict[UUID, Articles] = {}
        self.waiting = False

    @rule(index=st.integers(0, RANGES - 1), pieces=st.lists(PIECES, max_size=3), data=st.data())
    def materialize(self, index: int, pieces: list[Piece | Lone], data: st.DataObject) -> None:
        made = contents(list(dict.fromkeys(pieces)), data.draw(parts_of(index)))
        commit_range(self.catalog, self.disk, at(index), made, VERSIONS)
        self.batches[index] = made
        self.closed.add(index)
        self.waiting = True
        self.settled.clear()

    @rule()
    def merge(self) -> None:
        merge_edges(self.catalog, self.disk, at(0))
        self.edges = edges_by_rule(self.batches, self.closed)
        self.waiting = False
        self.settled.clear()

    @rule()
    def settle(self) -> None:
        settle(self.catalog, LATER, DAY, timedelta(0))
        starts = [EPOCH + 30 * index * DAY for index in range(RANGES)] + [LATER]
        pending = [(starts[index], starts[index + 1]) for index in range(RANGES) if index not in self.closed]
        final = [
            told
            for told in self.expected()
            if not any(first <= told.last and last >= told.first for first, last in pending)
        ]
        found = [item for item in self.releases() if item.settled]
        assert sorted(_shown(self.articles(item.id), item.completeness) for item in found) == sorted(
            _shown(told.articles, told.completeness) for told in final
        )
        self.settled = {item.id: frozenset().union(*self.articles(item.id)) for item in found}

    @rule()
    def collect(self) -> None:
        collect(self.catalog, self.disk, datetime.now(UTC) + 2 * HOUR, HOUR, HOUR)
        with self.catalog.transaction() as connection:
            named = {path for (path,) in connection.execute("SELECT path FROM chunk_files WHERE retired_at IS NULL")}
        assert {file.path for file in self.disk.list("chunks")} == named

    @invariant()
    def releases_are_what_all_records_say(self) -> None:
        found = self.releases()
        articles = {item.id: self.articles(item.id) for item in found}
        shown = [
            (
                articles[item.id],
                (item.files, item.files_expected or 0, item.segments, item.segments_expected),
                articles[item.repost_of] if item.repost_of else None,
            )
            for item in found
        ]
        told = [(item.articles, item.sums, item.reposts) for item in self.expected()]
        assert sorted(shown, key=repr_of) == sorted(told, key=repr_of)

    @invariant()
    def ids_stay_while_a_record_remains(self) -> None:
        """And lead to a release of that time."""
        now = {item.id: item for item in self.releases()}
        held = {given: frozenset().union(*self.articles(given)) for given in now}
        there = frozenset().union(*held.values())
        for given, (mine, led_to) in list(self.given.items()):
            found = release(self.catalog, given)
            if found is None:
                assert not mine & there, f"{given} had {sorted(mine)}, of which {sorted(mine & there)} are there"
                del self.given[given]
            else:
                assert found.first_posted <= led_to.last_posted + ISLAND_GAP, f"{given} led to {led_to}"
                assert found.last_posted >= led_to.first_posted - ISLAND_GAP, f"{given} led to {led_to}"
                self.given[given] = held[found.id], found
        self.given |= {given: (held[given], item) for given, item in now.items()}

    @invariant()
    def only_what_was_touched_is_open_again(self) -> None:
        found = {item.id: item for item in self.releases()}
        assert all(found[one].settled for one in self.settled)

    def teardown(self) -> None:
        self.catalog.close()

    def expected(self) -> list[Expected]:
        return by_rule([*self.batches.values(), *self.edges])

    def releases(self) -> tuple[Release, ...]:
        return search(self.catalog, Search(limit=1000)).releases

    def articles(self, release_id: UUID) -> tuple[Articles, ...]:
        held = []
        for place in places(self.catalog, release_id):
            at_place = (place.path, place.offset)
            if at_place not in self.read:
                content = fetch_record(self.disk, place.path, Place(place.offset, place.length, place.checksum))
                self.read[at_place] = frozenset(content.segments["message_id"])
            held.append(self.read[at_place])
        return tuple(sorted(held, key=sorted))


def repr_of(row: tuple[Any, ...]) -> str:
    articles, sums, reposts = row
    return repr(([sorted(one) for one in articles], sums, [sorted(one) for one in reposts or ()]))


def _shown(articles: tuple[Articles, ...], completeness: float | None) -> tuple[Any, ...]:
    told = -1.0 if completeness is None else round(completeness, 5)
    return [sorted(one) for one in articles], told


def test_any_work_in_any_order_shows_what_a_full_recomputation_says(fresh_catalog, disk: LocalDisk):
    class Here(Work):
        def __init__(self) -> None:
            self.catalog = fresh_catalog()
            self.disk = LocalDisk(disk.root / str(id(self)))
            super().__init__()

    run_state_machine_as_test(
        Here,
        settings=settings(
            max_examples=int(os.environ.get("OVERLAKE_MODEL_EXAMPLES", "20")),
            stateful_step_count=12,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
