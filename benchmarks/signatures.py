"""Proposed garbage signatures, accepted as they come, beside what a simulated history truly holds.

The proposals see what the catalog would hold: releases, what was dropped, and how many lines there were. The truth judges them only afterwards.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from benchmarks.grouping import NAMES, NOW, edges, ids_of, truth_of
from pipeline.batch import Batch, GroupList, SignatureTable
from pipeline.islands import releases_of
from pipeline.materialize import materialize
from pipeline.overview import parse
from pipeline.ranges import Range
from pipeline.schema import OVERVIEW
from pipeline.signatures import DEFAULT_TABLE
from simulator.history import History, planned_history
from simulator.mix import PRESETS
from simulator.wire import overview_text
from store.analysis.signatures import lines_of, measure, propose
from store.catalog.signature_review import with_lines

EMPTY = SignatureTable(0, ())


@dataclass(frozen=True, slots=True)
class Judged:
    """What a table drops beside the truth.

    Attributes:
        precision: share of the dropped articles that are garbage in truth.
        recall: share of the true garbage articles that are dropped.
        good_releases_dropped: true releases of which any article is dropped.
        dropped: articles dropped.
    """

    precision: float
    recall: float
    good_releases_dropped: int
    dropped: int


@dataclass(frozen=True, slots=True)
class Signatures:
    """One run.

    Attributes:
        lines: overview lines.
        precision, recall, good_releases_dropped: of the proposals alone: made and accepted where no table was before.
        alone: the same figures, and how many articles are dropped.
        before: of the shipped table.
        after: of the shipped table with the proposals that it leaves.
        proposed: the lines proposed where no table was before.
        proposed_after: those the shipped table leaves.
    """

    lines: int
    precision: float
    recall: float
    good_releases_dropped: int
    alone: Judged
    before: Judged
    after: Judged
    proposed: list[str]
    proposed_after: list[str]


@dataclass(frozen=True, slots=True)
class _Indexed:
    """The ranges of a history, each with its overview as read and its lines."""

    groups: GroupList
    ranges: list[tuple[Range, pl.DataFrame, int, int]]
    truth: pl.DataFrame

    @property
    def lines(self) -> int:
        return sum(lines for *_, lines, _ in self.ranges)


def run(lines: int, range_size: int, seed: int) -> Signatures:
    """Propose over about `lines` lines of all eras in ranges of `range_size`."""
    history = planned_history(seed, NAMES, (-(-lines // len(NAMES)),), mix=PRESETS["default"], offset=2_000_000)
    indexed = _read(history, range_size)
    unfiltered, shipped = _made(indexed, EMPTY), _made(indexed, DEFAULT_TABLE)
    proposed, left = _proposed(indexed, unfiltered, EMPTY), _proposed(indexed, shipped, DEFAULT_TABLE)
    alone = _judged(indexed, _made(indexed, proposed))
    more = SignatureTable(2, with_lines(DEFAULT_TABLE.signatures, left.signatures))
    return Signatures(
        lines=indexed.lines,
        precision=alone.precision,
        recall=alone.recall,
        good_releases_dropped=alone.good_releases_dropped,
        alone=alone,
        before=_judged(indexed, shipped),
        after=_judged(indexed, _made(indexed, more)),
        proposed=[f"{line.verdict} {line.signature}" for line in proposed.signatures],
        proposed_after=[f"{line.verdict} {line.signature}" for line in left.signatures],
    )


def _read(history: History, range_size: int) -> _Indexed:
    ranges: list[tuple[Range, pl.DataFrame, int, int]] = []
    truths: list[pl.DataFrame] = []
    for group in history.names:
        bounds = history.group(group)
        for index in range(bounds.low // range_size, bounds.high // range_size + 1):
            first, last = max(bounds.low, index * range_size), min(bounds.high, (index + 1) * range_size - 1)
            rows = history.block(group, first, last)
            truths.append(truth_of(history.truth(group, first, last), rows))
            parsed = parse(overview_text(rows), first, last, NOW)
            overview = OVERVIEW.check(parsed.overview)
            ranges.append((Range(1, group, index, range_size), overview, parsed.lines, parsed.rejected.height))
    return _Indexed(GroupList(1, history.names), ranges, pl.concat(truths))


def _made(indexed: _Indexed, table: SignatureTable) -> list[tuple[str, Batch]]:
    """Every range and edge under `table`, with its group."""
    batches: list[tuple[str, Batch]] = []
    for group in indexed.groups.names:
        made = [
            (range_.index, materialize(overview, range_, indexed.groups, table, lines=lines, malformed=malformed, duplicate=0))
            for range_, overview, lines, malformed in indexed.ranges
            if range_.group == group
        ]  # fmt: skip
        batches += [(group, batch) for _, batch in made]
        batches += [(group, batch) for batch in edges(made, table)]
    return batches


def _proposed(indexed: _Indexed, batches: list[tuple[str, Batch]], table: SignatureTable) -> SignatureTable:
    with tempfile.TemporaryDirectory(prefix="overlake-bench-") as name:
        folder = Path(name)
        _releases(batch for _, batch in batches).write_parquet(folder / "releases.parquet")
        garbage = pl.concat([batch.verdicts.with_columns(group=pl.lit(group)) for group, batch in batches])
        garbage.filter(pl.col("dropped_by").is_not_null()).write_parquet(folder / "garbage.parquet")
        pl.DataFrame({"lines": [indexed.lines]}).write_parquet(folder / "ranges.parquet")
        return SignatureTable(1, tuple(lines_of(propose(measure(folder), table))))


def _releases(batches: Iterable[Batch]) -> pl.DataFrame:
    """Records put together to releases, with what the catalog says of them."""
    records = pl.concat([batch.records for batch in batches])
    records = records.hstack(releases_of(records))
    return (
        records.sort("readable_name", descending=True)
        .group_by("release_key", "island", maintain_order=True)
        .agg(
            pl.col("name", "poster", "tool", "signature").first(),
            pl.col("readable_name", "has_par2").any(),
            pl.col("groups").explode().unique().sort(),
            pl.col("first_posted").min(),
            pl.col("last_posted").max(),
            pl.col("files", "segments", "segments_expected", "bytes").sum(),
            pl.col("files_expected").max(),
        )
    )


def _judged(indexed: _Indexed, batches: list[tuple[str, Batch]]) -> Judged:
    kept = pl.concat([batch.segments.select(id=ids_of(pl.col("message_id"))) for _, batch in batches])["id"].unique()
    judged = indexed.truth.with_columns(dropped=~pl.col("id").is_in(kept.implode()) & ~pl.col("sorted_out"))
    dropped = judged.filter("dropped")
    good = dropped.filter(pl.col("class") == "release")
    garbage = judged.filter(pl.col("class") == "garbage")
    return Judged(
        precision=round(1 - good.height / max(1, dropped.height), 6),
        recall=round(int(garbage["dropped"].sum()) / max(1, garbage.height), 6),
        good_releases_dropped=good["release"].n_unique(),
        dropped=dropped.height,
    )
